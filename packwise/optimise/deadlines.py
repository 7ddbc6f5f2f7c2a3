"""How the optimising policies may treat deadlines."""

from __future__ import annotations

from packwise.model.errors import InputError

#: In the order of the kernels' numbers.
DEADLINES = ("ignore", "soft", "hard")


def deadline_mode(policy: str, text: str) -> str:
    """One of DEADLINES, out of text."""
    wanted = text.lower()
    if wanted not in DEADLINES:
        raise InputError(
            f"policy '{policy}': deadlines should be hard, soft or ignore, found '{text}'."
        )
    return wanted
