"""Who is worse off than under EASY backfilling, what most clusters run today.

The reference is EASY with the users' limits, replayed with the run times of the schedule that is measured: so
these are metrics of a schedule alone, whatever it is compared with.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from typing import Any

import numpy as np

from packwise.metrics.definition import Metric
from packwise.metrics.effects import NOTICED, Effects, of_responses
from packwise.metrics.outcome import Outcome
from packwise.model.errors import InputError
from packwise.model.workload import Floats, Workload

_PAPER = "D. A. Lifka, 'The ANL/IBM SP Scheduling System', JSSPP 1995 (EASY); the count is ours"
#: Policies are compared on one log after the other: the last reference is kept.
_kept: dict[bytes, Floats] = {}


def response_under_easy(outcome: Outcome) -> Floats:
    """The response time of each job that ran, had EASY dispatched them."""
    from packwise.policies.catalogue import POLICIES
    from packwise.simulation import simulate

    widest = int(outcome.demand.max())
    if widest > outcome.procs:
        raise InputError(
            f"a comparison with EASY needs every job to fit on the machine of {outcome.procs} processors, "
            f"found one of {widest}. Check the size of the machine."
        )
    columns = [outcome.submit, outcome.demand, outcome.runtime, outcome.limit]
    nodes = outcome.on_nodes
    key = hashlib.blake2b(str(outcome.procs if nodes is None else nodes.cluster).encode())
    more: dict[str, Any] = {}
    if nodes is not None and (units := nodes.workload.units) is not None:
        jobs = nodes.workload
        more = {
            "units": units[nodes.picked],
            "per_unit": {name: column[nodes.picked] for name, column in jobs.per_unit.items()},
            "extra": {k: v[nodes.picked] for k, v in jobs.extra.items() if k == "partition"},
        }
        columns += [more["units"], *more["per_unit"].values(), *more["extra"].values()]
    for column in columns:
        key.update(np.ascontiguousarray(column).tobytes())
    if key.digest() not in _kept:
        workload = Workload(
            name="as measured",
            id=np.arange(1, len(outcome) + 1),
            submit=outcome.submit,
            demand=outcome.demand,
            runtime=outcome.runtime,
            requested_time=np.maximum(outcome.limit, outcome.runtime),
            **more,
        )
        machine = outcome.procs if nodes is None else replace(nodes.cluster, energy=None)
        run = simulate(workload, machine, POLICIES["easy"])
        _kept.clear()
        _kept[key.digest()] = (run.schedule.end - outcome.submit).astype(np.float64)
    return _kept[key.digest()]


def effects_against_easy(outcome: Outcome) -> Effects:
    """Users and classes of size against EASY, computed once per outcome."""
    kept: Effects | None = outcome.__dict__.get("against_easy")
    if kept is None:
        before = response_under_easy(outcome)
        after = outcome.response.astype(np.float64)
        kept = of_responses(outcome.user, outcome.demand, after, before)
        outcome.__dict__["against_easy"] = kept
    return kept


def users_worse(outcome: Outcome) -> float:
    """Per cent of the users."""
    found = effects_against_easy(outcome)
    return 100.0 * len(found.users_worse) / len(found.users) if found.users else math.nan


def users_better(outcome: Outcome) -> float:
    """Per cent of the users."""
    found = effects_against_easy(outcome)
    return 100.0 * len(found.users_better) / len(found.users) if found.users else math.nan


def worst_size(outcome: Outcome) -> float:
    """Per cent; below zero if every class gains."""
    return max(one.change for one in effects_against_easy(outcome).sizes)


USERS_WORSE = Metric(
    name="users_worse",
    title="Users worse off than under EASY",
    formula=f"share of users whose mean F is more than {NOTICED:g} % above that under EASY",
    unit="%",
    better="lower",
    paper=_PAPER,
    meaning=(
        "How many users would notice that they lose: their mean response time grows by more than a tenth "
        "against EASY backfilling with users' limits. Users with fewer than 10 jobs are left out where 6 "
        "others remain. Not a number where the log does not know its users."
    ),
    of=users_worse,
    costly=True,
    of_all_jobs=True,
)
USERS_BETTER = Metric(
    name="users_better",
    title="Users better off than under EASY",
    formula=f"share of users whose mean F is more than {NOTICED:g} % below that under EASY",
    unit="%",
    better="higher",
    paper=_PAPER,
    meaning=(
        "How many users would notice that they gain: their mean response time shrinks by more than a tenth "
        "against EASY backfilling with users' limits. Read it with users_worse."
    ),
    of=users_better,
    costly=True,
    of_all_jobs=True,
)
WORST_SIZE = Metric(
    name="worst_size",
    title="Change of the size class that fares worst against EASY",
    formula="max over classes of demand of (mean F / mean F under EASY - 1)",
    unit="%",
    better="lower",
    paper=_PAPER,
    meaning=(
        "By how much the mean response time of one class of sizes (1 processor, 2-4, 5-8, and so on) grows "
        "against EASY backfilling with users' limits, for the class that fares worst; below zero if all gain. "
        "Classes with less than half a per cent of the jobs are left out."
    ),
    of=worst_size,
    costly=True,
    of_all_jobs=True,
)
