"""What a watt costs over time, as whole numbers: the rates that plans hold jobs back by.

A rate is the price (or the carbon) times the PUE at the temperature of that hour, on a full machine: how a
plan loads a segment is not known before it is made. Rates are known as far ahead as the scenario tells; after
that they are its mean.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from packwise.model.energy.scenario import Clock, EnergyScenario
from packwise.model.energy.series import Series, Signal
from packwise.model.errors import InputError
from packwise.model.view import Power
from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.delays import AHEAD as LOOK_AHEAD

#: A unit of a rate has so many parts. (Prices are told in hundredths.)
PARTS = 10_000
#: Days for which rates are made at once, and how far beyond them a plan may look.
BLOCK, AHEAD = 30 * 86400, 400 * 86400

WHAT = ("cost", "carbon")


class Rates(NamedTuple):
    """``sums`` is what a watt has come to at each of ``edges``, ``rates`` what a second adds from there on,
    ``low`` the lowest of these within some days, and ``mean`` that of the scenario: in parts.
    """

    edges: Ints
    sums: Ints
    rates: Ints
    low: Ints
    mean: float


def rates_at(power: Power, what: str, now: int) -> Rates:
    """The rates from a moment on, for a plan that is made then."""
    begin = now - now % BLOCK
    for since, _ in _reaches(power, what):  # of what is past nothing has to be known
        begin = min(max(begin, since), now)
    return _rates(power, what, begin, AHEAD + BLOCK)


def rates_between(power: Power, what: str, begin: int, end: int) -> Rates:
    """The rates of all plans that are made between two moments."""
    return _rates(power, what, begin, end - begin + AHEAD + BLOCK)


@lru_cache(maxsize=4)
def _rates(power: Power, what: str, begin: int, length: int) -> Rates:
    scenario, clock, rated = power
    signals = _signals(scenario, what)
    end = min([begin + length, *(until for _, until in _reaches(power, what))])
    mean = abs(signals[0].mean) * _pue(scenario, rated, np.array([_mean_temperature(scenario)]))[0]
    last = np.array([round(mean * PARTS)])  # after all that is known
    if end <= begin:
        return Rates(np.array([begin]), np.zeros(1, np.int64), last, last, mean * PARTS)
    parts = [_part(one, clock, begin, end) for one in signals]
    edges = np.unique(np.concatenate([one.bounds for one in parts]))
    warm = parts[1].at(edges[:-1]) if len(parts) > 1 else np.zeros(len(edges) - 1)
    rate = np.round(parts[0].at(edges[:-1]) * _pue(scenario, rated, warm) * PARTS).astype(np.int64)
    sums = np.concatenate(([0], np.cumsum(rate * np.diff(edges))))
    rates = np.append(rate, last)
    return Rates(edges, sums, rates, _lowest(edges, rates), mean * PARTS)


def _lowest(edges: Ints, rates: Ints) -> Ints:
    """The lowest rate from each edge until LOOK_AHEAD later, by minima over powers of two."""
    until = np.searchsorted(edges, edges + LOOK_AHEAD, "left")
    levels = [rates]
    while 2 ** len(levels) <= len(rates):
        half = levels[-1]
        levels.append(np.minimum(half[: -(2 ** (len(levels) - 1))], half[2 ** (len(levels) - 1) :]))
    first = np.arange(len(edges))
    size = np.maximum(until - first, 1)
    found = np.empty(len(edges), np.int64)
    for level, minima in enumerate(levels):
        here = (size >= 2**level) & (size < 2 ** (level + 1))
        found[here] = np.minimum(minima[first[here]], minima[(until - 2**level)[here].clip(min=0)])
    return found


def _part(signal: Signal, clock: Clock, begin: int, end: int) -> Series:
    return signal.over(begin + clock.offset, end + clock.offset, clock.zone).moved(-clock.offset)


def _reaches(power: Power, what: str) -> list[tuple[int, int]]:
    """From when until when series tell something that rates depend on."""
    offset = power.clock.offset
    told = [one.reach for one in _signals(power.scenario, what)]
    return [(one[0] - offset, one[1] - offset) for one in told if one is not None]


def _signals(scenario: EnergyScenario, what: str) -> list[Signal]:
    """What rates are made of: prices or carbon, and the temperature if that matters."""
    warm = scenario.climate if scenario.cooling is not None else None
    return [_signal(scenario, what), *([] if warm is None else [warm.signal])]


def _signal(scenario: EnergyScenario, what: str) -> Signal:
    found = scenario.price if what == "cost" else scenario.carbon
    if found is None:
        part, other = ("[price]", "carbon") if what == "cost" else ("[carbon]", "cost")
        raise InputError(
            f"energy scenario '{scenario.name}' has no {part}, which jobs are to be held back by. Add it, or "
            f"write energy_by={other} where it has that."
        )
    return found.signal


def _mean_temperature(scenario: EnergyScenario) -> float:
    return 0.0 if scenario.climate is None else scenario.climate.signal.mean


def _pue(scenario: EnergyScenario, rated: float, warm: Floats) -> Floats:
    """PUE at these temperatures, on a full machine."""
    cooling = scenario.cooling
    if cooling is None:
        return np.ones(len(warm))
    return cooling.at_full_load(warm, rated)
