"""Who could have been moved: what each job would have saved by starting later, alone.

An upper bound on what waiting can bring: nobody else moves, and the machine has room for everybody. The cost
of a job over its start is linear between the moments at which its start or its end meets a change of a rate,
so only these have to be looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.metrics.energy.account import Accrual, EnergyAccount
from packwise.model.energy.rates import KWH, MWH
from packwise.model.energy.series import Signal
from packwise.model.workload import Floats, Ints

DAY = 24 * 3600
#: The unit of savings where nothing is paid.
CO2 = "kg of CO2"
#: Part of the largest sum that rounding may have changed.
_ROUNDING = 1e-12


class Movable(NamedTuple):
    """What each job that ran ``paid``, what of that it could have saved, and by which delay.

    ``unit`` is a currency, or kg of CO2 where there are no prices, or one at all times.
    """

    paid: Floats
    saving: Floats
    delay: Ints
    unit: str


def movable(account: EnergyAccount, within: int = DAY) -> Movable | None:
    """The best delay of each job up to ``within`` seconds, as far as rates are known and to its deadline; the
    shortest of several.

    None where the scenario has neither prices nor carbon.
    """
    outcome, scenario = account.outcome, account.scenario
    longest = within + int(outcome.runtime.max())
    price, carbon = account.price, account.carbon
    if price is not None and (carbon is None or np.ptp(price * account.pue) > 0):
        assert scenario.price is not None
        until = _extended(account, price, scenario.price.signal, longest)
        joules, unit = MWH, scenario.currency
    elif carbon is not None:
        assert scenario.carbon is not None
        until = _extended(account, carbon, scenario.carbon.signal, longest)
        joules, unit = KWH * 1000, CO2
    else:
        return None
    latest = np.minimum(outcome.start + within, until.edges[-1] - outcome.runtime)
    if outcome.deadline is not None:
        latest = np.minimum(latest, outcome.deadline - outcome.runtime)
    latest = np.maximum(latest, outcome.start)
    now = _cost(until, outcome.start, outcome.runtime)
    start, best = outcome.start.copy(), now.copy()
    # Sums of a year are rounded: what is no more than that is no saving.
    least = _ROUNDING * float(np.abs(until.sums).max())
    for candidate in _candidates(until.edges, outcome.start, outcome.runtime, latest):
        cost = _cost(until, candidate, outcome.runtime)
        better = (cost < best - least) | ((cost <= best) & (candidate < start))
        best = np.where(better, cost, best)
        start = np.where(better, candidate, start)
    watts = account.watts / joules
    return Movable(watts * now, watts * (now - best), start - outcome.start, unit)


def _extended(account: EnergyAccount, rate: Floats, signal: Signal, seconds: int) -> Accrual:
    """What a watt comes to, also after the account's time as far as rates are known; the PUE stays."""
    known = account.until(rate)
    offset, end = account.clock.offset, int(known.edges[-1])
    last = end + seconds
    if signal.reach is not None:
        last = min(last, signal.reach[1] - offset)
    if last <= end:
        return known
    more = signal.over(end + offset, last + offset, account.clock.zone).moved(-offset)
    sums = known.sums[-1] + more.integral(more.bounds[1:]) * account.pue[-1]
    return Accrual(np.append(known.edges, more.bounds[1:]), np.append(known.sums, sums))


def _cost(until: Accrual, start: Ints, runtime: Ints) -> Floats:
    """What a watt costs that is drawn for so long from these starts on."""
    return until.at(start + runtime) - until.at(start)


def _candidates(edges: Ints, start: Ints, runtime: Ints, latest: Ints) -> list[Ints]:
    """Starts to look at: the latest one, and those at which a job's start or end is at an edge."""
    found = [latest]
    for ahead in (np.zeros_like(runtime), runtime):
        first = np.searchsorted(edges, start + ahead, "right")
        last = np.searchsorted(edges, latest + ahead, "right")
        for k in range(int((last - first).max())):
            place = np.minimum(first + k, len(edges) - 1)
            found.append(np.clip(edges[place] - ahead, start, latest))
    return found
