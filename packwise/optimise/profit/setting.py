"""What all plans of a log have in common: its jobs, the machine, what power costs, and whether nodes matter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.demands import Demands, demands, misfits, nodes_matter, only_large_enough
from packwise.model.energy.rates import MWH
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.errors import InputError
from packwise.model.workload import Floats, Workload


@dataclass(frozen=True, eq=False)
class Setting:
    """A log and the cluster that it is planned for, which knows what power costs."""

    log: Workload
    cluster: Cluster

    def __post_init__(self) -> None:
        if self.cluster.energy is None:
            raise InputError(
                "expected a cluster that knows what power costs, found one without. Name a scenario: "
                "--scenario summer-air, or replace(cluster, energy=find_energy('summer-air')) in Python."
            )
        if not len(self.log):
            raise InputError("expected a log with jobs, found none.")
        if self.cluster.outages:
            raise InputError(
                f"plans are made for a machine that is up all the time; '{self.cluster.name}' has outages. "
                "Leave them out."
            )
        without_room = misfits(self.log, self.cluster)
        if without_room.which.any():
            raise InputError(
                f"{without_room.reason}. Leave such jobs out, or plan for a larger machine."
            )

    @property
    def scenario(self) -> EnergyScenario:
        assert self.cluster.energy is not None
        return self.cluster.energy

    @cached_property
    def power(self) -> Floats:
        """What each job draws, in watts."""
        return self.scenario.jobs.of(self.log)

    @cached_property
    def watts(self) -> Floats:
        """What each job draws above what its cores would draw if idle."""
        found: Floats = self.power - self.scenario.idle_watts * self.log.demand
        return found

    @property
    def price(self) -> float:
        """What a joule costs on average."""
        tariff = self.scenario.price
        return 0.0 if tariff is None else tariff.signal.mean / MWH

    @cached_property
    def earns(self) -> Floats:
        """What each job earns in a second, its energy paid at a mean price."""
        revenue = (self.scenario.revenue or 0.0) / 3600
        found: Floats = self.log.demand * revenue - self.power * self.price
        return found

    @cached_property
    def wanted(self) -> Demands | None:
        """What jobs need of nodes; None where these do not matter."""
        if self.cluster.is_pool or not nodes_matter(self.log, self.cluster):
            return None
        return only_large_enough(demands(self.log, self.cluster), self.cluster)

    @cached_property
    def units(self) -> Floats:
        """Units of each job: one, where the log does not tell."""
        units = self.log.units
        return np.ones(len(self.log)) if units is None else units.astype(np.float64)
