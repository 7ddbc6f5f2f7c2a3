"""The schedule: when each job ran. Metrics and checks use this alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packwise.model.allocation import Allocation
from packwise.model.columns import frozen
from packwise.model.display import pandas_frame, polars_frame
from packwise.model.errors import InputError
from packwise.model.workload import Ints, Workload

NEVER = -1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Schedule:
    """``start`` and ``end`` of each job of a workload, in its order; -1 for a job that never ran.

    ``estimate``, where it is known: what the scheduler believed of each job's run time at its submission.
    ``promised``, where the policy makes promises: the latest start that a job was promised at its
    submission; -1 for a job without one.
    ``allocation``, on a machine of nodes: which nodes a job ran on.
    ``booting``, where nodes sleep: for how many seconds a job held what it has, before it started, because some
    of that had to boot.
    """

    start: Ints
    end: Ints
    estimate: Ints | None = None
    promised: Ints | None = None
    allocation: Allocation | None = None
    booting: Ints | None = None

    def __post_init__(self) -> None:
        for name in ("start", "end", "estimate", "promised", "booting"):
            if getattr(self, name) is None:
                continue
            object.__setattr__(self, name, frozen(np.asarray(getattr(self, name)), np.int64))
        if self.start.shape != self.end.shape or self.start.ndim != 1:
            raise InputError(
                f"a schedule should have one start and one end per job, found {self.start.shape} "
                f"starts and {self.end.shape} ends."
            )
        columns = {
            "estimate": self.estimate,
            "promised start": self.promised,
            "boot time": self.booting,
        }
        for name, given in columns.items():
            if given is not None and given.shape != self.start.shape:
                raise InputError(
                    f"a schedule should have one {name} per job or none, found {given.shape} for "
                    f"{self.start.shape} starts."
                )
        if self.allocation is not None and len(self.allocation) != len(self.start):
            raise InputError(
                f"a schedule should have the nodes of each of its {len(self.start)} jobs or of none, found "
                f"those of {len(self.allocation)}."
            )
        if self.estimate is not None and (self.estimate < 1).any():
            i = int(np.argmax(self.estimate < 1))
            raise InputError(
                f"estimates should be at least 1 s, found {self.estimate[i]} s for job {i + 1} of the "
                "schedule."
            )
        if self.booting is not None and (self.booting < 0).any():
            i = int(np.argmax(self.booting < 0))
            raise InputError(
                f"boot times should be 0 s or more, found {self.booting[i]} s for job {i + 1} of the schedule."
            )

    def __len__(self) -> int:
        return len(self.start)

    def to_polars(self) -> Any:
        """A row for each job, in the order of its workload, for Polars; a job that never ran has no start."""
        return polars_frame(self)

    def to_pandas(self) -> Any:
        """The same for pandas."""
        return pandas_frame(self)

    def __repr__(self) -> str:
        nodes = "" if self.allocation is None else ", on nodes"
        return f"<Schedule: {int(self.ran.sum()):,} of {len(self):,} jobs ran{nodes}>"

    @property
    def ran(self) -> NDArray[np.bool_]:
        """Which jobs ran (the others were rejected)."""
        ran: NDArray[np.bool_] = self.start != NEVER
        return ran

    @property
    def held_from(self) -> Ints:
        """Since when each job held what it has: its start, or before that while some of it booted."""
        if self.booting is None:
            return self.start
        return np.where(self.ran, self.start - self.booting, NEVER)

    def select(self, picked: NDArray[Any]) -> Schedule:
        """The schedule of the jobs picked by a boolean mask or by positions."""
        return Schedule(
            self.start[picked],
            self.end[picked],
            None if self.estimate is None else self.estimate[picked],
            None if self.promised is None else self.promised[picked],
            None if self.allocation is None else self.allocation.select(picked),
            None if self.booting is None else self.booting[picked],
        )

    def wait(self, workload: Workload) -> Ints:
        """Seconds between submission and start; -1 for a job that never ran."""
        return np.where(self.ran, self.start - workload.submit, NEVER)

    @classmethod
    def from_wait(cls, workload: Workload, wait: Ints) -> Schedule:
        """The schedule in which each job waits as given and then runs its run time."""
        start = workload.submit + wait
        return cls(start, start + workload.runtime)
