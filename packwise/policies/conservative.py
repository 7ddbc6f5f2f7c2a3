"""Conservative backfilling: a promised start never moves later (N'Takpé and Suter, JSSPP 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from packwise.model.cluster import Cluster
from packwise.model.decision import Decision
from packwise.model.view import View
from packwise.model.workload import Workload
from packwise.policies.promises import Promising, PromisingPolicy

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.replay import Course, Progress


@dataclass(frozen=True)
class ConservativePolicy(PromisingPolicy):
    """CBF: each job is promised a start at submission; early ends compress the plan."""

    #: What of Packwise it needs compiled: see ``packwise.warm_up``.
    parts: ClassVar[tuple[str, ...]] = ("loop", "promises")

    name: str = "cbf"
    meaning: str = (
        "conservative backfilling: a start is promised at submission and never moves later; "
        "early ends compress the plan"
    )
    source: str = "Feitelson and Weil, IPPS 1998; N'Takpé and Suter, JSSPP 2017, section 2"

    def replay(
        self,
        workload: Workload,
        expected: Expectation,
        cluster: Cluster,
        progress: Progress | None = None,
    ) -> Course:
        """The whole replay inside compiled code."""
        from packwise.engine.pool.conservative import conservative_round
        from packwise.engine.pool.room import pool_room
        from packwise.engine.replay import Replay
        from packwise.engine.state import AT_ONCE

        replay = Replay(workload, expected, cluster, conservative_round, pool_room)
        replay.counters[AT_ONCE] = self.at_once
        return replay.run(progress, promises=True)

    def decide(self, view: View) -> Decision:
        """One round; the promises made so far come with ``view.memory``."""
        from packwise.engine.pool.conservative import conservative_round

        asked = Promising(view, self.at_once)
        return asked.decided(asked.ask(conservative_round))
