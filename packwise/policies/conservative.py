"""Conservative backfilling: a promised start never moves later (N'Takpé and Suter, JSSPP 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from packwise.model.cluster import Cluster
from packwise.model.decision import Decision
from packwise.model.energy.cap import MEANING, PowerCap, parse_cap
from packwise.model.view import View
from packwise.model.workload import Workload
from packwise.policies.promises import Promising, PromisingPolicy

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.nodes.replay import OnNodes
    from packwise.engine.replay import Course, Progress


@dataclass(frozen=True)
class ConservativePolicy(PromisingPolicy):
    """CBF: each job is promised a start at submission; early ends compress the plan."""

    #: What of Packwise it needs compiled: see ``packwise.warm_up``.
    parts: ClassVar[tuple[str, ...]] = ("promises",)
    #: The same for a machine of nodes.
    node_parts: ClassVar[tuple[str, ...]] = ("node-promises",)

    name: str = "cbf"
    meaning: str = (
        "conservative backfilling: a start is promised at submission and never moves later; "
        "early ends compress the plan"
    )
    power_cap: PowerCap | None = None
    source: str = "Feitelson and Weil, IPPS 1998; N'Takpé and Suter, JSSPP 2017, section 2"

    parameters: ClassVar[Mapping[str, str]] = {
        **PromisingPolicy.parameters,
        "power_cap": MEANING,
    }

    def with_parameters(self, name: str, given: Mapping[str, str]) -> Self:
        """The policy that ``cbf(power_cap=on)`` names."""
        found = super().with_parameters(name, given)
        return replace(found, power_cap=parse_cap(name, given.get("power_cap")))

    def replay(
        self,
        workload: Workload,
        expected: Expectation,
        cluster: Cluster,
        progress: Progress | None = None,
        nodes: OnNodes | None = None,
    ) -> Course:
        """The whole replay inside compiled code."""
        from packwise.engine.replay import Replay
        from packwise.engine.state import AT_ONCE

        kernels = _kernels(nodes is not None)
        replay = Replay(workload, expected, cluster, *kernels, nodes=nodes)
        replay.counters[AT_ONCE] = self.at_once
        return replay.run(progress, promises=True)

    def decide(self, view: View) -> Decision:
        """One round; the promises made so far come with ``view.memory``."""
        asked = Promising(view, self.at_once)
        kernel, _ = _kernels(asked.on_nodes)
        return asked.decided(asked.ask(kernel))


def _kernels(on_nodes: bool) -> tuple[Any, Any]:
    """Those of a round and of the room."""
    if on_nodes:
        from packwise.engine.nodes.conservative import nodes_conservative_round
        from packwise.engine.nodes.room import nodes_room

        return nodes_conservative_round, nodes_room
    from packwise.engine.pool.conservative import conservative_round
    from packwise.engine.pool.room import pool_room

    return conservative_round, pool_room
