"""What is out of all proportion to the rest of a log: one absurd cell must not size the machine, or stretch the
log over centuries, without a word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Ints, Workload

#: A job that asks for more than so many times what all the others ever used at once.
_TIMES = 1_000
#: No log pauses for so long.
_PAUSE = 10 * 365 * 86400
_YEAR = 365.25 * 86400

Mask = NDArray[np.bool_]


def most_at_once(start: Ints, end: Ints, demand: Ints) -> int:
    """The most processors in use at once; who ends makes room for who starts in the same second."""
    times = np.concatenate((end, start))
    change = np.concatenate((-demand, demand))
    order = np.argsort(times, kind="stable")
    return int(np.cumsum(change[order]).max(initial=0))


def absurdly_wide(start: Ints, end: Ints, demand: Ints) -> Mask:
    """Jobs, few among the rest, that each asked for far more than all others ever used at once: by their starts
    or, where those are not known, by the widest of them.
    """
    widths = np.unique(demand)
    for last in np.flatnonzero(widths[1:] > _TIMES * widths[:-1]).tolist():
        wide: Mask = demand > widths[last]
        rest = ~wide & (start >= 0)
        used = max(int(widths[last]), most_at_once(start[rest], end[rest], demand[rest]))
        if 2 * wide.sum() < len(demand) and widths[last + 1] > _TIMES * used:
            return wide
    return np.zeros(len(demand), np.bool_)


def proportion_remarks(workload: Workload, procs: int, sized: bool) -> list[str]:
    """What to look at before the numbers of a log are believed. ``sized``: the size of the machine is the log's
    own word.
    """
    remarks = []
    submit = np.unique(workload.submit)
    gaps = np.diff(submit)
    if (gaps > _PAUSE).any():
        last = int(np.argmax(gaps > _PAUSE))
        few = int((workload.submit > submit[last]).sum())
        side = "after" if 2 * few < len(workload) else "before"
        count = few if side == "after" else len(workload) - few
        remarks.append(
            f"a pause of {gaps[last] / _YEAR:,.0f} years between two submissions, with {count:,} of the jobs "
            f"{side} it: look at their times, or leave them out with --since or --until"
        )
    if sized:
        wait = workload.extra.get("wait", np.full(len(workload), -1, np.int64))
        start = np.where(wait >= 0, workload.submit + wait, -1)
        end, demand = start + workload.runtime, workload.demand
        rest = ~absurdly_wide(start, end, demand)
        ran = rest & (start >= 0)
        used = max(
            most_at_once(start[ran], end[ran], demand[ran]), int(demand[rest].max(initial=1))
        )
        if procs > _TIMES * used:
            remarks.append(
                f"a machine of {procs:,} processors is out of all proportion to what was used of it, "
                f"{used:,} at once: --procs says better"
            )
    return remarks
