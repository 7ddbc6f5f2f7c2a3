"""The fluid machine in exact arithmetic, job by job and moment by moment."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from packwise.optimise.round import Round


def pour(order: list[int], round: Round) -> dict[int, list[tuple[Fraction, Fraction, Fraction]]]:
    """Pieces (begin, end, processors) of each job when the first in the order that may run always does.

    A job may run from the first step on in which it could start at all.
    """
    left = {job: Fraction(int(round.demand[job] * round.estimate[job])) for job in order}
    pieces: dict[int, list[tuple[Fraction, Fraction, Fraction]]] = {job: [] for job in order}
    for step, free in enumerate(round.free.tolist()):
        now = Fraction(int(round.times[step]))
        end = Fraction(int(round.times[step + 1])) if step + 1 < len(round.times) else None
        while free and (end is None or now < end):
            able = [
                job
                for job in order
                if left[job] and max(round.free[: step + 1]) >= round.demand[job]
            ]
            if not able:
                break
            job = able[0]
            until = now + left[job] / free
            if end is not None:
                until = min(until, end)
            pieces[job].append((now, until, Fraction(free)))
            left[job] -= (until - now) * free
            now = until
    assert not any(left.values())
    return pieces


def weighted(weights: list[Fraction], round: Round) -> Fraction:
    """The least sum of weight x completion on the fluid machine."""
    area = [int(r) * int(e) for r, e in zip(round.demand, round.estimate, strict=True)]
    order = sorted(range(len(round)), key=lambda job: (-weights[job] / area[job], job))
    total = Fraction(0)
    for job, pieces in pour(order, round).items():
        moment = sum((free * (b * b - a * a) / 2 for a, b, free in pieces), Fraction(0))
        total += weights[job] * (moment / area[job] + Fraction(int(round.estimate[job]), 2))
    return total


def aged(round: Round, antiderivative: Callable[[Fraction], Fraction]) -> Fraction:
    """What all computation pays for its age when the job submitted first always runs."""
    submit = [int(s) for s in round.submit]
    order = sorted(range(len(round)), key=lambda job: (submit[job], job))
    return sum(
        (
            free * (antiderivative(b - submit[job]) - antiderivative(a - submit[job]))
            for job, pieces in pour(order, round).items()
            for a, b, free in pieces
        ),
        Fraction(0),
    )
