"""What is compared where nobody says by what."""

from __future__ import annotations

from packwise.metrics.catalogue import metric
from packwise.metrics.definition import Metric
from packwise.model.cluster import Cluster
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.workload import UNKNOWN, Workload

USUAL = ("BSLD", "AF", "wait", "AWF", "P2SF", "max_wait", "utilization", "users_worse")
#: Of jobs with deadlines, what says most: do the others gain, and are deadlines kept?
DEADLINE_SHORT = ("wait_regular", "wait_deadline", "deadline_misses", "deadline_usage")
#: Of energy, what says most: the bill, what it emits, what the connection has to carry, what is left over.
ENERGY_SHORT = ("energy_cost", "CO2", "peak_power", "profit", "over_cap")


def energy_short(scenario: EnergyScenario) -> list[str]:
    """Of the metrics of energy, those to show that a scenario tells enough for."""
    return [name for name in ENERGY_SHORT if all(map(scenario.tells, metric(name).of_energy))]


def usual_metrics(workload: Workload, cluster: Cluster) -> list[Metric]:
    """The usual ones: about users, deadlines and energy only where there are any."""
    names = [
        name for name in USUAL if name != "users_worse" or not (workload.user == UNKNOWN).all()
    ]
    if workload.deadline is not None:
        names += DEADLINE_SHORT
    if cluster.energy is not None:
        names += energy_short(cluster.energy)
    return [metric(name) for name in names]
