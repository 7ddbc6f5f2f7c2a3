"""What a policy has noted of its rounds, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from packwise.model.run import RoundLog


def note_means(rounds: RoundLog) -> dict[str, float | None]:
    """The mean of each note over the rounds that have it; None where no round has a number."""
    means: dict[str, float | None] = {}
    for name, column in rounds.notes.items():
        known = column[np.isfinite(column)]
        means[name] = float(known.mean()) if len(known) else None
    return means


def round_remarks(rounds: RoundLog) -> Iterator[str]:
    """Lines on what an optimising policy did: how many rounds, how far from their bounds, what failed."""
    notes = rounds.notes
    if not notes:
        return
    planned = int(np.isfinite(next(iter(notes.values()))).sum())
    means = note_means(rounds)
    parts = [f"{planned:,} rounds had something to decide"]
    if means.get("evaluations") is not None:
        parts.append(f"{means['evaluations']:,.0f} orders evaluated in each")
    if means.get("solve_seconds") is not None:
        parts.append(f"{1000 * (means['solve_seconds'] or 0.0):,.0f} ms of the solver in each")
    if means.get("gap") is not None:
        parts.append(_saving(rounds, planned, means["gap"] or 0.0))
    yield "; ".join(parts)
    failed = int(np.nansum(notes["fallback"])) if "fallback" in notes else 0
    if failed:
        yield f"{failed:,} rounds without an answer of the solver in time: the plan it began with was kept"
    unsolved = int(np.nansum(notes["unsolved"])) if "unsolved" in notes else 0
    if unsolved:
        yield f"{unsolved:,} rounds without a plan: nobody started, and fewer jobs took part in the next"
    falling = int(np.nansum(notes["falling_cost"])) if "falling_cost" in notes else 0
    if falling:
        yield (
            f"In {falling:,} rounds a job's cost fell with a later start: no order was given up early "
            "there, which is slower, and no job is delayed to save cost"
        )


def _saving(rounds: RoundLog, planned: int, gap: float) -> str:
    """The mean gap in words: of which rounds, and of which of the waiting jobs."""
    known = np.isfinite(rounds.notes["gap"])
    where = "" if known.sum() == planned else f"in the {known.sum():,} rounds with a bound "
    jobs = rounds.notes.get("jobs")
    part = jobs is not None and bool((jobs[known] < rounds.queued[known]).any())
    whose = " of the jobs that the solver planned" if part else ""
    return f"{where}no plan{whose} could save more than {100 * gap:.1f} % on average"
