"""The history: what is known, at a moment, of jobs that have ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from packwise.model.columns import frozen
from packwise.model.errors import InputError
from packwise.model.recorded import recorded_starts
from packwise.model.schedule import NEVER
from packwise.model.workload import Ints, Workload
from packwise.predict.groups import grouped

#: The end of a job of which no end is known: later than every moment.
NO_END = 2**62
_NOBODY = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """Jobs of the past, when each started and when it ended; NO_END where that is not known. Whoever asks says
    at what moment, and is told of what had happened by then: so one history serves a whole backtest without
    looking ahead.
    """

    jobs: Workload
    start: Ints
    end: Ints

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            times = np.asarray(getattr(self, name))
            if times.shape != (len(self.jobs),) or not np.issubdtype(times.dtype, np.integer):
                raise InputError(
                    f"a history should tell the {name} of each of its {len(self.jobs)} jobs in whole seconds, "
                    f"found {times.dtype} of shape {times.shape}."
                )
            object.__setattr__(self, name, frozen(times, np.int64))

    @classmethod
    def of(cls, workload: Workload, start: Ints | None = None) -> History:
        """From a log and its starts; without starts, those that the log has recorded."""
        start = recorded_starts(workload) if start is None else np.asarray(start, np.int64)
        if (start == NEVER).all():
            raise InputError(
                f"workload '{workload.name}' should tell when its jobs started, found no start. Pass the "
                "starts of a replay, simulate(...).schedule.start."
            )
        if start.shape != (len(workload),):
            raise InputError(
                f"expected a start for each of the {len(workload)} jobs of '{workload.name}', found shape "
                f"{start.shape}."
            )
        never = start == NEVER
        end = np.where(never, NO_END, start + workload.runtime)
        return cls(workload, np.where(never, NO_END, start), end)

    def known(self, now: int, first: int, last: int) -> Ints:
        """Places of the jobs submitted after ``first`` and until ``last`` that had ended by ``now``."""
        low, high = np.searchsorted(self.jobs.submit, [first, last], side="right")
        return np.arange(low, high)[self.end[low:high] <= now]

    def begin(self) -> int:
        """The first submission."""
        return int(self.jobs.submit[0])

    def alike(self, *columns: Ints, started: bool = False) -> Alike:
        """Its jobs by their values in the columns; with no columns, all are of one kind. They are known from
        their ends on, or once they have ``started``.
        """
        times = self.start if started else self.end
        if not columns:
            order = np.argsort(times, kind="stable")
            return Alike({(): (order, times[order])})
        kind, count = grouped(*columns)
        order = np.lexsort((times, kind))
        bounds = np.searchsorted(kind[order], np.arange(count + 1)).tolist()
        some = order[bounds[:-1]]
        keys = zip(*(column[some].tolist() for column in columns), strict=True)
        pieces = [order[low:high] for low, high in pairwise(bounds)]
        return Alike({key: (piece, times[piece]) for key, piece in zip(keys, pieces, strict=True)})


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """Places of jobs by kind, those of one kind in the order in which they became known, and when that was."""

    kinds: Mapping[tuple[int, ...], tuple[Ints, Ints]]

    def last(self, kind: tuple[int, ...], now: int, most: int) -> Ints:
        """Of the jobs of that kind that were known by ``now`` the last ones, ``most`` at most."""
        found = self.kinds.get(kind)
        if found is None:
            return _NOBODY
        places, known = found
        high = int(np.searchsorted(known, now, side="right"))
        return places[max(0, high - most) : high]
