"""Sweeping over events: running totals at every distinct moment, exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.workload import Ints


class Step(NamedTuple):
    """A step function: ``values[i]`` holds from ``times[i]`` until just before ``times[i + 1]``.

    Before the first time it is 0; the last value (0 for jobs that come and go) holds for ever.
    """

    times: Ints
    values: Ints


def merged(*moments: Ints) -> Ints:
    """All distinct moments, in order; faster on many of them than ``np.unique``."""
    joined = np.sort(np.concatenate(moments))
    distinct: Ints = joined[np.append(True, joined[1:] != joined[:-1])]
    return distinct


def running_totals(*streams: tuple[Ints, Ints]) -> tuple[Ints, tuple[Ints, ...]]:
    """For streams of (moment, amount): all distinct moments, and each stream's total by then.

    Everything that happens at one moment is included in the totals at that moment, so a job that
    ends as another starts leaves no spike.
    """
    moments, amounts = [], []
    for when, amount in streams:
        order = np.argsort(when, kind="stable")
        moments.append(when[order])
        amounts.append(amount[order])
    joined = np.concatenate(moments)
    order = np.argsort(joined, kind="stable")  # cheap: it merges runs that are sorted already
    joined = joined[order]
    last = np.ones(len(joined), np.bool_)
    last[:-1] = joined[1:] != joined[:-1]
    totals = []
    begin = 0
    for amount in amounts:
        spread = np.zeros(len(joined), np.int64)
        spread[begin : begin + len(amount)] = amount
        begin += len(amount)
        totals.append(np.cumsum(spread[order])[last])
    return joined[last], tuple(totals)


def level(begin: Ints, end: Ints, amount: Ints) -> Step:
    """The step function that each job raises by ``amount`` from ``begin`` until ``end``.

    Only moments at which the value changes are kept (and the first).
    """
    times, (up, down) = running_totals((begin, amount), (end, amount))
    values = up - down
    changes = np.ones(len(values), np.bool_)
    changes[1:] = values[1:] != values[:-1]
    return Step(times[changes], values[changes])
