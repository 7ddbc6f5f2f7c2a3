"""Have everything compiled before a clock runs."""

from __future__ import annotations

from dataclasses import replace

from packwise.model.cluster import Cluster, NodeGroup
from packwise.model.energy.rates import Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Constant
from packwise.model.workload import CORES, Workload
from packwise.optimise.offline.budget import Budget
from packwise.optimise.profit.bound import bound
from packwise.optimise.profit.floor import floor_of
from packwise.optimise.profit.ours import ours
from packwise.optimise.profit.problem import whole_log
from packwise.optimise.profit.setting import Setting
from packwise.optimise.profit.watch import Watch


def compile_profit(*, on_nodes: bool) -> None:
    """Plan two jobs, on a pool or on nodes."""
    log = Workload.of([(0, 2, 9, 9), (1, 2, 5, 5)])
    cluster = Cluster.pool(2)
    if on_nodes:
        log = log.replace(units=log.demand // 2, per_unit={CORES: log.demand})
        cluster = Cluster("two", (NodeGroup("node", 2, {CORES: 3}),))
    energy = EnergyScenario("any", price=Tariff(Constant(100.0, "EUR/MWh")))
    problem = whole_log(Setting(log, replace(cluster, energy=energy)), 0.3)
    found = ours(floor_of(problem), Watch(Budget(evaluations=30), len(problem)))
    bound(problem, found.plan.start, 0.0)
