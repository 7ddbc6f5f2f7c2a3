"""A start for every waiting job, where a policy plans only some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Ints
from packwise.optimise.round import Round


@dataclass(frozen=True, eq=False)
class Completed:
    """All starts; ``own``: the places of the jobs that the policy planned itself.

    ``fits``: whether what it planned can be done at all. If not, only those that it starts now are its own.
    """

    start: Ints
    own: Ints
    fits: bool


def complete(
    round: Round, started: Ints, planned: Mapping[int, int], wake_at: int | None
) -> Completed:
    """Put the jobs without a planned start behind the others, in submission order.

    ``started``: places of those that start now; ``planned``: starts by job number. A job that is left waiting
    now starts when the policy is next asked, as far as is known, or later.
    """
    start = np.full(len(round), round.now, np.int64)
    reserved = np.array([i for i, job in enumerate(round.job.tolist()) if job in planned], np.int64)
    start[reserved] = [planned[job] for job in round.job[reserved].tolist()]
    own, fits = np.concatenate([started, reserved]), True
    try:
        round.part(own).check(start[own])
    except InputError:
        own, fits = started, False
    rest = np.setdiff1d(np.arange(len(round)), own)
    if rest.size:
        left = _without(round, own, start)
        asked = [round.now + 1 if len(left.times) == 1 else int(left.times[1])]
        if wake_at is not None:
            asked.append(wake_at)
        behind = _from(left, min(asked)).part(rest)
        start[rest] = behind.insert(behind.order_by())
    return Completed(start, own, fits)


def _without(round: Round, chosen: Ints, start: Ints) -> Round:
    """The same moment with less free, where these jobs are planned."""
    begin, end = start[chosen], start[chosen] + round.estimate[chosen]
    times = np.unique(np.concatenate([round.times, begin, end]))
    change = np.zeros(len(times), np.int64)
    np.subtract.at(change, np.searchsorted(times, begin), round.demand[chosen])
    np.add.at(change, np.searchsorted(times, end), round.demand[chosen])
    free = round.free[np.searchsorted(round.times, times, side="right") - 1] + np.cumsum(change)
    return replace(round, times=times, free=free)


def _from(round: Round, time: int) -> Round:
    """The same moment with nothing free before a later time."""
    place = int(np.searchsorted(round.times, time, side="right")) - 1
    times = np.concatenate([[round.now, time], round.times[place + 1 :]])
    free = np.concatenate([[0, round.free[place]], round.free[place + 1 :]])
    return replace(round, times=times, free=free)
