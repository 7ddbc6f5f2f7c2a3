"""Calibration: quantiles that hold, learnt from what earlier forecasts were worth.

A model of a queue is wrong in ways of its own: it knows neither the site's rules nor who works with whom. So
the quantiles of the futures are stretched by what was missing in earlier forecasts: the median wait is
multiplied by a number such that half of those who were told like things had started by then, and the others
likewise. Where the waits of like jobs tell more than the futures do, they get a say. Only outcomes that are
known count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Floats

#: The quantiles that forecasts tell.
LEVELS = (0.1, 0.5, 0.9)
#: Waits are compared by their ratios; below this many seconds by their differences.
_SHORT = 600.0
#: What is learnt from, at least and at most: forecasts with known outcomes, the last ones.
_ENOUGH, _KEPT = 30, 300
#: Forecasts whose outcome is not known yet, at most; the oldest are given up.
_MOST_PENDING = 2000
#: How much a forecast of another wait counts: by e^-0.5 less at e times the wait. A little counts everywhere.
_NEAR, _EVERYWHERE = 1.0, 1e-3
#: The say of the futures; the rest is that of waits of like jobs.
_SAYS = np.linspace(0.0, 1.0, 6)


class Told(NamedTuple):
    """What was told of a job when it was asked for, in seconds from then: quantiles in the futures at LEVELS,
    the wait of like jobs; and ``outcome``, what happened, -1 while nobody knows.
    """

    job: int
    asked: int
    low: float
    middle: float
    high: float
    like: float
    outcome: float = -1.0


@dataclass(frozen=True)
class Calibration:
    """What is remembered of earlier forecasts: those with an outcome, and those that wait for one. A plain
    value: ``document`` is for JSON, ``from_document`` takes it back.
    """

    known: tuple[Told, ...] = ()
    pending: tuple[Told, ...] = ()

    def asked(self, told: Sequence[Told]) -> Calibration:
        """With forecasts that were made; of each job the first one counts."""
        here = {one.job for one in self.pending} | {one.job for one in self.known}
        new = tuple(one for one in told if one.job not in here)
        return replace(self, pending=(self.pending + new)[-_MOST_PENDING:])

    def settled(self, now: int, starts: Mapping[int, int]) -> Calibration:
        """With the outcomes that are known by ``now``: the starts by job, later ones and those of others do not
        count. A start before a forecast was asked for makes it void.
        """
        ready = [one for one in self.pending if 0 <= starts.get(one.job, -1) <= now]
        if not ready:
            return self
        done = {one.job for one in ready}
        kept = [
            one._replace(outcome=float(starts[one.job] - one.asked))
            for one in ready
            if starts[one.job] >= one.asked
        ]
        known = sorted((*self.known, *kept), key=lambda one: one.asked)
        return replace(
            self,
            known=tuple(known[-_KEPT:]),
            pending=tuple(one for one in self.pending if one.job not in done),
        )

    def quantiles(self, told: Sequence[Told]) -> Floats:
        """Waits from the moment of asking at LEVELS, a row for each forecast; those of the futures while too
        little is known.
        """
        raw = _waits(told)
        if len(self.known) < _ENOUGH or not len(told):
            return raw
        past = np.log(_waits(self.known) + _SHORT)
        like = np.log([one.like + _SHORT for one in self.known])
        outcome = np.log([one.outcome + _SHORT for one in self.known])
        say = self.say()
        mixed = say * past + (1 - say) * like[:, None]
        here = np.log([[one.like + _SHORT] for one in told])
        now = say * np.log(raw + _SHORT) + (1 - say) * here
        found = np.empty_like(raw)
        for k in range(len(told)):
            apart = (mixed[:, 1] - now[k, 1]) / _NEAR
            weight = _EVERYWHERE + np.exp(-0.5 * apart**2)
            for level, share in enumerate(LEVELS):
                missed = weighted_quantile(outcome - mixed[:, level], weight, share)
                found[k, level] = np.exp(now[k, level] + missed) - _SHORT
        return np.sort(np.maximum(found, 0.0), axis=1)

    def say(self) -> float:
        """The say of the futures, from 0 to 1: that with which earlier medians would have been nearest."""
        if len(self.known) < _ENOUGH:
            return 1.0
        middle = np.log([one.middle + _SHORT for one in self.known])
        like = np.log([one.like + _SHORT for one in self.known])
        outcome = np.log([one.outcome + _SHORT for one in self.known])
        errors = []
        for say in _SAYS.tolist():
            missed = outcome - (say * middle + (1 - say) * like)
            errors.append(float(np.abs(missed - np.median(missed)).mean()))
        # With equal errors the futures: they know of the queue as it is.
        return float(_SAYS[len(errors) - 1 - int(np.argmin(errors[::-1]))])

    def document(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "known": [list(one) for one in self.known],
            "pending": [list(one) for one in self.pending],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Calibration:
        """What ``document`` wrote."""
        try:
            known, pending = (
                tuple(
                    Told(int(row[0]), int(row[1]), *map(float, row[2:])) for row in document[name]
                )
                for name in ("known", "pending")
            )
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            raise InputError(
                "a calibration should have the lists 'known' and 'pending' of forecasts, each of "
                f"{len(Told._fields)} numbers ({type(error).__name__}: {error}). Begin with Calibration()."
            ) from error
        numbers = np.array([one[2:] for one in (*known, *pending)], np.float64)
        if not np.isfinite(numbers).all():
            raise InputError(
                "a calibration should have finite numbers only, found others. Begin with Calibration()."
            )
        if any(one.outcome < 0 for one in known):
            raise InputError(
                "a calibration should have an outcome of 0 s or more in each known forecast, found less. "
                "Begin with Calibration()."
            )
        return cls(known, pending)


def _waits(told: Sequence[Told]) -> Floats:
    return np.array([one[2:5] for one in told], np.float64).reshape(-1, len(LEVELS))


def weighted_quantile(values: Floats, weight: Floats, share: float) -> float:
    """The least value such that this share of all weight is on it and on those below."""
    order = np.argsort(values, kind="stable")
    until = np.cumsum(weight[order])
    place = int(np.searchsorted(until, share * until[-1] * (1 - 1e-12)))
    return float(values[order][min(place, len(values) - 1)])
