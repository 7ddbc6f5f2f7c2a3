"""A round in the terms of a solver: seconds from now, and bounds that lose no good plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import NO_DEADLINE, Ints
from packwise.optimise.round import Round


@dataclass(frozen=True, eq=False)
class Problem:
    """``earliest``: no job can start before, in seconds from now; ``due``: none must start after.
    ``last_change``: when all is free.
    """

    round: Round
    earliest: Ints
    due: Ints
    last_change: int

    @classmethod
    def of(cls, round: Round, ready: Ints | None = None, due: Ints | None = None) -> Problem:
        """The problem of a round; ``ready`` and ``due``: times before and after which jobs must not start."""
        times = round.times - round.now
        most_so_far = np.maximum.accumulate(round.free)
        if len(round) and int(round.demand.max()) > int(round.free[-1]):
            raise InputError(
                f"a job of the round needs {round.demand.max()} processors, and no more than "
                f"{round.free[-1]} will ever be free. Leave it out."
            )
        earliest = times[np.searchsorted(most_so_far, round.demand)]
        if ready is not None:
            if len(ready) != len(round) or (len(ready) and (ready < round.submit).any()):
                raise InputError(
                    "'ready' should be one time per waiting job, none before its submission."
                )
            earliest = np.maximum(earliest, ready - round.now)
        last = max(int(times[-1]), int(earliest.max(initial=0)))
        due = np.full(len(round), NO_DEADLINE) if due is None else due
        return cls(round, earliest.astype(np.int64), due - round.now, last)

    def horizon(self, wanted: int = 0) -> int:
        """A time by which every job has started in some best plan.

        From the last change on, no moment is idle before the last start: a job behind an idle moment
        could move to it. Where costs fall at first, that holds from ``wanted`` on, when all rise.
        """
        return max(self.last_change, wanted) + int(self.round.estimate.sum())

    def check(self, start: Ints) -> None:
        """Refuse a plan that no machine could follow."""
        self.round.check(start)
        if (start - self.round.now < self.earliest).any():
            raise InputError("a plan starts a job before it is ready.")
        if (start - self.round.now > self.due).any():
            raise InputError("a plan starts a job after it is due.")

    def one_by_one(self) -> Ints:
        """A poor plan that always exists: each job alone, once all have come."""
        before = np.cumsum(self.round.estimate) - self.round.estimate
        return self.round.now + self.last_change + before
