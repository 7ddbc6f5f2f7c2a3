"""Which processors a job runs on: the lowest free ones, at each start of a schedule.

A schedule of a pool says how many processors a job uses, not which. Tools that draw Gantt charts
want to know; any assignment in which no processor serves two jobs at once will do, and taking the
lowest free numbers keeps the picture compact.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import Workload

Intervals = list[tuple[int, int]]


class FreeProcessors:
    """Processors 0 to procs - 1 that no job uses, as maximal intervals in ascending order."""

    def __init__(self, procs: int) -> None:
        self._low = [0]
        self._high = [procs - 1]

    def take(self, count: int) -> Intervals | None:
        """The ``count`` lowest free processors, or None if there are not that many."""
        taken: Intervals = []
        for k, (low, high) in enumerate(zip(self._low, self._high, strict=True)):
            size = high - low + 1
            if size > count:
                taken.append((low, low + count - 1))
                del self._low[:k], self._high[:k]
                self._low[0] = low + count
                return taken
            taken.append((low, high))
            count -= size
            if count == 0:
                del self._low[: k + 1], self._high[: k + 1]
                return taken
        return None

    def give_back(self, intervals: Intervals) -> None:
        """Return what ``take`` gave."""
        for low, high in intervals:
            k = bisect_left(self._low, low)
            joins_left = k > 0 and self._high[k - 1] == low - 1
            joins_right = k < len(self._low) and self._low[k] == high + 1
            if joins_left and joins_right:
                self._high[k - 1] = self._high[k]
                del self._low[k], self._high[k]
            elif joins_left:
                self._high[k - 1] = high
            elif joins_right:
                self._low[k] = low
            else:
                self._low.insert(k, low)
                self._high.insert(k, high)


def first_fit(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[Intervals]:
    """Processor intervals (first, last) of each job; none for a job that never ran.

    Raises InputError if the schedule uses more processors than there are.
    """
    held: list[Intervals] = [[] for _ in range(len(workload))]
    free = FreeProcessors(cluster.procs)
    ran = np.flatnonzero(schedule.ran)
    ending = ran[np.argsort(schedule.end[ran], kind="stable")].tolist()
    end, start, demand = schedule.end.tolist(), schedule.start.tolist(), workload.demand.tolist()
    next_end = 0
    for job in ran[np.argsort(schedule.start[ran], kind="stable")].tolist():
        while next_end < len(ending) and end[ending[next_end]] <= start[job]:
            free.give_back(held[ending[next_end]])
            next_end += 1
        taken = free.take(demand[job])
        if taken is None:
            raise InputError(
                f"job {workload.id[job]} needs {demand[job]} processors at {start[job]}, more than "
                f"are free of {cluster.procs}: the jobs cannot be given processors of their own. "
                "check_schedule() tells where the schedule is infeasible."
            )
        held[job] = taken
    return held


def interval_text(intervals: Intervals) -> str:
    """'0-3 7' from [(0, 3), (7, 7)]: the notation of Batsim and evalys."""
    return " ".join(str(low) if low == high else f"{low}-{high}" for low, high in intervals)
