"""All figures of a report as data. Each stored schedule is read once and let go again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from packwise.metrics.effects import effects
from packwise.metrics.outcome import Outcome
from packwise.model.errors import InputError
from packwise.model.workload import Workload
from packwise.pictures.clock import Clock
from packwise.reports.charts.chart import Chart, Choice
from packwise.reports.charts.job_sizes import Sizes, size_class_chart, sizes, wait_area_chart
from packwise.reports.charts.over_time import (
    Grid,
    OverTime,
    over_time,
    queue_chart,
    utilization_chart,
)
from packwise.reports.charts.palette import Style, policy_styles
from packwise.reports.charts.pareto import Pareto, pareto
from packwise.reports.charts.staircase import Staircase
from packwise.reports.charts.sweeps import sweep_chart
from packwise.reports.charts.users import UserWait, user_choice, users
from packwise.reports.charts.waiting import (
    slowdown_chart,
    slowdown_distribution,
    wait_chart,
    wait_distribution,
)
from packwise.reports.deadlines.case import CaseDeadlines, Starts, case_deadlines, starts_of
from packwise.reports.deadlines.charts import DeadlineFigures, deadline_figures
from packwise.reports.gantt import jobs as gantts
from packwise.reports.heat.table import HeatTable, case_table
from packwise.reports.material import Case, Material, Replayed
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

Progress = Callable[[str], None]
#: Intervals of the charts of resources, and columns of the maps of nodes.
_NODE_POINTS, _MAP_COLUMNS = 125, 250


@dataclass(frozen=True, eq=False)
class CaseFigures:
    """What is drawn of one case, and in words what changes for whom."""

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
    effects: tuple[str, ...]


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
    waits: Staircase
    slowdowns: Staircase
    sizes: Sizes
    users: dict[int, UserWait]
    placed: gantts.Placed
    end: int
    starts: Starts | None
    promises: Kinds | None
    node_times: NodeTimes | None
    node_use: Use | None


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
    found[baseline] = _observe(baseline, first, grid, window, workload)
    before = first.schedule
    del first
    said = []
    for k, label in enumerate(labels):
        if k != case.baseline:
            run = _load(case, k, progress)
            _same_jobs(case, label, run.workload, workload)
            found[label] = _observe(label, run, grid, window, workload)
            said.append(effects(workload, run.schedule, before).words(label, baseline))
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
    return CaseFigures(
        table=case_table(case, material.metrics, material.confidence),
        pareto=pareto(case, material.metrics),
        charts=(
            wait_chart({label: one.waits for label, one in found.items()}),
            slowdown_chart({label: one.slowdowns for label, one in found.items()}),
            queue_chart(times, clock),
            utilization_chart(times, clock),
            wait_area_chart(by_size, baseline),
            size_class_chart(by_size, baseline),
        ),
        users=user_choice({label: one.users for label, one in found.items()}, baseline),
        gantt=gantts.assemble(workload, case.procs, window, peak, placed, clock),
        deadlines=case_deadlines(case, workload, starts, material.confidence)
        if len(starts) == len(labels)
        else None,
        promises=promises,
        promised_waits=promise_chart(case, promises),
        node_charts=(resource_chart(on_nodes, clock), stranded_chart(on_nodes, clock)),
        node_map=node_map(cluster, uses, clock) if same else None,
        effects=tuple(said),
    )


def _load(case: Case, k: int, progress: Progress | None) -> Replayed:
    run = case.runs[k]
    if progress:
        progress(f"{case.title}: {run.label}")
    return run.load()


def _observe(
    label: str, run: Replayed, grid: Grid, window: gantts.Window, expected: Workload
) -> _Observed:
    outcome = Outcome.of(*run)
    end = int(run.schedule.end.max())
    return _Observed(
        over_time=over_time(run, grid),
        waits=wait_distribution(outcome),
        slowdowns=slowdown_distribution(outcome),
        sizes=sizes(run),
        users=users(run),
        placed=gantts.place(label, run, window),
        end=end,
        starts=starts_of(run, expected),
        promises=promises_of(run),
        node_times=node_times(run, grid.edges(end, _NODE_POINTS)),
        node_use=use_of(label, run, grid.edges(end, _MAP_COLUMNS)),
    )


def _same_jobs(case: Case, label: str, found: Workload, expected: Workload) -> None:
    columns = ("id", "submit", "runtime", "demand")
    if not all(np.array_equal(getattr(found, c), getattr(expected, c)) for c in columns):
        raise InputError(
            f"case '{case.title}': {label} should be a schedule of the same jobs as the baseline "
            f"({len(expected):,}), found {len(found):,} jobs. Run the study again."
        )
