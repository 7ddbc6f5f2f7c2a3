"""All figures of a report as data. Each stored schedule is read once and let go again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from packwise.metrics.catalogue import metric, summarize
from packwise.metrics.chance import change_of_mean
from packwise.metrics.group_changes import changes_by, group_kinds
from packwise.metrics.outcome import Mask, Outcome
from packwise.metrics.parts import parts_of, values_by_parts
from packwise.metrics.series import UtilizationDensity, utilization_density
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload
from packwise.pictures.clock import Clock
from packwise.reports.charts.chart import Chart, Choice
from packwise.reports.charts.density import density_chart
from packwise.reports.charts.job_sizes import Sizes, sizes, wait_area_chart
from packwise.reports.charts.over_time import (
    Grid,
    OverTime,
    over_time,
    queue_chart,
    utilization_chart,
)
from packwise.reports.charts.palette import Style, policy_styles
from packwise.reports.charts.pareto import Pareto, pareto
from packwise.reports.charts.size_classes import size_class_chart
from packwise.reports.charts.staircase import Staircase
from packwise.reports.charts.sweeps import sweep_chart
from packwise.reports.charts.users import user_choice
from packwise.reports.charts.waiting import (
    slowdown_chart,
    slowdown_distribution,
    wait_chart,
    wait_distribution,
)
from packwise.reports.deadlines.case import CaseDeadlines, Starts, case_deadlines, starts_of
from packwise.reports.deadlines.charts import DeadlineFigures, deadline_figures
from packwise.reports.facts import Facts, case_facts
from packwise.reports.gantt import jobs as gantts
from packwise.reports.heat.table import HeatTable, case_table
from packwise.reports.material import Case, Material, Replayed, ReportRun
from packwise.reports.nodes.charts import (
    OUTAGE_WORDS,
    NodeTimes,
    node_times,
    resource_chart,
    stranded_chart,
    stranded_words,
)
from packwise.reports.nodes.node_map import NodeMap, Use, node_map, use_of
from packwise.reports.promises.chart import promise_chart
from packwise.reports.promises.kept import Kinds, promises_of
from packwise.reports.verdicts.parts import unjudged, untested, with_parts
from packwise.reports.verdicts.shared import with_values
from packwise.reports.verdicts.waits import Waits

Progress = Callable[[str], None]
#: Intervals of the charts of resources, and columns of the maps of nodes.
_NODE_POINTS, _MAP_COLUMNS = 125, 250
_IN_DOUBT = "No verdict: the machine is in doubt, as told above."


@dataclass(frozen=True, eq=False)
class CaseFigures:
    """What is drawn of one case, which now knows its noise; and what becomes of the waits of whom."""

    case: Case
    facts: Facts
    waits: Mapping[str, Waits]
    table: HeatTable
    pareto: Pareto
    charts: tuple[Chart, ...]
    users: Choice
    gantt: gantts.Gantt
    deadlines: CaseDeadlines | None
    promises: Mapping[str, Kinds]
    promised_waits: Chart
    node_charts: tuple[Chart, ...]
    node_map: NodeMap | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Figures:
    """What is drawn of a whole report."""

    styles: tuple[Style, ...]
    cases: tuple[CaseFigures, ...]
    sweeps: tuple[Chart, ...]
    deadlines: DeadlineFigures | None = None

    @property
    def promises(self) -> bool:
        """Whether a policy of the report makes promises."""
        return any(case.promises for case in self.cases)

    @property
    def nodes(self) -> bool:
        """Whether a schedule of the report tells which nodes jobs were on."""
        return any(case.node_map is not None for case in self.cases)


@dataclass(frozen=True, eq=False)
class _Observed:
    """What is kept of one run."""

    over_time: OverTime
    density: UtilizationDensity
    waits: Staircase
    slowdowns: Staircase
    sizes: Sizes
    placed: gantts.Placed
    end: int
    starts: Starts | None
    promises: Kinds | None
    node_times: NodeTimes | None
    node_use: Use | None
    values: Mapping[str, float]
    parts: Mapping[str, Floats]


def compute(material: Material, progress: Progress | None = None) -> Figures:
    """Read every run of the material once and derive all figures from it."""
    most = gantts.budgets([(case.jobs, len(case.runs)) for case in material.cases])
    cases = tuple(
        _case(case, material, jobs, progress)
        for case, jobs in zip(material.cases, most, strict=True)
    )
    sweeps = tuple(
        sweep_chart(sweep, k, material.metrics) for k, sweep in enumerate(material.sweeps, 1)
    )
    deadlines = deadline_figures([one.deadlines for one in cases if one.deadlines is not None])
    return Figures(policy_styles(material), cases, sweeps, deadlines)


def _case(case: Case, material: Material, most: int, progress: Progress | None) -> CaseFigures:
    labels = [run.label for run in case.runs]
    baseline = labels[case.baseline]
    found: dict[str, _Observed] = {}
    first = _load(case, case.baseline, progress)
    grid, window = Grid.of(first), gantts.choose_window(first, most)
    peak, workload, cluster = gantts.longest_queue(first), first.workload, first.cluster
    single = case.replicas < 2
    part = parts_of(workload, first.schedule) if single and not case.withheld else None
    names = material.metrics if single and (part is not None or case.partial) else ()
    asked = _Asked(grid, window, workload, names, part, single and case.partial)
    found[baseline] = _observe(case.runs[case.baseline], first, asked)
    before = first.schedule
    del first
    waits = {}
    said = []
    for k, label in enumerate(labels):
        if k != case.baseline:
            run = _load(case, k, progress)
            _same_jobs(case, label, run.workload, workload)
            found[label] = _observe(case.runs[k], run, asked)
            waits[label] = _waits(workload, before, run.schedule)
            del run
    found = {label: found[label] for label in labels}
    times = {label: one.over_time for label, one in found.items()}
    by_size = {label: one.sizes for label, one in found.items()}
    placed = tuple(one.placed for one in found.values())
    clock = Clock.of(workload, max(one.end for one in found.values()))
    starts = {label: one.starts for label, one in found.items() if one.starts is not None}
    promises = {label: one.promises for label, one in found.items() if one.promises is not None}
    on_nodes = {label: one.node_times for label, one in found.items() if one.node_times is not None}
    uses = tuple(one.node_use for one in found.values() if one.node_use is not None)
    same = len(uses) == len(labels) and len({tuple(use.percent) for use in uses}) == 1
    if not same:
        on_nodes = {}
    else:
        said.append(stranded_words(on_nodes))
    if cluster.outages:
        said.append(OUTAGE_WORDS)
    if cluster.is_pool and any("partition" in one.groups for one in waits.values()):
        said.append(
            "Partitions are told apart in the tables, but the replays know nothing of them: every job may "
            f"use all {cluster.procs:,} processors. With --cluster the nodes of each partition count."
        )
    measured = case
    if asked.anew:
        measured = with_values(measured, {label: one.values for label, one in found.items()})
    if part is not None:
        told = {label: one.parts for label, one in found.items()}
        measured = with_parts(measured, told, material.confidence)
    elif case.withheld:
        measured = unjudged(measured)
    elif single and len(labels) > 1:
        measured = untested(measured)
    classes = size_class_chart({} if case.withheld else waits, baseline)
    users = user_choice({} if case.withheld else waits, baseline)
    if case.withheld:
        classes = _no_verdict(classes)
        users = replace(users, caption=_IN_DOUBT)
    charts = (
        wait_chart({label: one.waits for label, one in found.items()}),
        slowdown_chart({label: one.slowdowns for label, one in found.items()}),
        queue_chart(times, clock),
        utilization_chart(times, clock),
        wait_area_chart(by_size, baseline),
        classes,
        density_chart({label: one.density for label, one in found.items()}),
    )
    return CaseFigures(
        case=measured,
        facts=case_facts(workload, cluster),
        waits=waits,
        table=case_table(measured, material.metrics, material.confidence),
        pareto=pareto(measured, material.metrics, material.confidence),
        charts=tuple(replace(one, note=case.guess) for one in charts),
        users=users,
        gantt=gantts.assemble(workload, case.procs, window, peak, placed, clock, case.guess),
        deadlines=case_deadlines(case, workload, starts, material.confidence)
        if len(starts) == len(labels) and not case.withheld
        else None,
        promises=promises,
        promised_waits=promise_chart(case, promises),
        node_charts=(resource_chart(on_nodes, clock), stranded_chart(on_nodes, clock)),
        node_map=node_map(cluster, uses, clock) if same else None,
        notes=tuple(said),
    )


def _no_verdict(chart: Chart) -> Chart:
    """In place of a chart of changes, where the machine is in doubt."""
    return replace(chart, caption="", panels=(), empty=_IN_DOUBT)


def _waits(workload: Workload, before: Schedule, after: Schedule) -> Waits:
    """Of the jobs that ran in both."""
    places = np.flatnonzero(before.ran & after.ran)
    old, new = (one.wait(workload)[places].astype(np.float64) for one in (before, after))
    overall = change_of_mean(old, new, workload.submit[places])
    groups = {
        kind: changes_by(workload, places, old, new, kind) for kind in group_kinds(workload, places)
    }
    return Waits(overall, groups)


def _load(case: Case, k: int, progress: Progress | None) -> Replayed:
    run = case.runs[k]
    if progress:
        progress(f"{case.title}: {run.label}")
    return run.load()


def _values(run: Replayed, metrics: Sequence[str], only: Mask | None) -> dict[str, float]:
    told = [metric(name) for name in metrics]
    return summarize(*run, [one.name for one in told if one.applies(*run)], only=only)


class _Asked(NamedTuple):
    """What is wanted of every run of a case."""

    grid: Grid
    window: gantts.Window
    expected: Workload
    metrics: Sequence[str]
    part: Ints | None
    anew: bool


def _observe(told: ReportRun, run: Replayed, asked: _Asked) -> _Observed:
    grid, metrics, part = asked.grid, asked.metrics, asked.part
    outcome = Outcome.of(*run)
    end = int(run.schedule.end.max())
    label = told.label
    only = None if told.trim is None else told.trim.kept(run.workload, run.schedule)
    return _Observed(
        over_time=over_time(run, grid),
        density=utilization_density(*run),
        waits=wait_distribution(outcome),
        slowdowns=slowdown_distribution(outcome),
        sizes=sizes(run),
        placed=gantts.place(label, run, asked.window),
        end=end,
        starts=starts_of(run, asked.expected),
        promises=promises_of(run),
        node_times=node_times(run, grid.edges(end, _NODE_POINTS)),
        node_use=use_of(label, run, grid.edges(end, _MAP_COLUMNS)),
        values=_values(run, metrics, only) if asked.anew else {},
        parts={} if part is None else values_by_parts(*run, metrics, part, only),
    )


def _same_jobs(case: Case, label: str, found: Workload, expected: Workload) -> None:
    columns = ("id", "submit", "runtime", "demand")
    if not all(np.array_equal(getattr(found, c), getattr(expected, c)) for c in columns):
        raise InputError(
            f"case '{case.title}': {label} should be a schedule of the same jobs as the baseline "
            f"({len(expected):,}), found {len(found):,} jobs. Run the study again."
        )
