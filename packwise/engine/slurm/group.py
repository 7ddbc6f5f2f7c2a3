"""The arrays that Slurm's scheduler keeps besides those of every policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from packwise.engine.memory import Group

if TYPE_CHECKING:
    from packwise.model.workload import Floats, Ints

    IntRows = Ints

# Settings; times in seconds
BF_INTERVAL, BF_WINDOW, BF_RESOLUTION, BF_MAX_TEST, BF_MAX_USER, BF_MAX_PART, BF_MAX_START = range(
    7
)
BF_MIN_AGE, BF_MIN_PRIORITY, BF_LINEAR, DEPTH, SCHED_INTERVAL, SUBMIT_DELAY, CALC_PERIOD = range(
    7, 14
)
MAX_AGE, BACKFILLS, FAIR_TREE, COMPLETING = range(14, 18)
SETTINGS = 18

# Weights
AGE, FAIR_SHARE, DECAY, DAMPENING = range(4)
WEIGHTS = 4

# The clock: when something is due, or NO_TIME; when something was done last; whether something became free; how
# many jobs run
ORIGIN, FREED_DUE, MAIN_DUE, FULL_DUE, BF_DUE, CALC_DUE, MAIN_AT, BF_AT, CALC_AT, FREED = range(10)
RUNNING, CLOCK_ENTRIES = 10, 11


class Slurm(NamedTuple):
    """By job: the ``fixed`` part of its priority, whose it is (``owner``: an account's user; ``person``: the
    user), its partition (``part``) and the ``tier`` of that; ``number``: the job's place in
    the log, by which equals are sorted; ``begun``: picked in this round; ``since_start``: when it started. By
    owner: ``usage`` when it was last counted, what came ``since`` then (``recent``) at the present ``rate``,
    the ``share`` and the ``account``, and the ``factor`` of fair share. By account: ``account_share``. By
    partition: its nodes (``there``), and whether it has ``failed`` in a pass. ``blocked``: nodes that a pass
    looks at no more. The others are working space.
    """

    fixed: Floats
    owner: Ints
    person: Ints
    part: Ints
    tier: Ints
    number: Ints
    begun: Ints
    since_start: Ints
    usage: Floats
    recent: Floats
    rate: Ints
    since: Ints
    share: Floats
    account: Ints
    factor: Floats
    level: Floats
    account_level: Floats
    sorted: Ints
    account_share: Floats
    account_usage: Floats
    tested: Ints
    failed: Ints
    tested_part: Ints
    there: IntRows
    blocked: Ints
    settings: Ints
    weights: Floats
    clock: Ints


#: The arrays that a round leaves for the next one, besides the jobs.
KEPT = ("usage", "recent", "rate", "since", "factor", "clock")


def new_slurm(jobs: int, owners: int, accounts: int, persons: int, parts: int, nodes: int) -> Group:
    """Room for so many."""
    sizes = (
        *(jobs,) * 8,
        *(owners,) * 10,
        *(accounts,) * 2,
        persons,
        *(parts,) * 2,
        (parts, nodes),
        nodes,
        SETTINGS,
        WEIGHTS,
        CLOCK_ENTRIES,
    )
    return Group(Slurm, sizes)
