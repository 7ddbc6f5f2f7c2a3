"""The availability profile of a whole log, in which reservations come and go anywhere.

A linked list of steps: ``free`` processors from ``time`` on until the next step's. Flat arrays, as the engine
has them, would be shifted as a whole at each change; here a change touches what it covers. A step is found by
time through ``entry``: for each piece of the time axis, the step at its beginning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.compiled import apart, inlined
from packwise.model.workload import Ints

# Facts about a line: its first moment, the length of a piece, and how many steps are unused.
ORIGIN, PIECE, SPARE = range(3)
NONE = -1
#: Later than anything.
FAR = 2**62


class Line(NamedTuple):
    """Steps by number; ``before`` and ``after`` are the neighbours, ``spare`` the numbers not in use."""

    time: Ints
    free: Ints
    before: Ints
    after: Ints
    entry: Ints
    spare: Ints
    facts: Ints


def new_line(jobs: int, origin: int, span: int) -> Line:
    """Room for the profile of so many jobs, submitted from ``origin`` on during ``span``."""
    steps = 2 * jobs + 3
    sizes = (steps,) * 4 + (2 * jobs + 1, steps, 3)
    line = Line(*(np.zeros(size, np.int64) for size in sizes))
    line.facts[ORIGIN] = origin
    line.facts[PIECE] = span // (2 * jobs) + 1
    return line


@inlined
def empty_line(line, procs):
    """Take all reservations away."""
    steps = line.time.size
    line.time[0] = line.facts[ORIGIN]
    line.free[0] = procs
    line.before[0] = NONE
    line.after[0] = NONE
    for k in range(line.entry.size):
        line.entry[k] = 0
    line.facts[SPARE] = steps - 1
    for i in range(steps - 1):
        line.spare[i] = steps - 1 - i


@inlined
def step_at(line, time):
    """The step that holds at a time."""
    piece = min((time - line.facts[ORIGIN]) // line.facts[PIECE], line.entry.size - 1)
    i = line.entry[piece]
    while line.after[i] != NONE and line.time[line.after[i]] <= time:
        i = line.after[i]
    return i


@inlined
def cut(line, i, time):
    """Let a step begin at a time within step ``i``. Returns it."""
    if line.time[i] == time:
        return i
    line.facts[SPARE] -= 1
    new = line.spare[line.facts[SPARE]]
    later = line.after[i]
    line.time[new] = time
    line.free[new] = line.free[i]
    line.before[new] = i
    line.after[new] = later
    line.after[i] = new
    if later != NONE:
        line.before[later] = new
    _enter(line, new, new)
    return new


@inlined
def join(line, i):
    """Drop step ``i`` if it is no step: as much is free before it."""
    earlier = line.before[i]
    if earlier == NONE or line.free[earlier] != line.free[i]:
        return
    _enter(line, i, earlier)
    later = line.after[i]
    line.after[earlier] = later
    if later != NONE:
        line.before[later] = earlier
    line.spare[line.facts[SPARE]] = i
    line.facts[SPARE] += 1


@apart
def _enter(line, i, through):
    """Let the pieces of time that begin in step ``i`` be entered through a step."""
    origin = line.facts[ORIGIN]
    length = line.facts[PIECE]
    piece = (line.time[i] - origin + length - 1) // length
    later = line.after[i]
    last = line.entry.size
    if later != NONE:
        last = min(last, (line.time[later] - origin + length - 1) // length)
    for k in range(piece, last):
        line.entry[k] = through


@inlined
def room(line, since, demand, duration):
    """The step and the time at which a job first fits, from ``since`` on."""
    return room_before(line, since, demand, duration, FAR)


@apart
def room_before(line, since, demand, duration, end_of_starts):
    """The same; NONE and that end, if it does not fit before."""
    i = step_at(line, since)
    while True:
        while line.free[i] < demand:
            i = line.after[i]
        begin = max(since, line.time[i])
        if begin >= end_of_starts:
            return NONE, end_of_starts
        end = begin + duration
        j = line.after[i]
        while j != NONE and line.time[j] < end and line.free[j] >= demand:
            j = line.after[j]
        if j == NONE or line.time[j] >= end:
            return i, begin
        i = line.after[j]


@apart
def change(line, i, begin, end, demand):
    """Reserve (or give back: a negative demand) from ``begin``, which is in step ``i``, until ``end``."""
    i = cut(line, i, begin)
    j = i
    while line.after[j] != NONE and line.time[line.after[j]] <= end:
        line.free[j] -= demand
        j = line.after[j]
    if line.time[j] < end:
        after = cut(line, j, end)
        line.free[j] -= demand
        j = after
    join(line, j)
    join(line, i)
