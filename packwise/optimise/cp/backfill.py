"""The rest of the queue behind a plan for its head (Goponenko et al., DEBS 2024, section 5.5)."""

from __future__ import annotations

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.round import Round


def backfill(round: Round, head: Ints) -> Ints:
    """The plan of all jobs: the first ones start as in ``head``, the others fill in, first come first."""
    first = round.part(np.arange(len(head)))
    end = head + first.estimate
    times = np.unique(np.concatenate([round.times, head, end]))
    change = np.zeros(len(times), np.int64)
    np.add.at(change, np.searchsorted(times, head), first.demand)
    np.subtract.at(change, np.searchsorted(times, end), first.demand)
    free = round.free[np.searchsorted(round.times, times, side="right") - 1] - np.cumsum(change)
    rest = Round(
        round.now,
        round.procs,
        round.job[len(head) :],
        round.submit[len(head) :],
        round.demand[len(head) :],
        round.estimate[len(head) :],
        times,
        free,
    )
    return np.concatenate([head, rest.insert(rest.order_by())])
