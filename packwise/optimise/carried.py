"""What the optimising policy remembers between the rounds that it is asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.outlook import LATEST
from packwise.model.view import View
from packwise.model.workload import Floats, Ints
from packwise.optimise.objectives import Objective


class Carried(NamedTuple):
    """What the search remembers between rounds: the last plan's order, the running jobs (number, width, needs
    on nodes, user, start, estimate at the start), how good estimates have been, what a balanced search knows of
    the log, and what ended jobs have taught.
    """

    order: Ints
    running: Ints
    width: Ints
    needs: Ints  # a row for each job
    user: Ints
    begun: Ints
    believed: Ints
    experience: Ints
    standing: Floats
    lessons: Floats  # a row for each term

    def limits(self, view: View) -> tuple[Ints, Ints]:
        """When the running jobs must have ended, at distinct moments, and how much comes back at each.

        The start of one that somebody else has started is not known: there the expected end counts.
        """
        ends = view.expected_end.astype(np.int64)
        known = np.isin(view.running, self.running)
        place = np.argsort(self.running)
        found = place[np.searchsorted(self.running[place], view.running[known])]
        limits = self.begun[found] + view.limit[view.running[known]]
        ends[known] = np.maximum(ends[known], limits)
        ends = np.clip(ends, view.now + 1, LATEST)
        ends, which = np.unique(ends, return_inverse=True)
        back = np.zeros(len(ends), np.int64)
        np.add.at(back, which, view.demand[view.running])
        return ends, back

    def after(self, view: View, started: Ints, waiting: Ints) -> Carried:
        """The memory after a round that starts these jobs and leaves those in this order."""
        return Carried(
            waiting,
            np.concatenate([self.running, started]),
            np.concatenate([self.width, view.demand[started]]),
            np.concatenate([self.needs, needs_of(view, started)]),
            np.concatenate([self.user, view.user[started].astype(np.int64)]),
            np.concatenate([self.begun, np.full(len(started), view.now)]),
            np.concatenate([self.believed, view.estimate[started]]),
            self.experience,
            self.standing,
            self.lessons,
        )


def needs_of(view: View, jobs: Ints) -> Ints:
    """What jobs need of the resources by which newcomers are told apart: none where nodes do not matter."""
    from packwise.optimise.kernels.lessons import KINDS

    nodes = view.nodes
    if nodes is None or not nodes.matter:
        return np.zeros((len(jobs), 0), np.int64)
    per_unit: Ints = nodes.per_unit[jobs, :KINDS].astype(np.int64)
    return nodes.units[jobs, None] * per_unit


def totals_of(view: View) -> Ints:
    """What there is of these resources on all nodes."""
    from packwise.optimise.kernels.lessons import KINDS

    nodes = view.nodes
    if nodes is None or not nodes.matter:
        return np.zeros(0, np.int64)
    totals: Ints = nodes.capacity[:, :KINDS].sum(axis=0)
    return totals


def up_to_date(memory: Carried | None, view: View, queue: Ints, objective: Objective) -> Carried:
    """The memory brought up to date with who has come and who has ended."""
    from packwise.optimise.kernels.lessons import LESSONS
    from packwise.optimise.kernels.sorts import learn_all
    from packwise.optimise.kernels.standing import STANDING
    from packwise.optimise.kernels.trust import judge_all
    from packwise.optimise.kernels.workspace import EXPERIENCE

    none = np.empty(0, np.int64)
    last = memory or Carried(
        *(none,) * 3,
        needs_of(view, none),
        *(none,) * 3,
        np.zeros(EXPERIENCE, np.int64),
        np.zeros(STANDING),
        np.zeros((len(objective.terms), LESSONS)),
    )
    kinds = len(totals_of(view))
    if last.needs.shape[1] != kinds:  # nodes have begun to matter, or do so no more
        last = last._replace(needs=np.zeros((len(last.running), kinds), np.int64))
    waiting = last.order[np.isin(last.order, queue)]
    new = queue[~np.isin(queue, last.order)]
    runs = np.isin(last.running, view.running)
    experience = last.experience.copy()
    lessons = last.lessons
    ended = ~runs & ~np.isin(last.running, queue)  # the others wait again: their nodes went out
    if ended.any():
        believed, runtime = last.believed[ended], view.now - last.begun[ended]
        if view.late is not None:
            runtime = runtime - view.late[last.running[ended]]
        judge_all(experience, believed, runtime)
        if objective.learned:
            lessons, terms = lessons.copy(), objective.table()
            machine = totals_of(view), float(view.procs)
            asked = last.width[ended], last.needs[ended], *machine
            for t in objective.learned:
                learn_all(
                    lessons[t], terms[t], *asked, believed, runtime, last.user[ended], view.now
                )
    return Carried(
        np.concatenate([waiting, new]),
        last.running[runs],
        last.width[runs],
        last.needs[runs],
        last.user[runs],
        last.begun[runs],
        last.believed[runs],
        experience,
        last.standing,
        lessons,
    )


def noted(
    memory: Carried, view: View, objective: Objective, arrived: Ints, started: Ints
) -> Carried:
    """The memory with what a balanced search notes of arrivals and starts, where nothing is searched."""
    if objective.patience <= 0:
        return memory
    from packwise.optimise.kernels.standing import note_all

    standing = memory.standing.copy()
    demand, limit = view.demand.astype(float), np.maximum(view.limit, 1).astype(float)
    came = demand[arrived] * np.maximum(view.estimate[arrived], 1)
    waited = np.maximum(view.now - view.submit[started], 0).astype(float)
    note_all(standing, float(view.procs), came, demand[started] * limit[started], waited)
    return memory._replace(standing=standing)
