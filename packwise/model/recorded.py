"""What really happened to the jobs of a log, as far as it tells."""

from __future__ import annotations

import numpy as np

from packwise.model.allocation import Allocation, nodes_of
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Ints, Workload

#: In ``Workload.extra``: how long each job waited, and the nodes that it had, as text.
WAIT, NODES = "wait", "nodes"


def recorded_starts(workload: Workload) -> Ints:
    """When each job started; NEVER where that is not known."""
    wait = workload.extra.get(WAIT)
    if wait is None:
        return np.full(len(workload), NEVER, np.int64)
    return np.where(wait >= 0, workload.submit + wait, NEVER)


def recorded_schedule(workload: Workload) -> Schedule:
    """When each job ran, for its run time in the workload: the same jobs as in a replay, at other times."""
    start = recorded_starts(workload)
    end = np.where(start != NEVER, start + workload.runtime, NEVER)
    extra = workload.extra
    where = None
    if NODES in extra:
        where = Allocation.from_parts(nodes_of(str(text)) or {} for text in extra[NODES].tolist())
    return Schedule(
        start, end, extra.get("estimate"), extra.get("promised_start"), where, extra.get("booting")
    )
