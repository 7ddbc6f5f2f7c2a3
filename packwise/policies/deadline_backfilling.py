"""Deadline-based backfilling: deadline-driven jobs make room for regular ones while they can."""

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
class DeadlinePolicy(PromisingPolicy):
    """DBF: regular jobs are promised a start, deadline-driven ones an end by their deadline."""

    #: What of Packwise it needs compiled: see ``packwise.warm_up``.
    parts: ClassVar[tuple[str, ...]] = ("deadlines",)

    name: str = "dbf"
    meaning: str = (
        "deadline-based backfilling: like cbf, but jobs with a deadline make room for regular ones "
        "for as long as they can"
    )
    source: str = "N'Takpé and Suter, JSSPP 2017, algorithm 1"

    def replay(
        self,
        workload: Workload,
        expected: Expectation,
        cluster: Cluster,
        progress: Progress | None = None,
    ) -> Course:
        """The whole replay inside compiled code."""
        from packwise.engine.pool.deadline_backfilling import deadline_round
        from packwise.engine.pool.room import pool_room
        from packwise.engine.replay import Replay
        from packwise.engine.state import AT_ONCE, join_profiles, new_lists

        jobs = len(workload)
        lists = new_lists(jobs, 4 * jobs + 16)
        replay = Replay(workload, expected, cluster, deadline_round, pool_room, *lists)
        join_profiles(replay.state)
        replay.counters[AT_ONCE] = self.at_once
        return replay.run(progress, promises=True)

    def decide(self, view: View) -> Decision:
        """One round; the plan so far, and who is tentative in it, come with ``view.memory``."""
        from packwise.engine.pool.deadline_backfilling import deadline_round

        asked = Promising(view, self.at_once, kinds=True)
        return asked.decided(asked.ask(deadline_round))
