"""Sweeping over events: running totals at every distinct moment, exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.moments import lasts, merged
from packwise.model.workload import Ints


class Step(NamedTuple):
    """A step function: ``values[i]`` holds from ``times[i]`` until just before ``times[i + 1]``.

    Before the first time it is 0; the last value (0 for jobs that come and go) holds for ever.
    """

    times: Ints
    values: Ints


def running_totals(*streams: tuple[Ints, Ints]) -> tuple[Ints, tuple[Ints, ...]]:
    """For streams of (moment, amount): all distinct moments, and each stream's total by then.

    Everything that happens at one moment is included in the totals at that moment, so a job that
    ends as another starts leaves no spike.
    """
    sums = [_by_moment(when, amount) for when, amount in streams]
    times = merged(*(moments for moments, _ in sums))
    totals = []
    for moments, so_far in sums:
        place = np.searchsorted(moments, times, side="right")
        totals.append(np.concatenate(([0], so_far))[place])
    return times, tuple(totals)


def _by_moment(when: Ints, amount: Ints) -> tuple[Ints, Ints]:
    """The distinct moments of a stream, and its total by each. There may be far fewer than entries."""
    if not (when[1:] >= when[:-1]).all():
        order = np.argsort(when, kind="stable")
        when, amount = when[order], amount[order]
    last = lasts(when)
    return when[last], np.cumsum(amount)[last]


def level(begin: Ints, end: Ints, amount: Ints) -> Step:
    """The step function that each job raises by ``amount`` from ``begin`` until ``end``.

    Only moments at which the value changes are kept (and the first).
    """
    times, (up, down) = running_totals((begin, amount), (end, amount))
    values = up - down
    changes = np.ones(len(values), np.bool_)
    changes[1:] = values[1:] != values[:-1]
    return Step(times[changes], values[changes])
