"""What would start a job sooner: it asks for less, in the same futures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from packwise.forecasting.futures import Futures
from packwise.forecasting.run_times import RunTimes
from packwise.model.decision import Policy
from packwise.model.schedule import NEVER
from packwise.model.workload import Ints
from packwise.sooner import variants

#: A limit is long enough for a job that ends within it with this probability.
LONG_ENOUGH = 0.9
#: A dearer change has to gain so many times what a cheaper one does.
_MORE = 1.05


class Change(NamedTuple):
    """A job that asks for something else, in ``words``. ``start``: the median of its starts in the futures, and
    ``gain`` the median of what it gains there, in seconds; ``certainty``: the share of futures in which it
    starts sooner. ``given_up``: the share of its processors; ``risk``: the share of futures in which it would
    have ended within its limit as it is, and does not within the new one.
    """

    words: str
    demand: int
    limit: int
    start: int
    gain: int
    certainty: float
    given_up: float
    risk: float


def changes(
    futures: Futures,
    job: int,
    *,
    policy: Policy | str = "easy",
    useless: bool = False,
    step: Callable[[int, int], None] | None = None,
) -> list[Change]:
    """What would start a waiting job sooner, by its id, the cheapest first: that which gives up the fewest
    processors, then that with the least risk, then that with the longest limit. ``useless`` ones, that gain
    nothing in half of the futures or hardly more than a cheaper one, are left out unless they are asked for.
    ``step`` is told how many futures were replayed, and of how many, after each.
    """
    situation = futures.situation
    place = situation.place(job)
    run_times = RunTimes(futures.arrivals.history)
    enough = run_times.quantile(situation, place, LONG_ENOUGH)
    # What a job will take is not known: the limits are such that it is likely to end within them.
    runtime = situation.jobs.runtime.copy()
    runtime[place] = enough
    jobs = situation.jobs.replace(runtime=runtime)
    takes = futures.runtime[:, place]
    demand, limit = int(jobs.demand[place]), int(jobs.requested_time[place])
    tried = variants(jobs, place)
    if not tried:
        return []
    told = _steps(step, (1 + len(tried)) * len(futures))
    start = futures.starts(policy, wanted=[place], step=told)[:, 0]
    found = []
    for words, changed in tried:
        longer = changed.runtime[place] / enough
        needs = np.ceil(takes * longer).astype(np.int64)
        then_limit = int(changed.requested_time[place])
        drawn = futures.runtime.copy()
        drawn[:, place] = np.minimum(needs, then_limit)
        then = futures.starts(policy, wanted=[place], jobs=changed, runtime=drawn, step=told)[:, 0]
        gains = _gains(start, then)
        # Who is at his limit as it is may have been cut by it already.
        cut = float(((needs > then_limit) & (takes < limit)).mean())
        found.append(
            Change(
                words=words.replace("what it took", "what such jobs take"),
                demand=int(changed.demand[place]),
                limit=then_limit,
                start=_median(then),
                gain=_median(gains),
                certainty=float((gains > 0).mean()),
                given_up=1 - int(changed.demand[place]) / demand,
                risk=cut,
            )
        )
    found.sort(key=lambda one: (one.given_up, one.risk, -one.limit))
    return found if useless else worth_it(found)


def worth_it(found: Sequence[Change]) -> list[Change]:
    """Of changes, the cheapest first, those that gain something, and more than the cheaper ones: who gets as
    much for half of his processors need not give up three quarters, or hope to end as early on half of them.
    """
    kept: list[Change] = []
    for one in found:
        if one.gain > _MORE * max((cheaper.gain for cheaper in kept), default=0):
            kept.append(one)
    return kept


def _steps(step: Callable[[int, int], None] | None, total: int) -> Callable[[], None] | None:
    """Counts calls, and tells."""
    if step is None:
        return None
    done = count(1)
    return lambda: step(next(done), total)


def _gains(start: Ints, then: Ints) -> Ints:
    """By how much a job starts sooner; who could never start gains nothing that can be counted."""
    return np.where((start == NEVER) | (then == NEVER), 0, start - then)


def _median(values: Ints) -> int:
    return int(np.quantile(values, 0.5, method="inverted_cdf"))
