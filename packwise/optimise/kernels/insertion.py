"""Serial insertion: jobs in an order, each at the earliest time at which it fits."""

from __future__ import annotations

import numpy as np

from packwise.compiled import compiled
from packwise.engine.pool.profile import earliest, take
from packwise.engine.slots import borrow


@compiled
def insert_in_order(order, demand, estimate, times, free):
    """The start of each job when they are placed in this order into a profile (which is left alone).

    ``times`` and ``free`` are the steps of the profile; the last must have room for every job.
    """
    steps = times.size
    room = steps + 2 * order.size + 2
    own_times = np.empty(room, np.int64)
    own_free = np.empty(room, np.int64)
    start = np.empty(order.size, np.int64)
    wide_times = borrow(own_times)
    wide_free = borrow(own_free)
    for i in range(steps):
        wide_times[i] = times[i]
        wide_free[i] = free[i]
    for k in range(order.size):
        job = order[k]
        i, j = earliest(wide_times, wide_free, 0, steps, demand[job], estimate[job])
        start[job] = wide_times[i]
        end = start[job] + estimate[job]
        steps = take(wide_times, wide_free, steps, i, j, end, demand[job])
    return start
