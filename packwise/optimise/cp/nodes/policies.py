"""The dispatchers by name."""

from __future__ import annotations

from packwise.optimise.cp.nodes.dispatcher import DispatchPolicy
from packwise.optimise.cp.nodes.methods import METHODS

_MEANINGS = {
    "pcp19": "constraint programming each round: total slowdown, an optional interval for each unit and node",
    "hcp19": "constraint programming each round: total slowdown as if all nodes were one; then best fit, and "
    "who has no place is postponed",
    "pcp21": "constraint programming each round: total slowdown, units as boxes of positions and time, as many "
    "variables whatever the number of nodes",
    "pcp21s": "pcp21 for requests that are alike: the first nodes with room, and back to the start of who has "
    "none",
}

DISPATCHERS: tuple[DispatchPolicy, ...] = tuple(
    DispatchPolicy(name, name, meaning, METHODS[name].effort) for name, meaning in _MEANINGS.items()
)
