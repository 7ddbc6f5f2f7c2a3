"""Conservative backfilling: a promised start never moves later (N'Takpé and Suter, JSSPP 2017)."""

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
class ConservativePolicy(PromisingPolicy):
    """CBF: each job is promised a start at submission; early ends compress the plan."""

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
        procs: int,
        progress: Progress | None = None,
    ) -> Replayed:
        """The whole replay inside compiled code."""
        from packwise.engine.replay import replay_conservative

        return replay_conservative(self.at_once, workload, expected, procs, progress)

    def decide(self, view: View) -> Decision:
        """One round; the promises made so far come with ``view.memory``."""
        from packwise.engine.decide import decide_conservative
        from packwise.engine.state import known_jobs

        memory: Remembered = view.memory or NOTHING
        early, overrun = memory.since(view)
        before = np.array([memory.start.get(job, -1) for job in view.queue.tolist()], np.int64)
        start, planned = decide_conservative(
            self.at_once,
            known_jobs(view),
            view.queue,
            before,
            early,
            overrun,
            view.running,
            view.expected_end,
            view.now,
            view.free,
        )
        return decided(view, start, planned, np.where(before < 0, planned, -1))
