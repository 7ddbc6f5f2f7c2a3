"""Compiled functions that the event loop calls by their address, given the address of the state.

So the loop is compiled once, whatever policy decides and whatever the machine is made of, and a new kernel
is compiled alone. A round is decided by the same code in a replay and when a live cluster asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from packwise.compiled import CallableFromC

# What a round kernel answers with, if not with the number of jobs picked
BAD_KEY, BAD_ESTIMATE, BAD_COST = -1, -2, -3


def kernel_of_state(function: Callable[[int], int]) -> Any:
    """A kernel, compiled when its ``address`` is first asked for.

    A *round kernel* takes those who have come into the queue, writes the queue positions of the jobs to start
    now into ``scratch.picked``, takes what they need from FREE, and returns how many there are, or what is
    wrong. A *room kernel* keeps what is known of the room on the machine up to date with a moment's events.
    """
    return CallableFromC(function, types.int64(types.int64))
