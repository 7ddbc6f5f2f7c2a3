"""What a balanced search remembers of a log: how work is spread over sizes of jobs, and what it has waited.

The work of a job is its area r E. Sizes are kept as the work that came lately in jobs of about the same area.
From that follows which jobs are small on this machine, whatever its users run: those that are a small part of
all work together, even though they may be most of the jobs.
"""

from __future__ import annotations

import math

from packwise.compiled import compiled, inlined

HOUR = 3600.0

#: Classes of area for each doubling, and all of them, the last without an end.
PER_DOUBLING = 4.0
CLASSES = 256
#: After the classes: what started lately, as work times wait and as work.
WAITED, STARTED = CLASSES, CLASSES + 1
STANDING = CLASSES + 2

#: Sizes are remembered for once to twice as much work as the machine does in this time; waits for just as much.
SIZES_KEPT = 7 * 24 * HOUR
WAITS_KEPT = 3 * 24 * HOUR

#: No job is overdue that has waited for less.
SOON = 0.5 * HOUR

#: The part of all work that counts as small jobs, and the most that the smallest gain by it.
SMALL_SHARE = 0.03
LARGEST_GAIN = 1e4


@inlined
def class_of(area):
    """The class of sizes that an area belongs to."""
    return min(int(PER_DOUBLING * math.log2(area)), CLASSES - 1)


@inlined
def note_arrival(standing, procs, area):
    """A job has come."""
    standing[class_of(area)] += area
    total = 0.0
    for k in range(CLASSES):
        total += standing[k]
    if total > 2.0 * procs * SIZES_KEPT:
        for k in range(CLASSES):
            standing[k] *= 0.5


@inlined
def note_start(standing, procs, area, wait):
    """A job starts that has waited."""
    kept = max(procs * WAITS_KEPT - area, 0.0)
    if standing[STARTED] > kept:
        standing[WAITED] *= kept / standing[STARTED]
        standing[STARTED] = kept
    standing[WAITED] += area * wait
    standing[STARTED] += area


@inlined
def patience(standing, factor):
    """The wait after which a job is overdue: what work has waited lately, times a factor."""
    if standing[STARTED] > 0.0:
        return max(SOON, factor * standing[WAITED] / standing[STARTED])
    return SOON


@inlined
def add_up(standing, below):
    """Fill ``below`` with the part of all work that came in smaller jobs, and half of those of the class."""
    total = 0.0
    for k in range(CLASSES):
        below[k] = total + 0.5 * standing[k]
        total += standing[k]
    for k in range(CLASSES):
        below[k] /= max(total, 1.0)


@inlined
def gain(below, area):
    """How much more urgent a job is for being small: none from SMALL_SHARE on, and ever more below it."""
    part = max(below[class_of(area)], SMALL_SHARE / (1.0 + LARGEST_GAIN))
    return max(SMALL_SHARE / part - 1.0, 0.0)


@compiled
def note_all(standing, procs, arrived, started, waited):
    """The areas of jobs that have come, and the areas and waits of jobs that start."""
    for i in range(arrived.size):
        note_arrival(standing, procs, arrived[i])
    for i in range(started.size):
        note_start(standing, procs, started[i], waited[i])
