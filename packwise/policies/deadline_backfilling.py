"""Deadline-based backfilling: deadline-driven jobs make room for regular ones while they can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from packwise.model.decision import Decision
from packwise.model.view import View
from packwise.model.workload import Workload
from packwise.policies.promises import COMPRESS, Remembered, compression

if TYPE_CHECKING:
    from packwise.engine.expectation import Expectation
    from packwise.engine.replay import Progress, Replayed


class Lists(NamedTuple):
    """Between rounds: the plan, and who is definitive or tentative in it."""

    plan: Remembered
    kind: dict[int, int]


@dataclass(frozen=True)
class DeadlinePolicy:
    """DBF: regular jobs are promised a start, deadline-driven ones an end by their deadline.

    With ``at_once`` an early end moves only those jobs that can start then.
    """

    name: str = "dbf"
    at_once: bool = False
    #: A promise rests on the estimate that it was made with.
    keeps_estimates: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, str]] = COMPRESS
    meaning: str = (
        "deadline-based backfilling: like cbf, but jobs with a deadline make room for regular ones "
        "for as long as they can"
    )
    source: str = "N'Takpé and Suter, JSSPP 2017, algorithm 1"

    def with_parameters(self, name: str, given: Mapping[str, str]) -> DeadlinePolicy:
        """The policy that ``dbf(compress=start)`` names."""
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
        from packwise.engine.replay import replay_deadline_backfilling

        return replay_deadline_backfilling(self.at_once, workload, expected, procs, progress)

    def decide(self, view: View) -> Decision:
        """One round; the plan so far comes with ``view.memory``."""
        from packwise.engine.decide import decide_deadline_backfilling
        from packwise.engine.state import known_jobs

        memory: Lists = view.memory or Lists(Remembered({}, {}), {})
        ends, early, overrun = memory.plan.since(view)
        queue = view.queue.tolist()
        start, planned, kind, promised = decide_deadline_backfilling(
            self.at_once,
            known_jobs(view),
            view.queue,
            np.array([memory.plan.start.get(job, -1) for job in queue], np.int64),
            np.array([memory.kind.get(job, 0) for job in queue], np.int64),
            early,
            overrun,
            view.running,
            view.expected_end,
            view.now,
            view.free,
        )
        for job in view.queue[start].tolist():
            ends[job] = view.now + int(view.estimate[job])
        remaining = view.queue[~start].tolist()
        waiting = dict(zip(remaining, planned[~start].tolist(), strict=True))
        new = promised >= 0
        return Decision(
            start=view.queue[start],
            planned=waiting,
            promised=dict(zip(view.queue[new].tolist(), promised[new].tolist(), strict=True)),
            wake_at=min(waiting.values(), default=None),
            memory=Lists(
                Remembered(waiting, ends), dict(zip(remaining, kind[~start].tolist(), strict=True))
            ),
        )
