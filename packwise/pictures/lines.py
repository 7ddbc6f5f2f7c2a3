"""Who is who in a picture of several runs: labels, colours and dashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from packwise.model.run import Run
from packwise.pictures.canvas import INK

#: Okabe and Ito's colours, which all eyes can tell apart; the baseline is black.
COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#7A5195")
_DASHES: Final = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)))


def run_labels(runs: Sequence[Run]) -> list[str]:
    """Policies, with their estimates where those differ."""
    if len({run.estimate for run in runs}) == 1:
        return [run.policy for run in runs]
    return [f"{run.policy} / {run.estimate}" for run in runs]


def line_colours(count: int, baseline: int | None) -> list[str]:
    """Ink for the baseline; the others take the colours in turn."""
    others = iter(COLOURS * (count // len(COLOURS) + 1))
    return [INK if i == baseline else next(others) for i in range(count)]


def line_dashes(count: int) -> list[Any]:
    """Solid until the colours come again."""
    return [_DASHES[i // (len(COLOURS) + 1) % len(_DASHES)] for i in range(count)]
