"""Slack-based backfilling: a plan for every job, in which a newcomer may push others back within their slack.

D. Talby and D. G. Feitelson, "Supporting Priorities and Improving Utilization of the IBM SP Scheduler Using
Slack-Based Backfilling", IPPS/SPDP 1999: each waiting job has a slack, which follows from its priority and the
average wait, and little of it if it is heavy; a newcomer goes where the plan costs least, as long as nobody is
delayed beyond the slack. The paper's formulas for slack and cost need priorities that logs do not tell. Ours:

- The slack of a job is ``factor`` W / (1 + A / Ā). W is the mean wait of the jobs started so far, A the job's
  processors times its estimate, Ā the mean of that over all jobs so far. A light job gets all of ``factor`` W,
  one of mean weight half of it.
- The cost of a plan is the sum of all planned waits.
- A newcomer is tried before each waiting job, in the order of their planned starts. Whoever loses the place to
  it moves to the next one from there on. So a job moves later only for a newcomer, and by no more than its
  slack behind the best start that it has been planned for.

All else is conservative backfilling, and with ``factor=0`` nothing else is left.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

from packwise.model.decision import Decision
from packwise.model.outlook import Outlook, outlook
from packwise.model.view import View
from packwise.policies.amounts import amount
from packwise.policies.promises import Remembered
from packwise.policies.room import Room


class _Place(NamedTuple):
    """Where a waiting job is planned, the best start that it has been planned for, and its slack."""

    start: int
    best: int
    slack: int

    @property
    def latest(self) -> int:
        """Whoever is late already, since jobs outlived their estimates, is not delayed any further."""
        return max(self.best + self.slack, self.start)

    def at(self, start: int) -> _Place:
        return _Place(start, min(self.best, start), self.slack)


class _History(NamedTuple):
    """Sums over the jobs so far: waits of those that started, processor-seconds expected of all that came."""

    waits: int = 0
    started: int = 0
    areas: int = 0
    came: int = 0


class _Memory(NamedTuple):
    """The plan in the order of submission, and what tells whether it still rests on what is believed."""

    plan: Mapping[int, _Place]
    told: Remembered
    history: _History


_NOTHING = _Memory({}, Remembered({}, {}, {}, {}, ()), _History())


@dataclass(frozen=True)
class SlackPolicy:
    """Conservative backfilling in which newcomers may delay others by up to their slack."""

    name: str = "slack"
    factor: float = 1.0
    meaning: str = (
        "slack-based backfilling: every job has a planned start, and newcomers may push it back by up to "
        "the job's slack, which is less for heavy jobs"
    )
    source: str = "Talby and Feitelson, IPPS/SPDP 1999; slack and cost are ours"
    #: The plan is one of processors.
    pool_only: ClassVar[bool] = True
    #: A promise rests on the estimate that it was made with.
    keeps_estimates: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, str]] = {
        "factor": "the slack of a light job, as a multiple of the mean wait so far: 0 (cbf) or more, 1 by "
        "default"
    }

    def __post_init__(self) -> None:
        amount(self.name, "factor", self.factor)

    def with_parameters(self, name: str, given: Mapping[str, str]) -> Self:
        """The policy that ``slack(factor=2)`` names."""
        if "factor" not in given:
            return self
        factor = amount(name, "factor", given["factor"])
        return replace(self, name=re.sub(r"\s+", "", name.lower()), factor=factor)

    def decide(self, view: View) -> Decision:
        """One round; the plan so far comes with ``view.memory``."""
        memory: _Memory = view.memory or _NOTHING
        seen = outlook(view)
        planning = _Planning(view, seen, memory)
        early, overrun = memory.told.since(view)
        if overrun:
            planning.begin_anew()
        else:
            planning.keep()
            if early:
                planning.compress()
        history = memory.history
        promised = {}
        for job in planning.new:
            area = planning.demand[job] * planning.length[job]
            history = history._replace(areas=history.areas + area, came=history.came + 1)
            slack = math.floor(self.factor * _weighted(area, history))
            planning.add(job, slack)
        for job in planning.new:
            promised[job] = planning.plan[job].latest
        start = [job for job, place in planning.plan.items() if place.start <= view.now]
        for job in start:
            wait = view.now - planning.submit[job]
            history = history._replace(waits=history.waits + wait, started=history.started + 1)
        waiting = {job: place for job, place in planning.plan.items() if place.start > view.now}
        planned = {job: place.start for job, place in waiting.items()}
        ends = dict(zip(view.running.tolist(), view.expected_end.tolist(), strict=True))
        ends |= {job: view.now + planning.length[job] for job in start}
        return Decision(
            start=start,
            planned=planned,
            promised=promised,
            wake_at=min(planned.values(), default=None),
            memory=_Memory(waiting, Remembered(planned, ends, {}, {}, tuple(start)), history),
            never=seen.never,
        )


def _weighted(area: int, history: _History) -> float:
    """The mean wait so far, less of it the heavier the job."""
    if not history.started:
        return 0.0
    mean_area = history.areas / history.came
    return history.waits / history.started / (1 + area / mean_area)


class _Planning:
    """A round in the making: the plan, and the room that it leaves."""

    def __init__(self, view: View, seen: Outlook, memory: _Memory) -> None:
        jobs = seen.queue.tolist()
        self.demand = dict(zip(jobs, seen.demand.tolist(), strict=True))
        self.length = dict(zip(jobs, seen.estimate.tolist(), strict=True))
        self.submit = dict(zip(jobs, seen.submit.tolist(), strict=True))
        self.new = [job for job in jobs if job not in memory.plan]
        self.plan = {job: place for job, place in memory.plan.items() if job in self.demand}
        self._now = view.now
        self._room = Room.of(view, seen)

    def begin_anew(self) -> None:
        """The plan rests on a false belief: all are placed anew, in the order of submission."""
        for job in self.plan:
            self._place_anew(job)

    def keep(self) -> None:
        """Let everybody have the place that was planned.

        It is checked against what is, as a host may change its mind: a place in the past becomes one now, and
        whoever has no room any longer is placed anew, behind those who have.
        """
        without = []
        for job, place in self.plan.items():
            self.plan[job] = kept = place._replace(start=max(place.start, self._now))
            if self._fits(self._room, job, kept.start):
                self._take(self._room, job, kept.start)
            else:
                without.append(job)
        for job in without:
            self._place_anew(job)

    def compress(self) -> None:
        """After an early end each job moves to an earlier place, if there is one, in order of submission."""
        room = self._room
        for job, place in self.plan.items():
            demand, length = self.demand[job], self.length[job]
            start = room.earlier(demand, length, place.start)
            if start < place.start:
                room.take(-demand, place.start, place.start + length)
                room.take(demand, start, start + length)
                self.plan[job] = place.at(start)

    def add(self, job: int, slack: int) -> None:
        """Plan a newcomer where the sum of all waits is least: around all others, or before one of them."""
        start = self._earliest(self._room, job, self._now)
        moved: dict[int, int] = {}
        if start > self._now:
            start, moved = self._cheapest(job, start)
        for other, later in moved.items():
            self._give_back(self._room, other, self.plan[other].start)
            self.plan[other] = self.plan[other].at(later)
        for other, later in moved.items():
            self._take(self._room, other, later)
        self._take(self._room, job, start)
        self.plan[job] = _Place(start, start, slack)

    def _cheapest(self, job: int, around: int) -> tuple[int, dict[int, int]]:
        """The newcomer's start, and those of the others who move for it, that save most against ``around``."""
        order = sorted(self.plan, key=lambda other: self.plan[other].start)
        room = self._room.copy()
        for other in order:
            self._give_back(room, other, self.plan[other].start)
        best, saved = (around, dict[int, int]()), 0
        for k, other in enumerate(order):
            start = self._earliest(room, job, self._now)
            if around - start <= saved:
                break  # with more jobs before it the newcomer starts no sooner
            moved = self._pushed(room, job, start, order[k:], around - start - saved)
            if moved is not None:
                cost = sum(later - self.plan[one].start for one, later in moved.items())
                best, saved = (start, moved), around - start - cost
            self._take(room, other, self.plan[other].start)
        return best

    def _pushed(
        self, before: Room, job: int, start: int, others: Iterable[int], most: int
    ) -> dict[int, int] | None:
        """Where those go who lose their places if the newcomer starts then; None if one would be too late, or
        all of them would lose ``most`` seconds or more.
        """
        room = before.copy()
        self._take(room, job, start)
        moved = {}
        for other in others:
            place = self.plan[other]
            later = self._earliest(room, other, place.start)
            if later > place.start:
                most -= later - place.start
                if most <= 0 or later > place.latest:
                    return None
                moved[other] = later
            self._take(room, other, later)
        return moved

    def _place_anew(self, job: int) -> None:
        start = self._earliest(self._room, job, self._now)
        self._take(self._room, job, start)
        self.plan[job] = self.plan[job].at(start)

    def _earliest(self, room: Room, job: int, begin: int) -> int:
        return room.earliest(self.demand[job], self.length[job], begin)

    def _fits(self, room: Room, job: int, start: int) -> bool:
        return room.has_room(self.demand[job], start, start + self.length[job])

    def _take(self, room: Room, job: int, start: int) -> None:
        room.take(self.demand[job], start, start + self.length[job])

    def _give_back(self, room: Room, job: int, start: int) -> None:
        room.take(-self.demand[job], start, start + self.length[job])
