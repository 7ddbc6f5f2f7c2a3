"""What a search works on: what it is to minimise, the jobs of a round, profiles, and what it reports.

Allocated once for a replay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.engine.memory import Group
from packwise.engine.state import POLICY
from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.lessons import FACTS, KINDS, LESSONS, SORTS, WIDTHS
from packwise.optimise.kernels.newcomers import EXPECTS
from packwise.optimise.kernels.standing import CLASSES, STANDING

IntRows = NDArray[np.int64]
FloatRows = NDArray[np.float64]

#: The groups of a search in a state.
AIM, WAITING, SPACE = range(POLICY, POLICY + 3)

#: Overdue jobs whose starts are fixed before a balanced search.
HELD = 1
#: Jobs between two remembered profiles.
STRIDE = 4

# What a search reports; at the end which start of which job has a cost that is no number (-1: the sum is none),
# and what of the cost newcomers pay
COST, SEED_COST, BOUND, EVALUATIONS, IRREGULAR, NOT_FINITE, BEST_SEED = range(7)
BAD_PLACE, BAD_START, NEWCOMERS = 7, 8, 9
REPORT = 10


#: How estimates of ended jobs did: see ``search_round``.
EXPERIENCE = 3


class Aim(NamedTuple):
    """What is to be minimised and how, what is known of estimates and of the log, and notes of searched rounds.

    ``until`` and ``given_back``: when running jobs must have ended by their limits, and the processors that
    come back then; ``window`` is the part of both in use, and how many of the jobs begun are noted there.
    """

    settings: Floats
    terms: FloatRows
    experience: Ints
    standing: Floats
    lessons: FloatRows
    until: Ints
    given_back: Ints
    window: Ints
    notes: FloatRows


class Waiting(NamedTuple):
    """The jobs that are searched over, by their place in the carried order, and what is known of them.

    ``job`` is the number of each, ``gain`` how much more urgent it is for being small; ``least``: what a job
    pays at least. ``fresh``: whether it is new. ``latest``: the start after which it is late, NO_TIME where
    that does not matter; ``penalty``: what that costs, 0 where lateness is weighed against the others.
    ``expected``: what a job is expected to weigh by a term, ``counts`` what the weight of newcomers does by it;
    ``span``: how long a job would keep newcomers waiting; ``takes``: on nodes, from how much of each resource.
    ``trial`` has the starts in the order being tried, ``current`` in the one before; ``by_start`` and
    ``by_end`` are room to sort in. ``plan`` and ``kept`` are the result: the best order, and the start of each
    job in it.
    """

    job: Ints
    submit: Ints
    demand: Ints
    estimate: Ints
    limit: Ints
    user: Ints
    queue_number: Ints
    deadline: Ints
    latest: Ints
    penalty: Floats
    fresh: Ints
    weight: FloatRows
    power: Floats
    least: Floats
    order: Ints
    plan: Ints
    seed: Ints
    trial: Ints
    kept: Ints
    first: Floats
    second: Floats
    slope: Floats
    gain: Floats
    expected: FloatRows
    counts: Floats
    span: Ints
    takes: IntRows
    current: Ints
    by_start: Ints
    by_end: Ints


class Space(NamedTuple):
    """Profiles: the one a search begins with, a working copy, and those remembered along the order.

    There are two of each remembered profile, that of the current order and that of the order being
    tried; ``bank`` says which is current. ``facts``, ``rate`` and ``width``: what was learned, by term;
    ``coming``, ``as_wide`` and ``expects``: what is expected of newcomers.

    On nodes newcomers are of sorts: ``sort_rate`` and ``sort_mean`` are what was learned of them, by term,
    ``sort_coming`` and ``sort_needs`` what is expected. ``total`` is what there is of each resource, ``back``
    what is free at first, and what comes back at each later step; ``needs``, ``level``, ``later`` and ``unmet``
    are working space.
    """

    base_times: Ints
    base_free: Ints
    times: Ints
    free: Ints
    saved_times: IntRows
    saved_free: IntRows
    saved_steps: Ints
    saved_cost: Floats
    saved_least: Floats
    bank: Ints
    random: Ints
    report: Floats
    below: Floats
    facts: FloatRows
    rate: FloatRows
    width: FloatRows
    coming: Floats
    as_wide: Floats
    expects: Floats
    sort_rate: FloatRows
    sort_mean: FloatRows
    sort_coming: Floats
    sort_needs: FloatRows
    total: Ints
    back: IntRows
    needs: Ints
    level: Ints
    later: Ints
    unmet: Ints


def rows_of(count: int, columns: int) -> tuple[int, int]:
    """So many rows; none where they have no columns."""
    return (count if columns else 0, columns)


def new_workspace(
    settings: int,
    terms: tuple[int, int],
    notes: tuple[int, int],
    steps: int,
    jobs: int,
    window: int,
    running: int = 0,
    resources: int = 0,
) -> tuple[Group, Group, Group]:
    """Room for a profile of so many steps without waiting jobs, for placing so many jobs into it, and for
    remembering the profiles of so many of them; ``running`` jobs have been started by others. ``resources``: of
    the nodes, if any.
    """
    n = jobs + 1
    kinds = min(resources, KINDS)
    sorts = SORTS if resources else 0
    rows = 2 * (window // STRIDE + 2)
    whole = steps + 2 * jobs + 4
    part = min(steps + 2 * (HELD + window) + 4, whole)
    many = terms[0]
    return (
        Group(
            Aim,
            (settings, terms, EXPERIENCE, STANDING, (many, LESSONS), *(n + running,) * 2, 3, notes),
        ),
        Group(
            Waiting,
            (
                *(n,) * 11,
                (many, n),
                many,
                *(n,) * 10,
                (many, n),
                many,
                n,
                rows_of(n, kinds),
                *(n,) * 3,
            ),
        ),
        Group(
            Space,
            (
                *(whole,) * 4,
                *((rows, part),) * 2,
                *(rows,) * 3,
                rows // 2,
                1,
                REPORT,
                CLASSES,
                (many, FACTS),
                *((many, WIDTHS),) * 2,
                *(WIDTHS,) * 2,
                EXPECTS,
                *(rows_of(many, sorts), rows_of(many, sorts * KINDS)),
                *(sorts + 1, (sorts + 1, KINDS)),
                *(kinds, rows_of(whole, kinds), *(kinds,) * 3),
                sorts,
            ),
        ),
    )
