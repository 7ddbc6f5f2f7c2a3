"""The plan of the order search for the same objective, for the solver to polish and to prove."""

from __future__ import annotations

import numpy as np

from packwise.model.view import View
from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Plan
from packwise.optimise.cp.nodes.lists import list_plan
from packwise.optimise.objectives import objective
from packwise.optimise.policy import SearchPolicy

#: Orders that are tried: about 30 ms for a hundred jobs on Eurora's nodes.
BUDGET = 200


def searched_plan(view: View, jobs: Ints, seed: int) -> Plan:
    """The plan of the order search with total slowdown as its objective."""
    # The weight of a second is 1 / E: what the dispatchers minimise.
    aim = objective("BSLD", local="E^-1")
    search = SearchPolicy(objective=aim, budget=BUDGET, window=max(2, len(jobs)), seed=seed)
    decision = search.decide(view._replace(queue=np.sort(jobs), memory=None))
    # Who starts now, and the others in the order found: inserted again they have nodes, and hardly ever other
    # starts.
    order = [*np.asarray(decision.start).tolist(), *decision.memory.order.tolist()]
    place = {job: i for i, job in enumerate(jobs.tolist())}
    return list_plan(view, jobs, np.array([place[job] for job in order], np.int64))
