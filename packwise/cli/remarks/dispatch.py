"""What deciding has cost, where that is charged to waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.dispatch_time import DispatchTime
    from packwise.model.run import Run
    from packwise.model.workload import Ints


def charged_rounds(run: Run) -> Ints | None:
    """What was charged in the rounds in which somebody waited; None if nothing is."""
    charged = run.rounds.charged
    return None if charged is None else charged[run.rounds.queued > 0]


def dispatch_remarks(run: Run, charge: DispatchTime | None, whose: str = "") -> list[str]:
    """One line: what was charged, and how much that was."""
    charged = charged_rounds(run)
    if charge is None or charged is None or not len(charged):
        return []
    rest = " (not reproducible)" if charge.measured else ""
    return [
        f"{whose}dispatch time charged: {charge}{rest}; {charged.mean():,.2f} s a round on average, "
        f"{int(charged.max()):,} s at most"
    ]
