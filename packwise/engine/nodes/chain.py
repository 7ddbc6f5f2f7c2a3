"""Chains of cells: what is free from the time of a cell until that of the next one; the last lasts for ever.

``chain`` is whatever has their arrays: ``time``, ``next``, ``free``, ``numbers``, and ``rare``, which is as
long as a row of what is free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from packwise.compiled import inlined
from packwise.engine.nodes.group import CELLS, SPARE


@inlined
def new_cell(chain):
    """A cell that nobody uses."""
    cell = chain.numbers[SPARE]
    if cell >= 0:
        chain.numbers[SPARE] = chain.next[cell]
        return cell
    cell = chain.numbers[CELLS]
    chain.numbers[CELLS] = cell + 1
    return cell


@inlined
def drop_cell(chain, cell):
    """Nobody uses this cell any longer."""
    chain.next[cell] = chain.numbers[SPARE]
    chain.numbers[SPARE] = cell


@inlined
def shortened(chain, cell, now):
    """Let the chain that begins with a cell begin now. Returns its first cell."""
    later = chain.next[cell]
    while later >= 0 and chain.time[later] <= now:
        drop_cell(chain, cell)
        cell = later
        later = chain.next[cell]
    chain.time[cell] = now
    return cell


@inlined
def cut(chain, cell, time):
    """Let a cell begin at ``time``, within ``cell``. Returns it."""
    made = new_cell(chain)
    chain.time[made] = time
    chain.next[made] = chain.next[cell]
    chain.next[cell] = made
    for r in range(chain.rare.size):
        chain.free[made, r] = chain.free[cell, r]
    return made


@inlined
def join(chain, cell):
    """Put a cell and the next one together, if the same is free in both."""
    later = chain.next[cell]
    if later < 0:
        return
    for r in range(chain.rare.size):
        if chain.free[later, r] != chain.free[cell, r]:
            return
    chain.next[cell] = chain.next[later]
    drop_cell(chain, later)


def make_take(subtract: Callable[..., None]) -> Any:
    """The function that takes something from a chain for some time: ``subtract`` takes it from one cell."""

    @inlined
    def take(chain, cell, kind, units, amount, start, end):
        """Take it from ``start`` until ``end``; ``cell`` is the first of the chain."""
        before = -1
        while chain.next[cell] >= 0 and chain.time[chain.next[cell]] <= start:
            before = cell
            cell = chain.next[cell]
        if chain.time[cell] < start:
            before = cell
            cell = cut(chain, cell, start)
        last = cell
        while chain.time[cell] < end:
            later = chain.next[cell]
            if later < 0 or chain.time[later] > end:
                later = cut(chain, cell, end)
            subtract(chain, cell, kind, units, amount)
            last = cell
            cell = later
        join(chain, last)
        if before >= 0:
            join(chain, before)

    return take
