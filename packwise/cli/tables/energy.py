"""Accounts of energy as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packwise.cli.terminal import stdout, table
from packwise.readable import duration, number

if TYPE_CHECKING:
    from packwise.metrics.energy.account import EnergyAccount

#: What a breakdown's columns are called in a table, with their units.
_HEADS = {
    "energy": "kWh",
    "energy_work": "work kWh",
    "energy_idle": "idle kWh",
    "energy_cooling": "cooling kWh",
    "energy_cost": "cost",
    "CO2": "CO2 kg",
    "revenue": "revenue",
    "peak_power": "peak kW",
    "core_hours": "core-hours",
    "could_save": "could save",
    "could_save_CO2": "could save kg CO2",
}
_MONEY = ("energy_cost", "revenue", "profit", "could_save")
_ROWS_SHOWN = 40


def energy_values(account: EnergyAccount) -> dict[str, float]:
    """The metrics of energy that the scenario tells enough for."""
    from packwise.metrics.energy.definitions import ENERGY_METRICS

    return {
        one.name: one.of(account.outcome)
        for one in ENERGY_METRICS
        if all(account.scenario.tells(part) for part in one.of_energy)
    }


def print_energy(account: EnergyAccount) -> None:
    """The metrics of energy."""
    from packwise.metrics.catalogue import metric

    rows = table("metric", "value", "unit", "better", "what it is", right=("value",))
    for name, value in energy_values(account).items():
        one = metric(name)
        unit = account.scenario.currency if name in _MONEY else one.unit
        rows.add_row(one.name, number(value), unit, one.better, one.title)
    stdout().print(rows)


def could_save_words(account: EnergyAccount) -> list[str]:
    """How much of the bill moving jobs could save at most."""
    from packwise.metrics.energy.movable import DAY, movable

    found = movable(account)
    if found is None:
        return []
    saving, gross = float(found.saving.sum()), float(abs(found.paid).sum())
    moved = found.delay > 0
    if not moved.any():
        return ["No job would have been cheaper within a day after its start."]
    share = f" ({100 * saving / gross:.1f} %)" if gross else ""
    wait = float(
        (found.delay * account.outcome.demand)[moved].sum() / account.outcome.demand[moved].sum()
    )
    return [
        f"Moved alone, each by up to {duration(DAY)}, {jobs_words(int(moved.sum()))} could have saved at most "
        f"{number(saving)} {found.unit}{share}, for {duration(wait)} of delay on average (by processors)."
    ]


def jobs_words(count: int) -> str:
    """So many jobs."""
    return "1 job" if count == 1 else f"{count:,} jobs"


def print_energy_rows(rows: list[dict[str, Any]], currency: str) -> None:
    """A breakdown: one row for each day, user or partition."""
    names = list(rows[0])
    heads = [_HEADS.get(name, name) for name in names]
    heads = [
        f"{head} {currency}" if name in _MONEY else head
        for name, head in zip(names, heads, strict=True)
    ]
    shown = table(*heads, right=tuple(heads[1:]), title=f"By {names[0]}")
    for row in rows[:_ROWS_SHOWN]:
        cells = [f"{row[name]:,}" if name == "jobs" else number(row[name]) for name in names[1:]]
        shown.add_row(str(row[names[0]]), *cells)
    console = stdout()
    console.print()
    console.print(shown)
    if len(rows) > _ROWS_SHOWN:
        console.print(f"{len(rows) - _ROWS_SHOWN} more: --json has all of them", style="dim")
