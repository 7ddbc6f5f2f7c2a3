"""compare(): one workload under several policies, measured."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from packwise import registry
from packwise.metrics.catalogue import METRICS, chosen_metric, summarize
from packwise.metrics.comparison import Comparison, Entry, find_baseline
from packwise.metrics.definition import Metric
from packwise.metrics.effects import effects
from packwise.metrics.outcome import Mask
from packwise.metrics.trimming import Trim
from packwise.metrics.unaffected import affected
from packwise.metrics.usual import usual_metrics
from packwise.model.cluster import Cluster, as_cluster
from packwise.model.decision import Policy
from packwise.model.demands import misfits
from packwise.model.display import html_of, pandas_frame, polars_frame
from packwise.model.errors import InputError, JobTooLarge
from packwise.model.recorded import recorded_starts
from packwise.model.run import Run
from packwise.model.schedule import NEVER
from packwise.model.workload import Workload
from packwise.policies.recorded import Recorded, RecordedOrder
from packwise.predict.predictor import Predictor
from packwise.readable import number, percent
from packwise.simulation import never_under_cap, simulate
from packwise.warm_up.crew import begin
from packwise.warm_up.needs import at_first_sight, on_nodes
from packwise.workloads.reading import read
from packwise.workloads.trace import Trace


class Planned(NamedTuple):
    """A run to be made."""

    label: str
    policy: Policy
    estimate: Predictor


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Runs of the same jobs and what they measure, beside a baseline."""

    comparison: Comparison
    runs: tuple[Run, ...]
    remarks: tuple[str, ...] = ()

    def __getitem__(self, label: str) -> Run:
        """The run of that label, such as ``easy``."""
        return self.runs[find_baseline(label, self.labels)]

    @property
    def labels(self) -> list[str]:
        """What the runs are called."""
        return [entry.label for entry in self.comparison.entries]

    def words(self) -> str:
        """Who wins what, at whose cost, and what changes for users and sizes of jobs."""
        base = self.runs[self.comparison.baseline]
        against = self.labels[self.comparison.baseline]
        if self.comparison.withheld:
            return base.cluster.sizing.lead
        lines = [self.comparison.words()]
        for label, run in zip(self.labels, self.runs, strict=True):
            if run is not base and len(run.workload) == len(base.workload):
                found = effects(run.workload, run.schedule, base.schedule)
                lines.append(found.words(label, against))
        return "\n".join(filter(None, lines))

    def to_polars(self) -> Any:
        """One row for each run: the metrics, and their changes against the baseline in per cent."""
        return polars_frame(self)

    def to_pandas(self) -> Any:
        """The same for pandas."""
        return pandas_frame(self)

    def __repr__(self) -> str:
        heads = [
            f"{one.name} ({one.unit})" if one.unit else one.name for one in self.comparison.metrics
        ]
        rows = [["", *heads]]
        for entry in self.comparison.entries:
            cells = []
            for one in self.comparison.metrics:
                change = percent(self.comparison.change(entry, one))
                base = entry is self.comparison.entries[self.comparison.baseline]
                bare = base or self.comparison.withheld
                cells.append(number(entry.values[one.name]) + ("" if bare else f" ({change})"))
            rows.append([entry.label, *cells])
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = [
            "  ".join(
                cell.ljust(width) if not k else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*machine_lines(self.runs[0].cluster), *lines])

    def _repr_html_(self) -> str:
        return html_of(self)


def compare(
    what: Workload | Trace | str | os.PathLike[str],
    cluster: Cluster | int | None = None,
    policies: Sequence[Policy | str] | str = ("easy", "packwise"),
    estimate: Predictor | str = "requested",
    *,
    metrics: Sequence[str] | str | None = None,
    baseline: str = "first",
    placement: str | None = None,
    trim: str | None = None,
) -> SideBySide:
    """Replay the same jobs under several policies, and measure.

    ``what`` is a workload, what ``packwise.read`` returns, or a file; the machine is ``cluster``, or what the
    file says. Policies, the estimate and metrics may be names, as on the command line:
    ``"recorded,easy,packwise"``, ``"BSLD,mine.py:fairness"``. ``trim`` leaves out of metrics of jobs those
    that end last (``"last"``), or a share at both ends (``"1%"``).
    Jobs that one of the policies could never start are left out for all; ``remarks`` says so.
    """
    if isinstance(what, str | os.PathLike):
        size = cluster if isinstance(cluster, int) else None
        what = read(what, size, cluster=cluster if isinstance(cluster, Cluster) else None)
    if isinstance(what, Trace):
        cluster = what.cluster if cluster is None else cluster
        what = what.workload
    if cluster is None:
        raise InputError(
            "compare() needs a machine for a workload: a Cluster, or a number of processors."
        )
    machine = as_cluster(cluster)
    names = registry.split_names(policies) if isinstance(policies, str) else list(policies)
    chosen = [registry.policy(one) if isinstance(one, str) else one for one in names]
    believed = registry.estimate(estimate) if isinstance(estimate, str) else estimate
    wanted = registry.split_names(metrics) if isinstance(metrics, str) else metrics
    asked = None if wanted is None else [chosen_metric(name) for name in wanted]
    plan = paired(chosen, [believed])
    reference = find_baseline(baseline, [one.label for one in plan])
    trimmed = None if trim is None else Trim.of(trim)
    jobs, remarks = same_jobs(what, machine, [(one.policy, one.estimate) for one in plan])
    found = usual_metrics(jobs, machine) if asked is None else asked
    begin(at_first_sight("", [(one.policy, one.estimate) for one in plan], on_nodes(machine)))
    runs = [
        simulate(
            jobs, machine, one.policy, one.estimate, reject_too_large=True, placement=placement
        )
        for one in plan
    ]
    only = jobs_to_measure(runs, trim=trimmed)
    if trimmed is not None and only is not None:
        remarks.append(trim_remark(trimmed, only))
    return SideBySide(
        measured([one.label for one in plan], runs, found, reference, only=only),
        tuple(runs),
        tuple(remarks),
    )


def machine_lines(cluster: Cluster) -> list[str]:
    """What stands above a table: that nothing in it is a gain, and that the machine is a guess."""
    sizing = cluster.sizing
    guess = f"On {cluster.procs:,} processors, {sizing.guess}." if sizing.guess else ""
    return [line for line in (sizing.lead, guess) if line]


def paired(policies: Sequence[Policy], estimates: Sequence[Predictor]) -> list[Planned]:
    """Each policy with each estimate; what really happened believes nothing, and is there once."""
    if not policies or not estimates:
        raise InputError("expected policies, such as easy,list-saf, found none.")
    plan = []
    for believed in estimates:
        for one in policies:
            if isinstance(one, Recorded):
                if believed is estimates[0]:
                    plan.append(Planned(one.name, one, believed))
                continue
            suffix = "" if len(estimates) == 1 else f" / {believed.name}"
            plan.append(Planned(f"{one.name}{suffix}", one, believed))
    return plan


def same_jobs(
    workload: Workload, cluster: Cluster, runs: Iterable[tuple[Policy, Predictor]]
) -> tuple[Workload, list[str]]:
    """The jobs that all of these can be asked about, and what to say of the others: those of which the log
    does not tell when they started, if what happened is among the policies; and those that could never run
    under a power cap.
    """
    pairs = list(runs)
    lines = []
    if any(isinstance(policy, Recorded | RecordedOrder) for policy, _ in pairs):
        known = recorded_starts(workload) != NEVER
        if known.any() and not known.all():
            lines.append(
                f"left out: {int((~known).sum()):,} of {len(known):,} jobs, of which the log does not tell "
                "when they started"
            )
            workload = workload.select(known)
        which, reason = misfits(workload, cluster)
        if which.any() and not which.all():  # what happened has them, replays have not
            lines.append(
                f"left out: {int(which.sum()):,} of {len(workload):,} jobs, which have no place on the "
                f"machine ({reason})"
            )
            workload = workload.select(~which)
    for policy, estimate in pairs:
        which, reason = never_under_cap(workload, cluster, policy, estimate)
        if which.all():
            raise JobTooLarge(
                f"workload '{workload.name}': none of its {len(workload):,} jobs can run under "
                f"'{policy.name}': {reason}. Raise the cap."
            )
        if which.any():
            lines.append(
                f"left out: {int(which.sum()):,} of {len(workload):,} jobs, which {policy.name} could never "
                f"run ({reason})"
            )
            workload = workload.select(~which)
    return workload, lines


def measured(
    labels: Sequence[str],
    runs: Sequence[Run],
    metrics: Sequence[Metric] | None,
    baseline: int = 0,
    *,
    only: Sequence[Mask] | None = None,
) -> Comparison:
    """Runs of the same jobs, measured by these, or by all that cost little. A metric that only some of them can
    have is NaN for the others. ``only``: the jobs of each run to measure.
    """

    def can(run: Run, one: Metric) -> bool:
        return one.applies(run.workload, run.cluster, run.schedule)

    some = {one.name for one in metrics or METRICS.values() if any(can(run, one) for run in runs)}
    if metrics is None:
        metrics = [one for one in METRICS.values() if one.name in some and not one.costly]
    entries = []
    masks: Sequence[Mask | None] = only or [None] * len(runs)
    for label, run, mask in zip(labels, runs, masks, strict=True):
        # What no run has is measured, too: that says what is missing.
        able = [one.name for one in metrics if can(run, one) or one.name not in some]
        values = summarize(run.workload, run.cluster, run.schedule, able, only=mask)
        values = {one.name: values.get(one.name, math.nan) for one in metrics}
        entries.append(Entry(label, values))
    left_out = 0 if only is None else max(int((~mask).sum()) for mask in only)
    withheld = any(run.cluster.sizing.doubt for run in runs)
    return Comparison(tuple(metrics), tuple(entries), baseline, left_out, withheld)


def jobs_to_measure(
    runs: Sequence[Run], *, drop_unaffected: bool = False, trim: Trim | None = None
) -> list[Mask] | None:
    """For each run the jobs to measure, None for all: without those that start at once under all runs and
    have no deadline, and without those that end first or last.
    """
    if not drop_unaffected and trim is None:
        return None
    common = np.ones(len(runs[0].workload), np.bool_)
    if drop_unaffected:
        common = affected(runs[0].workload, [run.schedule for run in runs])
    if trim is None:
        return [common] * len(runs)
    return [common & trim.kept(run.workload, run.schedule) for run in runs]


def trim_remark(trim: Trim, only: Sequence[Mask]) -> str:
    """What the reader of a table without these jobs has to know."""
    counts = sorted(int((~mask).sum()) for mask in only)
    number = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
    whose = "" if len(only) == 1 else " of each run"
    return f"left out{whose}: {trim.words}: {number} of {len(only[0]):,} jobs"
