"""What deciding has cost, where that is charged to waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.dispatch_time import DispatchTime
    from packwise.model.run import Run


def dispatch_remarks(run: Run, charge: DispatchTime | None, whose: str = "") -> list[str]:
    """One line: what was charged, and how much that was."""
    charged = run.rounds.charged
    if charge is None or charged is None or not len(charged):
        return []
    rest = " (not reproducible)" if charge.measured else ""
    return [
        f"{whose}dispatch time charged: {charge}{rest}; {charged.mean():,.2f} s a round on average, "
        f"{int(charged.max()):,} s at most"
    ]
