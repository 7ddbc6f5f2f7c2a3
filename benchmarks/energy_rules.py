"""Two plain ways to run jobs when power is cheap: each at its cheapest hour, and only at night. On top of
EASY.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from packwise.model import Decision, View
from packwise.optimise.energy_rates import rates_at
from packwise.registry import policy

#: When the night begins and ends, by the local clock.
EVENING, MORNING = 22, 6


class Released(NamedTuple):
    """From when on each job may start, by its number."""

    times: np.ndarray


@dataclass(frozen=True)
class CheapestHour:
    """Each job waits for the start, at most ``hours`` after its submission, at which its energy would cost
    least if it ran alone; then EASY takes over.
    """

    hours: float

    @property
    def name(self) -> str:
        return f"cheapest hour within {self.hours:g} h"

    def release(self, view: View, job: int) -> int:
        now, duration = int(view.submit[job]), int(view.estimate[job])
        assert view.power is not None
        rates = rates_at(view.power, "cost", now)
        last = now + int(self.hours * 3600)
        edges = rates.edges
        starts = np.concatenate(([now], edges, edges - duration, [last]))
        starts = np.unique(starts[(starts >= now) & (starts <= last)])
        cost = _come_to(rates, starts + duration) - _come_to(rates, starts)
        return int(starts[np.argmin(cost)])

    def decide(self, view: View) -> Decision:
        return _decide(self, view)


@dataclass(frozen=True)
class NightOnly:
    """Jobs that are expected to run for ``hours`` or longer start at night only; EASY for all."""

    hours: float

    @property
    def name(self) -> str:
        return f"only at night from {self.hours:g} h on"

    def release(self, view: View, job: int) -> int:
        submit = int(view.submit[job])
        if view.estimate[job] < self.hours * 3600:
            return submit
        assert view.power is not None
        clock = view.power.clock
        local = datetime.fromtimestamp(submit + clock.offset, clock.zone)
        if local.hour >= EVENING or local.hour < MORNING:
            return submit
        evening = local.replace(hour=EVENING, minute=0, second=0)
        if evening < local:
            evening += timedelta(days=1)
        return int(evening.timestamp()) - clock.offset

    def decide(self, view: View) -> Decision:
        return _decide(self, view)


def _come_to(rates, times):
    cell = np.searchsorted(rates.edges, times, "right") - 1
    return rates.sums[cell] + (times - rates.edges[cell]) * rates.rates[cell]


def _decide(rule: CheapestHour | NightOnly, view: View) -> Decision:
    known = np.empty(0, np.int64) if view.memory is None else view.memory.times
    more = [rule.release(view, job) for job in range(len(known), len(view.submit))]
    times = np.append(known, np.array(more, np.int64))
    queue = view.queue[times[view.queue] <= view.now]
    later = times[view.queue][times[view.queue] > view.now]
    asked = policy("easy").decide(view._replace(queue=queue, memory=None))
    wake = int(later.min()) if len(later) else None
    return replace(asked, memory=Released(times), wake_at=wake)
