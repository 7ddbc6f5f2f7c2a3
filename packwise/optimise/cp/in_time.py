"""Plans that keep deadlines: what a solver is held to, and falls back on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.round import Round


def carried_plan(round: Round, planned: Mapping[int, int] | None) -> Ints:
    """The last plan brought up to date; jobs that it does not have come behind it.

    Inserted in the order of their planned starts, jobs start no later than planned, as long as nobody
    outlives an estimate: so a deadline that the last plan kept is kept.
    """
    known = planned or {}
    last = max(known.values(), default=0) + 1
    return round.insert(
        round.order_by(np.array([known.get(job, last) for job in round.job.tolist()], np.int64))
    )


def due_first(round: Round) -> Ints:
    """The jobs with a deadline by when they must start, then the others as they came."""
    return round.order_by(round.latest)


def breaks_a_deadline(round: Round, start: Ints, carried: Ints) -> bool:
    """Whether a plan brings a job too late that the carried one does not, where that must not be."""
    if round.deadline is None or round.soft:
        return False
    return bool(((start > round.latest) & (carried <= round.latest)).any())


def most_in_time(
    round: Round, plans: Sequence[Ints], carried: Ints, value: Callable[[Ints], float]
) -> Ints:
    """The plan with the fewest late jobs out of those that break no deadline; the best one of several."""
    safe = [plan for plan in plans if not breaks_a_deadline(round, plan, carried)]
    return min(safe, key=lambda plan: (int((plan > round.latest).sum()), value(plan)))
