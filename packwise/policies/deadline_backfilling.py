"""Deadline-based backfilling: deadline-driven jobs make room for regular ones while they can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from packwise.model.decision import Decision
from packwise.model.view import View
from packwise.model.workload import Workload
from packwise.policies.promises import NOTHING, PromisingPolicy, Remembered, decided

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.replay import Progress, Replayed


@dataclass(frozen=True)
class DeadlinePolicy(PromisingPolicy):
    """DBF: regular jobs are promised a start, deadline-driven ones an end by their deadline."""

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
        procs: int,
        progress: Progress | None = None,
    ) -> Replayed:
        """The whole replay inside compiled code."""
        from packwise.engine.replay import replay_deadline_backfilling

        return replay_deadline_backfilling(self.at_once, workload, expected, procs, progress)

    def decide(self, view: View) -> Decision:
        """One round; the plan so far, and who is tentative in it, come with ``view.memory``."""
        from packwise.engine.decide import decide_deadline_backfilling
        from packwise.engine.state import known_jobs

        memory: Remembered = view.memory or NOTHING
        early, overrun = memory.since(view)
        queue = view.queue.tolist()
        start, planned, kind, promised = decide_deadline_backfilling(
            self.at_once,
            known_jobs(view),
            view.queue,
            np.array([memory.start.get(job, -1) for job in queue], np.int64),
            np.array([memory.kind.get(job, 0) for job in queue], np.int64),
            early,
            overrun,
            view.running,
            view.expected_end,
            view.now,
            view.free,
        )
        return decided(view, start, planned, promised, kind)
