"""Compiling what a study needs before its workers start, so that they do not all compile the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from packwise.experiments.scenario import Generated, Scenario, TraceFile
from packwise.model.cluster import Cluster
from packwise.registry import estimate, policy
from packwise.warm_up.crew import ready
from packwise.warm_up.needs import READING, of_replay


def compile_for(scenarios: Iterable[Scenario]) -> None:
    """Compile the parts that these scenarios use. What a user's own file uses is not known: list scheduling,
    most likely.
    """
    ready([name for scenario in scenarios for name in _needs(scenario)])


def _needs(scenario: Scenario) -> Iterator[str]:
    source, machine, chosen = scenario.workload.source, scenario.machine, scenario.policy
    if isinstance(source, TraceFile) and not source.is_table:
        yield from READING
    cluster = machine.nodes or (source.nodes if isinstance(source, Generated) else None)
    found = policy(chosen.name if chosen.source is None else "easy")
    capped = getattr(found, "power_cap", None) is not None
    on = cluster or Cluster.pool(1)
    if machine.energy is not None:
        on = replace(on, energy=machine.energy.scenario)
    believed = None if scenario.estimate.source is not None else estimate(scenario.estimate.name)
    stepped = machine.charge is not None or chosen.source is not None
    yield from of_replay(found, believed, on, matter=cluster is not None or capped, stepped=stepped)
