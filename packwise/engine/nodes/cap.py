"""Power under a cap: a chain of cells tells what jobs may still draw, in its column of seats.

Running and planned jobs hold what they draw in it as they hold their nodes (``cells``). Where the cap is below
what already runs, less than nothing is left, and nobody starts who draws anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.compiled import apart, inlined
from packwise.engine.bisection import position
from packwise.engine.nodes.chain import make_take, shortened
from packwise.engine.nodes.group import CAP, CAPPED, CELLS, Cells
from packwise.engine.state import NO_TIME
from packwise.model.energy.cap import PowerLimit


@inlined
def power_of(nodes):
    """The arrays of the chain."""
    return Cells(nodes.time, nodes.next, nodes.free, nodes.rare, nodes.numbers)


@inlined
def subtract_power(chain, cell, kind, units, amount):
    chain.free[cell, chain.rare.size - 1] -= amount


take = make_take(subtract_power)


@inlined
def first_cell(chain, now):
    """Let the chain begin now. Returns its first cell."""
    chain.numbers[CAP] = shortened(chain, chain.numbers[CAP], now)
    return chain.numbers[CAP]


@apart
def draw(chain, amount, now, start, end):
    """Take so much of what jobs may still draw; give it back, if it is below zero."""
    if amount != 0:
        take(chain, first_cell(chain, now), 0, 0, amount, start, end)


@apart
def power_from(chain, amount, now, since, duration):
    """The first time from ``since`` on at which so much may be drawn for so long; NO_TIME if there is none."""
    cell = first_cell(chain, now)
    seats = chain.rare.size - 1
    start = since
    while cell >= 0 and chain.time[cell] < start + duration:
        later = chain.next[cell]
        here = later < 0 or chain.time[later] > start
        if here and chain.free[cell, seats] < amount and amount > 0:
            if later < 0:
                return NO_TIME
            start = chain.time[later]
        cell = later
    return start


@inlined
def has_power(nodes, job, now, start, duration):
    """Whether a job may draw what it does from ``start`` on for so long."""
    return power_from(power_of(nodes), nodes.draw[job], now, start, duration) == start


@inlined
def next_rise(nodes, now):
    """When the cap rises next, or NO_TIME."""
    k = position(nodes.rises, 0, nodes.rises.size, now + 1)
    return nodes.rises[k] if k < nodes.rises.size else NO_TIME


@inlined
def has_risen(nodes, now):
    """Whether the cap rises at this moment."""
    k = position(nodes.rises, 0, nodes.rises.size, now)
    return k < nodes.rises.size and nodes.rises[k] == now


def cells_for(limit: PowerLimit | None, jobs: int) -> int:
    """How many cells the power takes of which so many jobs hold some."""
    return 0 if limit is None else len(limit.times) + 2 * jobs + 4


def fill_cap(machine: Any, limit: PowerLimit) -> None:
    """Let nobody draw anything yet."""
    first, size = int(machine.numbers[CELLS]), len(limit.times)
    part = slice(first, first + size)
    machine.time[part] = limit.times
    machine.free[part, :-1] = 0
    machine.free[part, -1] = limit.budget
    machine.next[part] = np.append(np.arange(first + 1, first + size), -1)
    machine.rises[:] = limit.rises
    machine.numbers[[CELLS, CAPPED, CAP]] = first + size, 1, first
