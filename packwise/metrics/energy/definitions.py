"""Metrics of energy: what is drawn, what that costs and emits, what jobs pay for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from packwise.metrics.definition import PROFIT_AND_COOLING, Metric
from packwise.metrics.energy.account import account_of
from packwise.metrics.outcome import Outcome, total
from packwise.model.cluster import Cluster
from packwise.model.energy.rates import KWH
from packwise.model.errors import InputError
from packwise.model.workload import Floats

REMEDY = 'Name a scenario: --energy market on the command line, energy = "market" in a study\'s [[machine]].'


def need_energy(wanted: Iterable[Metric], cluster: Cluster | int) -> None:
    """Refuse metrics that a cluster's energy scenario does not tell enough for."""
    energy = cluster.energy if isinstance(cluster, Cluster) else None
    for one in wanted:
        if one.of_energy and energy is None:
            raise InputError(
                f"{one.name}: expected a scenario of what power costs, found none. {REMEDY}"
            )
        for part in one.of_energy:
            if energy is not None and not energy.tells(part):
                raise InputError(
                    f"{one.name}: expected an energy scenario with a {part}, found none in '{energy.name}'. "
                    f"Add [{part}] to it, or leave this metric out."
                )


def _sum(values: Floats | None) -> float:
    assert values is not None, "need_energy() has seen to that"
    return total(values)


def work_energy(outcome: Outcome) -> float:
    """Σ over jobs of watts · run time, in kWh."""
    return _sum(account_of(outcome).work) / KWH


def idle_energy(outcome: Outcome) -> float:
    """What cores without a job draw, in kWh."""
    return _sum(account_of(outcome).idle) / KWH


def cooling_energy(outcome: Outcome) -> float:
    """(PUE - 1) · what the machine draws, in kWh."""
    return _sum(account_of(outcome).cooling) / KWH


def energy(outcome: Outcome) -> float:
    """Jobs, idle cores and cooling, in kWh."""
    return _sum(account_of(outcome).facility) / KWH


def energy_cost(outcome: Outcome) -> float:
    """∫ price · PUE · power dt."""
    return _sum(account_of(outcome).cost)


def revenue(outcome: Outcome) -> float:
    """What jobs pay for their core-hours."""
    return _sum(account_of(outcome).revenue)


def profit(outcome: Outcome) -> float:
    """Revenue less the cost of energy."""
    return revenue(outcome) - energy_cost(outcome)


def co2(outcome: Outcome) -> float:
    """∫ carbon · PUE · power dt, in kg."""
    return _sum(account_of(outcome).co2)


def peak_power(outcome: Outcome) -> float:
    """The most that is ever drawn, cooling included, in kW."""
    return account_of(outcome).peak / 1000


#: Those that the paper has, under whatever name; the others are ours.
_OF_THE_PAPER = ("energy_work", "energy_cooling", "energy_cost", "revenue", "profit", "PUE")
_OURS = "of Packwise: see How-to, Account for energy, What exactly is counted"
_MONEY = ("energy_cost", "revenue", "profit")


def _metric(
    name: str,
    title: str,
    formula: str,
    unit: str,
    meaning: str,
    of: Callable[[Outcome], float],
    needs: tuple[str, ...] = ("power",),
    better: Literal["lower", "higher"] = "lower",
) -> Metric:
    return Metric(
        name=name,
        title=title,
        formula=formula,
        unit=unit,
        better=better,
        paper=f"{PROFIT_AND_COOLING}, section 5" if name in _OF_THE_PAPER else _OURS,
        meaning=meaning,
        of=of,
        of_energy=needs,
        is_money=name in _MONEY,
        of_all_jobs=True,
    )


ENERGY_METRICS = (
    _metric(
        "energy_work",
        "Energy of jobs",
        "Σ w D",
        "kWh",
        "What the jobs draw, w watts each. The same under every policy that runs the same jobs to their ends.",
        work_energy,
    ),
    _metric(
        "energy_idle",
        "Energy of idle cores",
        "∫ idle power dt",
        "kWh",
        "What cores without a job draw from the first submission to the last end, asleep or awake. Longer "
        "schedules have more of it.",
        idle_energy,
    ),
    _metric(
        "energy_cooling",
        "Energy of cooling",
        "∫ (PUE - 1) power dt",
        "kWh",
        "What cooling adds to jobs and idle cores; less on cool nights.",
        cooling_energy,
    ),
    _metric(
        "energy",
        "Energy",
        "∫ PUE · power dt",
        "kWh",
        "Jobs, idle cores and cooling together: what the meter counts.",
        energy,
    ),
    _metric(
        "energy_cost",
        "Cost of energy",
        "∫ price · PUE · power dt",
        "",
        "The bill, in the currency of the scenario's prices. Each job pays the price of each of its seconds. "
        "A policy lowers it by running jobs when power is cheap; look at the waits beside it.",
        energy_cost,
        ("price",),
    ),
    _metric(
        "revenue",
        "Revenue",
        "Σ K r D",
        "",
        "What jobs pay for their core-hours. The same under every policy that runs the same jobs.",
        revenue,
        ("revenue",),
        "higher",
    ),
    _metric(
        "profit",
        "Profit",
        "Σ K r D - ∫ price · PUE · power dt",
        "",
        "Revenue less the cost of energy. Where all jobs run in the end, policies differ only by the cost.",
        profit,
        ("revenue", "price"),
        "higher",
    ),
    _metric(
        "PUE",
        "Power usage effectiveness",
        "∫ PUE · power dt / ∫ power dt",
        "",
        "All energy over that of the machine alone, over the whole time. 1 would be cooling for free.",
        lambda outcome: account_of(outcome).mean_pue,
    ),
    _metric(
        "CO2",
        "Carbon dioxide",
        "∫ carbon · PUE · power dt",
        "kg",
        "What the grid emitted for this energy, at the intensity of each hour.",
        co2,
        ("carbon",),
    ),
    _metric(
        "peak_power",
        "Peak power",
        "max PUE · power",
        "kW",
        "The most that is ever drawn, cooling included: what a connection to the grid has to carry. PUE is by "
        "the mean power of each segment.",
        peak_power,
    ),
    _metric(
        "over_cap",
        "Time above the power cap",
        "|{t : power > cap}|",
        "s",
        "How long the machine, without cooling, draws more than the scenario's cap allows.",
        lambda outcome: account_of(outcome).over_cap,
        ("cap",),
    ),
)
