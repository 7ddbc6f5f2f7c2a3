"""Plans of list scheduling: what a search begins with, and what is followed where it fails."""

from __future__ import annotations

import numpy as np

from packwise.model.view import View
from packwise.model.workload import Ints
from packwise.optimise.cp.nodes.instance import Plan
from packwise.optimise.node_round import serial
from packwise.optimise.round import Round


def nodes_matter(view: View) -> bool:
    """Whether there is anything to allocate."""
    return view.nodes is not None and view.nodes.matter


def list_plan(view: View, jobs: Ints, order: Ints) -> Plan:
    """The plan of placing jobs one after the other, each at the earliest time at which it fits.

    ``order``: places in ``jobs``. Starts are seconds from now, both in the order of ``jobs``.
    """
    if not nodes_matter(view):
        round = Round.from_view(view._replace(queue=np.sort(jobs)))
        places = np.searchsorted(round.job, jobs)
        start = round.insert(places[order])[places]
        return Plan(start - view.now, tuple({} for _ in jobs))
    planned, where = serial(view, jobs[order])
    start = np.empty(len(jobs), np.int64)
    start[order] = planned
    return Plan(start - view.now, tuple(where[job] for job in jobs.tolist()))


def other_list_plans(view: View, jobs: Ints) -> list[Plan]:
    """Besides that by priority: the shortest first, and the smallest."""
    expected = view.estimate[jobs]
    keys = (expected, expected * view.demand[jobs])
    return [list_plan(view, jobs, np.argsort(key, kind="stable")) for key in keys]
