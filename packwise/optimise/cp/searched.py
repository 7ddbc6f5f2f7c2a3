"""The plan of the order search for the same metric: what a solver may begin with."""

from __future__ import annotations

import numpy as np

from packwise.model.view import View
from packwise.model.workload import Ints
from packwise.optimise.objectives import objective
from packwise.optimise.policy import SearchPolicy
from packwise.optimise.round import Round

#: Orders that are tried: some milliseconds.
BUDGET = 1000


def searched_plan(view: View, round: Round, metric: str, deadlines: str, seed: int) -> Ints:
    """Starts of the jobs of a round, of which the view tells the rest."""
    search = SearchPolicy(
        objective=objective(metric, local="metric"),
        budget=BUDGET,
        window=max(2, len(round)),
        seed=seed,
        deadlines=deadlines,
    )
    decision = search.decide(view._replace(queue=np.sort(round.job), memory=None))
    start = [decision.planned.get(job, view.now) for job in round.job.tolist()]
    return np.array(start, np.int64)
