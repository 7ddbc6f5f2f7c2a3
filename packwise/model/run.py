"""The run: a schedule and how it came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from packwise.model.allocation import Allocation
from packwise.model.cluster import Cluster
from packwise.model.display import html_of, pandas_frame, polars_frame
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload


@dataclass(frozen=True, slots=True, eq=False)
class RoundLog:
    """One entry per scheduling round. ``seconds`` (wall time of the policy) only for Python policies.

    ``charged``: seconds of the replay that each decision took, where dispatch time is charged. ``notes``: what
    the policy said about its rounds, by name; NaN where it said nothing.
    """

    time: Ints
    queued: Ints
    started: Ints
    seconds: Floats | None = None
    charged: Ints | None = None
    notes: Mapping[str, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, slots=True, eq=False)
class Interrupted:
    """Runs that were cut short because nodes went out: the job (its place in the run's workload), from when to
    when it ran, and where. Each of these jobs has run again, from its beginning, or never.
    """

    job: Ints
    start: Ints
    end: Ints
    allocation: Allocation

    def __len__(self) -> int:
        return len(self.job)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Run:
    """What ``simulate`` returns.

    ``workload`` holds the jobs that took part, in the order of ``schedule``; ``rejected`` the ids of
    jobs that were refused (by the caller's wish or by the policy) and never ran. ``corrections``: how
    often each job outlived what it was believed to take. ``interrupted``: runs that outages have cut short,
    on a machine of nodes.
    """

    workload: Workload
    cluster: Cluster
    policy: str
    estimate: str
    schedule: Schedule
    rejected: Ints
    rounds: RoundLog
    seconds: float
    compiled: bool
    corrections: Ints
    interrupted: Interrupted | None = None

    def to_polars(self) -> Any:
        """A row for each job that took part, for Polars: the workload's columns, then wait, start and end."""
        return polars_frame(self)

    def to_pandas(self) -> Any:
        """The same for pandas."""
        return pandas_frame(self)

    def __repr__(self) -> str:
        return (
            f"<Run of '{self.workload.name}' under {self.policy} (estimate {self.estimate}): "
            f"{int(self.schedule.ran.sum()):,} jobs on '{self.cluster.name}', {self.cluster.procs:,} "
            "processors>"
        )

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def booting(self) -> Ints | None:
        """For how many seconds each job held nodes that had to boot, before it started; None if none sleep."""
        return self.schedule.booting

    @property
    def first_estimate(self) -> Ints:
        """What each job was believed to take at its submission."""
        assert self.schedule.estimate is not None
        return self.schedule.estimate
