"""What a search works on: the jobs of a round, profiles, and what it reports. Allocated once for a replay."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from packwise.engine.compiled import compiled, inlined

#: Jobs between two remembered profiles.
STRIDE = 4

# What a search reports; last which start of which job has a cost that is no number, -1 if the sum is none
COST, SEED_COST, BOUND, EVALUATIONS, IRREGULAR, NOT_FINITE, BEST_SEED = range(7)
BAD_PLACE, BAD_START = 7, 8
REPORT = 9


class Pool(NamedTuple):
    """The jobs of a round, by their place in the carried order, and what is known of them.

    ``least``: what a job pays at least. ``fresh``: whether it is new. ``latest``: the start after which it
    is late, NO_TIME where that does not matter; ``penalty``: what that costs, 0 where lateness is weighed
    against the others.
    ``plan`` and ``kept`` are the result: the best order, and the start of each job in it.
    """

    submit: Any
    demand: Any
    estimate: Any
    limit: Any
    user: Any
    partition: Any
    deadline: Any
    latest: Any
    penalty: Any
    fresh: Any
    weight: Any
    power: Any
    least: Any
    order: Any
    plan: Any
    seed: Any
    trial: Any
    kept: Any
    first: Any
    second: Any
    slope: Any


class Space(NamedTuple):
    """Profiles: the one without waiting jobs, a working copy, and those remembered along the order.

    There are two of each remembered profile, that of the current order and that of the order being
    tried; ``bank`` says which is current.
    """

    base_times: Any
    base_free: Any
    times: Any
    free: Any
    saved_times: Any
    saved_free: Any
    saved_steps: Any
    saved_cost: Any
    saved_least: Any
    bank: Any
    random: Any
    report: Any


@inlined
def new_pool(jobs, terms):
    """Room for a queue of so many jobs."""
    n = jobs + 1
    return Pool(
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n),
        np.zeros(n, np.int64),
        np.zeros((terms, n)),
        np.zeros(terms),
        np.zeros(n),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
    )


@inlined
def new_space(steps, jobs, window):
    """Room for a profile of so many steps without waiting jobs, for placing so many jobs into it, and for
    remembering the profiles of so many of them.
    """
    rows = 2 * (window // STRIDE + 2)
    whole = steps + 2 * jobs + 4
    part = steps + 2 * window + 4
    return Space(
        np.zeros(steps + 1, np.int64),
        np.zeros(steps + 1, np.int64),
        np.zeros(whole, np.int64),
        np.zeros(whole, np.int64),
        np.zeros((rows, part), np.int64),
        np.zeros((rows, part), np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(rows // 2, np.int64),
        np.zeros(1, np.uint64),
        np.zeros(REPORT),
    )


@compiled
def new_workspace(steps, jobs, window, terms):
    """The working space of a whole replay."""
    return new_pool(jobs, terms), new_space(steps, jobs, window)
