"""Whether values are as a claim says: flat, falling, within bounds, or largest at one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from packwise.experiments.claim import Between, Falls, Flat, Largest

#: Values that are equal to a bound but for rounding are within it.
_ROUNDING = 1e-9


class Held(StrEnum):
    """What becomes of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    EXPLAINED = "does not hold, explained"
    NOT_RUN = "not run"
    EMPTY = "nothing to judge"


class Checked(NamedTuple):
    """``measured`` is the number that decides; ``why`` says what it does not tell."""

    held: Held
    measured: float | None
    why: str = ""


def within(check: Between, value: float | None) -> Checked:
    """One value between the bounds."""
    if value is None:
        return Checked(Held.NOT_RUN, None)
    if np.isnan(value):
        return Checked(Held.EMPTY, None, "no value")
    slack = _ROUNDING * abs(value) if np.isfinite(value) else 0.0
    low = check.least is not None and value < check.least - slack
    high = check.most is not None and value > check.most + slack
    return Checked(Held.FAILS if low or high else Held.HOLDS, value)


def flat(check: Flat, values: Sequence[float | None]) -> Checked:
    """The largest distance from the mean, as a share of it."""
    known = _known(values)
    if isinstance(known, Checked):
        return known
    mean = sum(known) / len(known)
    if mean == 0:
        return Checked(
            Held.HOLDS if not any(known) else Held.FAILS, 0.0 if not any(known) else None
        )
    distance = max(abs(value - mean) for value in known) / abs(mean)
    return Checked(_held(distance <= check.share + _ROUNDING), distance)


def falls(check: Falls, at: Sequence[float], values: Sequence[float | None]) -> Checked:
    """R² of a straight line; ``at`` are the numbers of the sweep, ascending."""
    known = _known(values)
    if isinstance(known, Checked):
        return known
    for i in range(1, len(known)):
        if known[i] >= known[i - 1]:
            why = f"does not fall from {at[i - 1]:g} to {at[i]:g}"
            return Checked(Held.FAILS, _fit(at, known), why)
    fit = _fit(at, known)
    return Checked(_held(fit >= check.fit - _ROUNDING), fit)


def largest(check: Largest, values: Mapping[str, float | None]) -> Checked:
    """The largest value, and where it is; ``values`` by workload."""
    if any(value is None for value in values.values()):
        return Checked(Held.NOT_RUN, None)
    known = {name: v for name, v in values.items() if v is not None and not np.isnan(v)}
    if not known:
        return Checked(Held.EMPTY, None, "no value")
    top = max(known.values())
    places = [name for name, value in known.items() if value == top]
    return Checked(_held(set(places) <= set(check.workloads)), top, f"at {', '.join(places)}")


def _known(values: Sequence[float | None]) -> list[float] | Checked:
    if any(value is None for value in values):
        return Checked(Held.NOT_RUN, None)
    known = [value for value in values if value is not None]
    if any(np.isnan(value) for value in known):
        return Checked(Held.EMPTY, None, "no value")
    if not all(np.isfinite(value) for value in known):
        return Checked(Held.FAILS, None, "a value is infinite")
    return known


def _fit(at: Sequence[float], values: Sequence[float]) -> float:
    """R² of the least-squares line; 0 for values that do not differ."""
    x, y = np.asarray(at, np.float64), np.asarray(values, np.float64)
    x, y = x - x.mean(), y - y.mean()
    spread = float((x * x).sum() * (y * y).sum())
    return float((x * y).sum()) ** 2 / spread if spread > 0 else 0.0


def _held(right: bool) -> Held:
    return Held.HOLDS if right else Held.FAILS
