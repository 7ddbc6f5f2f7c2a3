"""DelaySearch: MultiSearch, and then its jobs held back, one after the other, for longer and longer.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', algorithm 3. What the paper leaves open: jobs
are taken in the order of the best plan of MultiSearch, a step is half an hour, and a job is held until the end
of the day (of a whole log: until its reach). One that is left for tomorrow is not held.
"""

from __future__ import annotations

import numpy as np

from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.multi import Found, begun
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.watch import Watch

STEP = 1800


def delay(floor: Pool, watch: Watch) -> Found:
    """The best plan until the budget is spent, or all jobs have been held."""
    best = begun(floor, watch)
    jobs = floor.problem.jobs
    since = jobs.release.copy()
    horizon = np.minimum(jobs.last + 1, floor.problem.day_end)
    fixed = np.zeros(len(since), np.int64)
    for job in best.order.tolist():
        if best.plan.start[job] == LATER:
            continue
        while watch.used < 1 and since[job] + STEP < horizon[job]:
            since[job] += STEP
            start = floor.insert(best.order, since, fixed, best.plan)
            watch.count_pass()
            best.offer(floor, start, watch)
        if watch.used >= 1:
            break
        since[job] = jobs.release[job]
        fixed[job] = 1
    return best
