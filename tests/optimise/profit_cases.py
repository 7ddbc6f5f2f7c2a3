"""Small planning problems: hours of different price and temperature, a few jobs, a pool or nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from packwise import Cluster, Workload
from packwise.model.cluster import NodeGroup
from packwise.model.energy.cooling import Cooling
from packwise.model.energy.rates import Climate, Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Series
from packwise.optimise.profit.problem import Problem
from packwise.optimise.profit.rates import Span, Usage
from packwise.optimise.profit.setting import Setting

HOUR = 3600


def hourly(values: list[float], unit: str) -> Series:
    times = np.arange(len(values)) * HOUR
    return Series(times, np.array(values, float), len(values) * HOUR, unit)


def scenario(
    prices: list[float],
    degrees: list[float] | None = None,
    *,
    revenue: float | None = 0.05,
    idle: float = 0.0,
    round_to: float = 5.0,
) -> EnergyScenario:
    """Prices in EUR/MWh and degrees by hour from 0 on; with these, PUE rises with heat and falls with load."""
    cooling = climate = None
    if degrees is not None:
        climate = Climate(hourly(degrees, "°C"))
        cooling = Cooling(
            np.array([[1.2, 1.1, 1.05], [1.6, 1.4, 1.3]]),
            np.array([0.0, 40.0]),
            np.array([0.0, 30.0, 100.0]),
            round_to=round_to,
            outside="nearest",
        )
    return EnergyScenario(
        "made up",
        price=Tariff(hourly(prices, "EUR/MWh")),
        climate=climate,
        cooling=cooling,
        revenue=revenue,
        idle_watts=idle,
        zone="UTC",
    )


def pool(jobs: list[tuple[int, int, int]], procs: int, energy: EnergyScenario) -> Setting:
    """Jobs as (submit, demand, runtime)."""
    log = Workload.of([(submit, demand, run, run) for submit, demand, run in jobs])
    return Setting(log, replace(Cluster.pool(procs), energy=energy))


def nodes(
    jobs: list[tuple[int, int, int, int]], capacity: list[int], energy: EnergyScenario
) -> Setting:
    """Jobs as (submit, units, cores of a unit, runtime), on nodes with so many cores."""
    log = Workload.of([(submit, units * cores, run, run) for submit, units, cores, run in jobs])
    order = sorted(range(len(jobs)), key=lambda i: jobs[i][0])
    log = log.replace(
        units=np.array([jobs[i][1] for i in order]),
        per_unit={"cores": np.array([jobs[i][2] for i in order])},
    )
    groups = tuple(NodeGroup(f"n{i}", 1, {"cores": cores}) for i, cores in enumerate(capacity))
    return Setting(log, replace(Cluster("few", groups), energy=energy))


def day(setting: Setting, end: int, running: Usage | None = None, begin: int = 0) -> Problem:
    """All jobs of a setting that come before the end of a day, by their profit until then."""
    picked = np.flatnonzero(setting.log.submit < end)
    held = Usage.none() if running is None else running
    return Problem(setting, picked, Span(begin, end, True), held, np.zeros(len(picked)))
