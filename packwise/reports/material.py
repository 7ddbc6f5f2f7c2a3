"""What a report is made of: read from a store, drawn by the other modules here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.leaders import Sample
from packwise.metrics.trimming import Trim
from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.model.sizing import TOLD, Sizing
from packwise.model.workload import Workload
from packwise.workloads.origin import Origin


class Replayed(NamedTuple):
    """One stored schedule and what it is a schedule of."""

    workload: Workload
    cluster: Cluster
    schedule: Schedule


@dataclass(frozen=True)
class ReportRun:
    """One policy in a case. ``load`` reads its schedule: keep it no longer than needed.

    With replicas, ``load`` gives the first one; ``cells`` (by metric) are over all of them. ``others``
    read the other replicas that all runs of the case have, in the same order everywhere. ``whole`` has cells
    over all jobs where those of ``cells`` leave some out. ``samples`` and ``whole_samples`` have what these
    are means of: a value for each replica of the case, in the same order everywhere, NaN where there is none.
    ``parts`` has such values for single runs, from the parts of their log (``packwise.metrics.parts``).
    ``trim``: which of the jobs that end first or last are left out of all of these but ``whole``.
    """

    label: str
    policy: str
    cells: Mapping[str, Cell]
    load: Callable[[], Replayed]
    others: tuple[Callable[[], Replayed], ...] = ()
    whole: Mapping[str, Cell] | None = None
    samples: Mapping[str, Sample] = field(default_factory=dict)
    whole_samples: Mapping[str, Sample] = field(default_factory=dict)
    parts: Mapping[str, Sample] = field(default_factory=dict)
    trim: Trim | None = None

    @property
    def is_history(self) -> bool:
        """Whether this is what really happened, and no replay."""
        return self.policy == "recorded"

    def sample(self, metric: str) -> Sample:
        """What tells differences from noise: replicas, or parts of the log; empty if there is neither."""
        return self.samples.get(metric) or self.parts.get(metric, ())

    def over_all_jobs(self, metric: str) -> Cell | None:
        """The cell of a metric over all jobs that ran."""
        return (self.cells if self.whole is None else self.whole).get(metric)

    def sample_over_all_jobs(self, metric: str) -> Sample:
        """What that is the mean of; empty where there is one replica."""
        return (self.samples if self.whole is None else self.whole_samples).get(metric, ())


@dataclass(frozen=True)
class DeadlineShare:
    """Where a case stands in a sweep over the share of jobs with a deadline.

    ``of`` is what the workload is called without its share. ``of_all`` tells whether ``percent`` is of
    all jobs, and not of those of a queue or a user.
    """

    of: str
    percent: float
    of_all: bool = True


@dataclass(frozen=True)
class Case:
    """Runs that can be compared job by job: one workload, one machine, one estimate.

    ``baseline`` is the position of the run that the others are compared with. ``remarks`` say what
    cleaning and windows did to the log. ``compared`` is what differs between the runs: policy,
    estimate or machine. ``share`` is there if the study turns the share of jobs with a deadline. ``counts``:
    what became of the log's records, reason by reason; ``origin``: what it says of its site and its computer.
    ``partial``: some jobs ran under some policies only; figures, and metrics of single runs, are about the
    others. ``untested``: there are neither replicas nor enough parts of the log to tell what may be chance.
    ``sizing``: how the size of the machine is known, and whether anything may be called a gain on it.
    """

    workload: str
    machine: str
    estimate: str
    jobs: int
    procs: int
    runs: tuple[ReportRun, ...]
    baseline: int
    replicas: int
    remarks: tuple[str, ...] = ()
    compared: str = "policy"
    share: DeadlineShare | None = None
    counts: tuple[tuple[str, int], ...] = ()
    origin: Origin = field(default_factory=Origin)
    partial: bool = False
    untested: bool = False
    sizing: Sizing = TOLD

    @property
    def title(self) -> str:
        return " / ".join(part for part in (self.workload, self.machine, self.estimate) if part)

    @property
    def withheld(self) -> bool:
        """Whether the machine is in doubt, so that nothing is called better or worse."""
        return bool(self.sizing.doubt)

    @property
    def guess(self) -> str:
        """What captions say of a machine that was guessed; else nothing."""
        told = f"On {self.procs:,} processors, {self.sizing.guess}."
        return told if self.sizing.guess else ""

    @property
    def in_parts(self) -> bool:
        """Whether parts of the log tell what may be chance, for want of replicas."""
        return any(run.parts for run in self.runs)

    def may_lead(self, metric: str) -> bool:
        """Whether somebody may be called the best by a metric: not without a test for chance where others
        have one, or where there could be none.
        """
        return not (self.untested or self.withheld) and (
            bool(self.scale(metric)) or not self.in_parts
        )

    def scale(self, metric: str) -> Sample:
        """What differences by a metric are measured with, one number for each value of a sample."""
        base = self.runs[self.baseline]
        if metric in base.samples or metric not in base.cells:
            return base.samples.get(metric, ())
        return (base.cells[metric].value,) * len(base.sample(metric))


@dataclass(frozen=True)
class Sweep:
    """A metric as a number is turned: the distortion of estimates, the depth of reservations, ...

    ``lines`` has, for each label (a policy), values by metric name along ``points``; NaN where a
    scenario is missing.
    """

    title: str
    parameter: str
    points: tuple[float, ...]
    lines: Mapping[str, Mapping[str, tuple[float, ...]]]


@dataclass(frozen=True)
class Material:
    """Everything a report shows. ``provenance`` is a list of (name, value) for the last section. ``site``:
    whose machine it is; what the log says, if nothing is given.
    """

    title: str
    description: str
    metrics: tuple[str, ...]
    cases: tuple[Case, ...]
    sweeps: tuple[Sweep, ...]
    confidence: float
    provenance: tuple[tuple[str, str], ...]
    #: What the policies and estimates of the report are: (label, explanation) pairs.
    glossary: tuple[tuple[str, str], ...] = ()
    #: Scenarios without a result, with the reason: a report of an unfinished study says so.
    missing: tuple[tuple[str, str], ...] = ()
    site: str = ""
