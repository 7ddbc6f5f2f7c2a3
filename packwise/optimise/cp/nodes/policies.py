"""The dispatchers by name."""

from __future__ import annotations

from packwise.optimise.cp.nodes.dispatcher import DispatchPolicy

_MEANINGS = {
    "pcp19": "constraint programming each round: total slowdown, an optional interval for each unit and node",
    "hcp19": "constraint programming each round: total slowdown as if all nodes were one; then best fit, and "
    "who has no place is postponed",
    "pcp21": "constraint programming each round: total slowdown, units as boxes of positions and time, as many "
    "variables whatever the number of nodes",
    "pcp21s": "pcp21 for requests that are alike: the lowest positions, and back to the start of who has none",
    "pcp-auto": "pcp21 or pcp21s, by what waits and by what past rounds have cost and brought",
}

DISPATCHERS: tuple[DispatchPolicy, ...] = tuple(
    DispatchPolicy(name=name, method=name, meaning=meaning) for name, meaning in _MEANINGS.items()
)
