"""The rules of placement: on which of the nodes that have room the units of a job go."""

from __future__ import annotations

from packwise.model.errors import UnknownName

#: By name, in the order of ``packwise.engine.nodes.places``: what it does.
PLACEMENTS = {
    "first-fit": "the first node with room, in the order of their numbers",
    "best-fit": "where the fewest units of the job have room, so that large gaps stay",
    "consolidate": "the busiest node first, so that others stay empty",
    "balanced": "the least busy node, for one unit after the other",
    "scarce-last": "nodes on which something is free that the job does not need and few nodes have, such as "
    "GPUs, come last; else consolidate",
}
DEFAULT_PLACEMENT = "scarce-last"


def placement_code(name: str) -> int:
    """The number of a rule, for the engine."""
    names = tuple(PLACEMENTS)
    if name.lower() not in names:
        raise UnknownName("placement", name, names)
    return names.index(name.lower())


def placement_for(policy: object, given: str | None) -> str:
    """The rule that is given, or else the policy's own, or else the usual one."""
    return given or getattr(policy, "placement", None) or DEFAULT_PLACEMENT
