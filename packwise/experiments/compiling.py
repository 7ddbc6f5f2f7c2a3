"""Compiling what a study needs before its workers start, so that they do not all compile the same."""

from __future__ import annotations

from collections.abc import Iterable

from packwise.experiments.scenario import Scenario, TraceFile, has_nodes
from packwise.registry import estimate, policy
from packwise.warm_up import make_all


def compile_for(scenarios: Iterable[Scenario]) -> None:
    """Compile the parts that these scenarios use. What a user's own file uses is not known: the event loop and
    list scheduling, most likely.
    """
    needed = {"loop"}
    for scenario in scenarios:
        if (
            isinstance(scenario.workload.source, TraceFile)
            and not scenario.workload.source.is_table
        ):
            needed.add("reader")
        chosen = scenario.policy
        if chosen.source is not None:
            needed.add("lists")
        else:
            found = policy(chosen.name)
            capped = getattr(found, "power_cap", None) is not None
            on_nodes = has_nodes(scenario.workload, scenario.machine) or capped
            needed.update(getattr(found, "node_parts" if on_nodes else "parts", ()))
        if scenario.estimate.source is None:
            needed.update(getattr(estimate(scenario.estimate.name), "parts", ()))
    for _ in make_all(needed):
        pass
