"""The account by day, by user and by partition."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np

from packwise.metrics.energy.account import EnergyAccount
from packwise.metrics.energy.movable import CO2, Movable, movable
from packwise.model.energy.rates import KWH
from packwise.model.workload import Floats, Ints

_PARTITION = "partition"


def by_day(account: EnergyAccount) -> list[dict[str, Any]]:
    """One row for each local day: kWh of work, idle cores and cooling, the cost, revenue and profit, kg of CO2,
    the peak in kW.
    """
    earned = account.earned
    starts = account.midnights[:-1]
    day = np.searchsorted(starts, account.edges[:-1], "right") - 1
    peaks = account.peaks * account.pue
    columns: dict[str, Floats | None] = {
        "energy_work": account.work / KWH,
        "energy_idle": account.idle / KWH,
        "energy_cooling": account.cooling / KWH,
        "energy_cost": account.cost,
        "revenue": earned,
        "profit": None if earned is None or account.cost is None else earned - account.cost,
        "CO2": account.co2,
    }
    rows: list[dict[str, Any]] = []
    bounds = np.searchsorted(day, np.arange(len(starts) + 1)).tolist()
    for place in np.unique(day).tolist():
        cells = slice(bounds[place], bounds[place + 1])
        when = datetime.fromtimestamp(int(starts[place]) + account.clock.offset, account.clock.zone)
        row: dict[str, Any] = {"day": when.date().isoformat()}
        row |= {
            name: float(each[cells].sum()) for name, each in columns.items() if each is not None
        }
        rows.append({**row, "peak_power": float(peaks[cells].max()) / 1000})
    return rows


def by_user(account: EnergyAccount) -> list[dict[str, Any]]:
    """One row for each user (-1: unknown), who pays most first."""
    return _named(account, _by(account, "user", account.outcome.user))


def by_partition(account: EnergyAccount) -> list[dict[str, Any]]:
    """One row for each partition (for each queue where the log tells no partitions)."""
    origin = account.outcome.origin
    assert origin is not None
    told = origin.workload.extra.get(_PARTITION)
    if told is None or (told < 0).all():
        return _named(account, _by(account, "queue", origin.workload.queue[origin.picked]))
    return _named(account, _by(account, _PARTITION, told[origin.picked]))


def _named(account: EnergyAccount, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with names for the numbers of their classes, where those are known."""
    origin = account.outcome.origin
    key = next(iter(rows[0])) if rows else ""
    if origin is None or key not in origin.workload.names:
        return rows
    return [{**row, key: origin.workload.name_of(key, row[key])} for row in rows]


def _saved_head(moved: Movable | None) -> str:
    return "could_save_CO2" if moved is not None and moved.unit == CO2 else "could_save"


def _by(account: EnergyAccount, key: str, member: Ints) -> list[dict[str, Any]]:
    """Sums over the jobs of each class; ``could_save``: what its jobs, each moved alone, could have saved."""
    classes, place = np.unique(member, return_inverse=True)
    moved = movable(account)
    columns: dict[str, Floats | None] = {
        "jobs": np.ones(len(member)),
        "core_hours": account.outcome.area / 3600,
        "energy": account.job_energy() / KWH,
        "energy_cost": account.job_cost(),
        "CO2": account.job_co2(),
        "revenue": account.revenue,
        _saved_head(moved): None if moved is None else moved.saving,
    }
    sums = {
        name: np.bincount(place, weights=each, minlength=len(classes))
        for name, each in columns.items()
        if each is not None
    }
    order = np.argsort(-sums.get("energy_cost", sums["energy"]), kind="stable")
    return [
        {key: int(classes[i]), **{name: float(each[i]) for name, each in sums.items()}}
        | {"jobs": int(sums["jobs"][i])}
        for i in order.tolist()
    ]
