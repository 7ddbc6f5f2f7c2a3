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
from packwise.model.workload import Floats, Ints

DAY = 24 * 3600
#: The unit of savings where nothing is paid.
CO2 = "kg of CO2"


class Movable(NamedTuple):
    """What each job that ran ``paid``, what of that it could have saved, and by which delay.

    ``unit`` is a currency, or kg of CO2 where there are no prices, or one at all times.
    """

    paid: Floats
    saving: Floats
    delay: Ints
    unit: str


def movable(account: EnergyAccount, within: int = DAY) -> Movable | None:
    """The best delay of each job up to ``within`` seconds, within the account's time and its deadline; the
    shortest of several.

    None where the scenario has neither prices nor carbon.
    """
    price, carbon = account.price, account.carbon
    if price is not None and (carbon is None or np.ptp(price * account.pue) > 0):
        until, joules, unit = account.until(price), MWH, account.scenario.currency
    elif carbon is not None:
        until, joules, unit = account.until(carbon), KWH * 1000, CO2
    else:
        return None
    outcome = account.outcome
    latest = np.minimum(outcome.start + within, outcome.last_end - outcome.runtime)
    if outcome.deadline is not None:
        latest = np.minimum(latest, outcome.deadline - outcome.runtime)
    latest = np.maximum(latest, outcome.start)
    start, best = outcome.start.copy(), _cost(until, outcome.start, outcome.runtime)
    now = best.copy()
    for candidate in _candidates(account.edges, outcome.start, outcome.runtime, latest):
        cost = _cost(until, candidate, outcome.runtime)
        better = (cost < best) | ((cost == best) & (candidate < start))
        best = np.where(better, cost, best)
        start = np.where(better, candidate, start)
    watts = account.watts / joules
    return Movable(watts * now, watts * (now - best), start - outcome.start, unit)


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
