"""What ``pcp21(branches=100, hint=lists)`` may set, out of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from packwise.model.errors import InputError
from packwise.optimise.cp.nodes.effort import MOST_DOUBLED, Effort
from packwise.optimise.cp.parameters import one_of, whole

PARAMETERS = {
    "branches": "of the search tree, at first (those of a second, by dispatcher); they are doubled as long as "
    "there is no plan, and with pcp19 and hcp19 as long as that helps",
    "most_branches": "how far they are doubled (16 times as many)",
    "extensions": "how many in a row may bring no better plan, once there is one (1; 0 with pcp21 and pcp21s)",
    "jobs": "how many jobs take part in a round, those with the highest priority (100)",
    "hint": "what is done where the search has no better plan: lists (the best of three list plans is "
    "followed), or off (nobody starts without a plan, the default)",
}
HINTS = ("lists", "off")


def read_parameters(
    policy: str, given: Mapping[str, str], usual: Effort
) -> tuple[Effort, dict[str, Any]]:
    """The limits, and the fields of a policy that the parameters stand for."""
    effort: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for key, text in given.items():
        if key == "hint":
            fields[key] = one_of(policy, key, text, HINTS)
        elif key == "jobs":
            fields[key] = whole(policy, key, text, least=1)
        elif key == "extensions":
            effort[key] = whole(policy, key, text, least=0)
        else:
            effort["branches" if key == "branches" else "longest"] = whole(
                policy, key, text, least=1
            )
    if "branches" in effort and "longest" not in effort:
        effort["longest"] = MOST_DOUBLED * effort["branches"]
    try:
        return replace(usual, **effort), fields
    except InputError as error:
        raise InputError(f"policy '{policy}': {error}") from None
