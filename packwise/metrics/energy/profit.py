"""Profit over time: what jobs pay less what energy costs, added up by local days."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.metrics.energy.account import EnergyAccount
from packwise.model.errors import InputError
from packwise.model.workload import Floats, Ints


class ProfitCurve(NamedTuple):
    """Profit until each midnight: ``times`` in the log's seconds, the first one 0, the last the end."""

    times: Ints
    profit: Floats


def profit_curve(account: EnergyAccount) -> ProfitCurve:
    """Profit by day, added up."""
    if account.earned is None or account.cost is None:
        raise InputError(
            f"energy scenario '{account.scenario.name}': profit needs a revenue and a price."
        )
    edges = account.edges
    sums = np.concatenate(([0.0], np.cumsum(account.earned - account.cost)))
    inside = (account.midnights > edges[0]) & (account.midnights < edges[-1])
    times = np.concatenate(([edges[0]], account.midnights[inside], [edges[-1]]))
    return ProfitCurve(times, sums[np.searchsorted(edges, times)])


def profit_at(curve: ProfitCurve, time: int) -> float:
    """Profit until the next midnight, or one at this time; all of it if there is none."""
    place = min(1 + int(np.searchsorted(curve.times[1:], time)), len(curve.times) - 1)
    return float(curve.profit[place])
