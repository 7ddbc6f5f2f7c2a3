"""Relaxed backfilling: EASY in which the first waiting job may be delayed by a part of its expected wait.

W. A. Ward, C. L. Mahood and J. E. West, "Scheduling Jobs on Parallel Systems Using a Relaxed Backfill
Strategy", JSSPP 2002: a later job starts as long as it does not delay the first one too much, which is a factor
times the wait of that one. Here the wait is the expected one, from the submission to the best reservation that
the job has had since it came to be first. The latest start that follows is never set later again, or a job
could be delayed by a part of a wait that was itself a delay, and so on without end. That rule is ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np

from packwise.model.decision import Decision
from packwise.model.outlook import Outlook, outlook
from packwise.model.view import View
from packwise.model.workload import Ints
from packwise.policies.amounts import amount
from packwise.policies.last_round import Seen, nothing_new_fits


class _Head(NamedTuple):
    """The first waiting job, and the best reservation that it has had; who ran after the last round."""

    job: int
    best: int
    seen: Seen


@dataclass(frozen=True)
class RelaxedPolicy:
    """EASY that may delay its one reservation by ``relaxation`` times the expected wait of its job.

    With 0 it is EASY. The latest start that a job gets when it comes to be first is a promise.
    """

    name: str = "relaxed"
    relaxation: float = 0.2
    meaning: str = "EASY; a later job may delay the first one by up to a part of the wait that it had to expect"
    source: str = "Ward, Mahood and West, JSSPP 2002"
    #: The reservation is one of processors.
    pool_only: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, str]] = {
        "relaxation": "by which part of its expected wait the first waiting job may be delayed: 0 (EASY) or "
        "more, 0.2 by default"
    }

    def __post_init__(self) -> None:
        amount(self.name, "relaxation", self.relaxation)

    def with_parameters(self, name: str, given: Mapping[str, str]) -> Self:
        """The policy that ``relaxed(relaxation=0.5)`` names."""
        if "relaxation" not in given:
            return self
        relaxation = amount(name, "relaxation", given["relaxation"])
        return replace(self, name=re.sub(r"\s+", "", name.lower()), relaxation=relaxation)

    def decide(self, view: View) -> Decision:
        """One round: jobs from the front while they fit, then others around the reservation of the next."""
        last: _Head | None = view.memory
        seen = outlook(view)
        free = view.free
        first = 0
        while first < seen.queue.size and seen.demand[first] <= free:
            free -= int(seen.demand[first])
            first += 1
        if first == seen.queue.size:
            return Decision(start=seen.queue[:first], never=seen.never)
        head = int(seen.queue[first])
        same = last if last is not None and last.job == head else None
        places = np.arange(first)
        room = _Room(view, seen, places)
        reserved = room.earliest(int(seen.demand[first]))
        best = reserved if same is None else min(same.best, reserved)
        latest = best + math.floor(self.relaxation * (best - int(seen.submit[first])))
        if same is None or not nothing_new_fits(view, same.seen):
            # A reservation that slipped because jobs outlived their estimates is not delayed any further.
            around = _around(seen, first, free, room, max(latest, reserved), view.now)
            places = np.append(places, around)
            if around.size:
                reserved = _Room(view, seen, places).earliest(int(seen.demand[first]))
        start = seen.queue[places]
        return Decision(
            start=start,
            planned={head: reserved},
            promised={head: latest} if same is None else {},
            memory=_Head(head, best, Seen.of(view, start)),
            never=seen.never,
        )


class _Room:
    """Processors free over time, with the jobs at the places ``started`` of the queue running."""

    def __init__(self, view: View, seen: Outlook, started: Ints) -> None:
        demand = seen.demand[started]
        times = np.concatenate([seen.times, view.now + seen.estimate[started]])
        amounts = np.concatenate([seen.amounts, demand])
        order = times.argsort(kind="stable")
        self._times = times[order]
        self._free = view.free - int(demand.sum()) + np.cumsum(amounts[order])

    def earliest(self, demand: int) -> int:
        """From when on there are so many; not yet now."""
        return int(self._times[np.searchsorted(self._free, demand)])

    def free_at(self, moment: int) -> int:
        """How many there are at a moment at or after ``earliest``."""
        return int(self._free[np.searchsorted(self._times, moment, side="right") - 1])


def _around(seen: Outlook, first: int, free: int, room: _Room, latest: int, now: int) -> Ints:
    """The places in the queue of those who start around a reservation at ``latest``, in queue order.

    Whoever ends by then is in nobody's way. The others share what the job at ``first`` leaves over.
    """
    spare = room.free_at(latest) - int(seen.demand[first])
    demand = seen.demand[first + 1 :]
    short = now + seen.estimate[first + 1 :] <= latest
    picked = []
    for k in np.flatnonzero((demand <= free) & (short | (demand <= spare))).tolist():
        wants = int(demand[k])
        if wants > free:
            continue
        if not short[k]:
            if wants > spare:
                continue
            spare -= wants
        free -= wants
        picked.append(first + 1 + k)
    return np.array(picked, np.int64)
