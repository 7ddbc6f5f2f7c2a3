"""Conservative backfilling: a promised start never moves later (N'Takpé and Suter, JSSPP 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from packwise.model.decision import Decision
from packwise.model.view import View
from packwise.model.workload import Workload

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.replay import Progress, Replayed


class Promises(NamedTuple):
    """What conservative backfilling remembers between rounds."""

    start: dict[int, int]
    expected_end: dict[int, int]


@dataclass(frozen=True)
class ConservativePolicy:
    """CBF: each job is promised a start at submission; early ends compress the plan."""

    name: str = "cbf"
    #: A promise rests on the estimate that it was made with.
    keeps_estimates: ClassVar[bool] = True
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

        return replay_conservative(workload, expected, procs, progress)

    def decide(self, view: View) -> Decision:
        """One round; the promises made so far come with ``view.memory``."""
        from packwise.engine.decide import decide_conservative
        from packwise.engine.state import known_jobs

        memory = view.memory or Promises({}, {})
        ends = dict(zip(view.running.tolist(), view.expected_end.tolist(), strict=True))
        early = any(job not in ends and end > view.now for job, end in memory.expected_end.items())
        # Outlived its estimate: it is expected later now, or has ended since then.
        overrun = any(
            ends[job] > end if job in ends else end < view.now
            for job, end in memory.expected_end.items()
        )
        queue = view.queue.tolist()
        start, planned = decide_conservative(
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
        waiting = dict(zip(view.queue[~start].tolist(), planned[~start].tolist(), strict=True))
        return Decision(
            start=view.queue[start],
            planned=waiting,
            wake_at=min(waiting.values(), default=None),
            memory=Promises(waiting, ends),
        )
