"""Conservative backfilling: a promised start never moves later (N'Takpé and Suter, JSSPP 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from packwise.model.decision import Decision
from packwise.model.view import View
from packwise.model.workload import Workload
from packwise.policies.promises import COMPRESS, Remembered, compression

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.replay import Progress, Replayed


@dataclass(frozen=True)
class ConservativePolicy:
    """CBF: each job is promised a start at submission; early ends compress the plan.

    With ``at_once`` they move only those jobs that can start then.
    """

    name: str = "cbf"
    at_once: bool = False
    #: A promise rests on the estimate that it was made with.
    keeps_estimates: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, str]] = COMPRESS
    meaning: str = (
        "conservative backfilling: a start is promised at submission and never moves later; "
        "early ends compress the plan"
    )
    source: str = "Feitelson and Weil, IPPS 1998; N'Takpé and Suter, JSSPP 2017, section 2"

    def with_parameters(self, name: str, given: Mapping[str, str]) -> ConservativePolicy:
        """The policy that ``cbf(compress=start)`` names."""
        named, at_once = compression(name, given)
        return replace(self, name=named, at_once=at_once)

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

        memory: Remembered = view.memory or Remembered({}, {})
        ends, early, overrun = memory.since(view)
        queue = view.queue.tolist()
        start, planned = decide_conservative(
            self.at_once,
            known_jobs(view),
            view.queue,
            np.array([memory.start.get(job, -1) for job in queue], np.int64),
            early,
            overrun,
            view.running,
            view.expected_end,
            view.now,
            view.free,
        )
        for job in view.queue[start].tolist():
            ends[job] = view.now + int(view.estimate[job])
        everyone = dict(zip(queue, planned.tolist(), strict=True))
        waiting = dict(zip(view.queue[~start].tolist(), planned[~start].tolist(), strict=True))
        return Decision(
            start=view.queue[start],
            planned=waiting,
            promised={job: at for job, at in everyone.items() if job not in memory.start},
            wake_at=min(waiting.values(), default=None),
            memory=Remembered(waiting, ends),
        )
