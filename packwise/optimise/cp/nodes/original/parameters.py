"""What ``pcp21(solver=cp, branches=200)`` may set, out of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from packwise.model.errors import InputError
from packwise.optimise.cp.nodes.original.effort import MOST_DOUBLED, Effort
from packwise.optimise.cp.parameters import whole

#: With ``solver=cp`` alone.
PARAMETERS = {
    "branches": "with solver=cp: of the search tree, at first (those of a second, by dispatcher); they are "
    "doubled as long as there is no plan",
    "most_branches": "with solver=cp: how far they are doubled (16 times as many)",
}
#: What either solver understands.
_SHARED = ("extensions", "jobs", "hint")
#: What a plan is held against: a search with this solver always begins from nothing.
HINTS = ("lists", "off")


def read_parameters(
    policy: str, given: Mapping[str, str], usual: Effort
) -> tuple[Effort, dict[str, Any]]:
    """The limits, and the fields of a policy that the parameters stand for."""
    if idle := sorted(set(given) - {*PARAMETERS, *_SHARED}):
        raise InputError(
            f"policy '{policy}': {' and '.join(idle)} would have no effect with solver=cp. Leave "
            f"{'it' if len(idle) == 1 else 'them'} out, or write solver=cp-sat."
        )
    effort: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for key, text in given.items():
        if key == "hint":
            fields[key] = _hint(policy, text)
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


def _hint(policy: str, text: str) -> str:
    if text.lower() not in HINTS:
        raise InputError(
            f"policy '{policy}': with solver=cp hint should be lists or off, found '{text}'. "
            "Write hint=lists."
        )
    return text.lower()
