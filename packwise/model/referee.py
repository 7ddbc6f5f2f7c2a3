"""The referee: checks a decision against the view it was made from, before anybody acts on it.

The simulator asks it at every round, and whoever runs a policy on a live cluster should, too. A policy can be
wrong; what it decides is done only if it can be done.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, NamedTuple

import numpy as np

from packwise.model.decision import Decision, wake_time
from packwise.model.energy.cap import PowerLimit, watts
from packwise.model.errors import BadDecision, OverAllocation
from packwise.model.view import View
from packwise.model.workload import Ints

#: No moment is as late as this.
_END_OF_TIME = 2**62
#: So few jobs are looked up one by one.
_FEW = 4

_NONE = np.empty(0, np.int64)


class Ruling(NamedTuple):
    """What of a decision is to be done: jobs to start and to reject, when to ask again, what was promised to
    whom and noted, and which nodes jobs are to have; checked and as plain numbers.
    """

    start: Ints
    reject: Ints
    wake_at: int | None
    promised: Mapping[int, int]
    notes: Mapping[str, float]
    allocation: Mapping[int, Mapping[int, int]]


class Referee:
    """Checks the decisions of a policy.

    ``ids`` gives the jobs the names under which people know them; without it they are called by their
    numbers.
    """

    def __init__(self, policy: str, ids: Ints | None = None) -> None:
        self._policy = policy
        self._ids = ids

    def check(self, view: View, decision: object) -> Ruling:
        """What is to be done. BadDecision or OverAllocation if it cannot be."""
        if not isinstance(decision, Decision):
            raise BadDecision(
                f"policy '{self._policy}' should return a Decision, found "
                f"{type(decision).__name__} at time {view.now}. Return Decision(start=[...])."
            )
        start = self._job_numbers(decision.start, "start", view.now)
        reject = self._job_numbers(decision.reject, "reject", view.now)
        if start.size or reject.size:
            wanted = start.tolist()
            self._check_waiting(view, wanted + reject.tolist() if reject.size else wanted)
            self._check_room(view, wanted)
            if view.cap is not None and wanted:
                self._check_power(view, view.cap, wanted)
        wake = wake_time(decision, view)
        return Ruling(
            start,
            reject,
            None if wake is None else self._wake(wake, view.now),
            self._promises(decision, view) if decision.promised else {},
            {} if decision.notes == {} else self._notes(decision),
            self._nodes(decision, view, start) if decision.allocation else {},
        )

    def _job_numbers(self, numbers: Any, what: str, now: int) -> Ints:
        try:
            if len(numbers) == 0:
                return _NONE
            array = np.asarray(numbers)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise BadDecision(
                f"policy '{self._policy}': Decision.{what} should be a list of job numbers out of "
                f"view.queue, found {numbers!r} at time {now}."
            )
        return array.astype(np.int64)

    def _check_waiting(self, view: View, asked: list[int]) -> None:
        """Only waiting jobs, each once."""
        queue = view.queue
        if len(asked) <= _FEW:
            waits = all(_holds(queue, job) for job in asked)
        else:
            waits = bool(np.isin(asked, queue).all())
        if waits and len(set(asked)) == len(asked):
            return
        left = set(queue.tolist())
        for job in asked:
            if job not in left:
                raise BadDecision(
                    f"policy '{self._policy}' wants {self._name(job)} at time {view.now}, but it is not "
                    "waiting (not submitted yet, started before, or named twice). Choose from view.queue, "
                    "each once."
                )
            left.remove(job)

    def _check_room(self, view: View, start: list[int]) -> None:
        """No more than is free, one after the other."""
        free = view.free
        for job in start:
            needs = int(view.demand[job])
            if needs > free:
                raise OverAllocation(
                    f"policy '{self._policy}' starts {self._name(job)} at time {view.now}, which needs {needs} "
                    f"processors; {free} are free. Add up demand against view.free."
                )
            free -= needs

    def _check_power(self, view: View, cap: PowerLimit, start: list[int]) -> None:
        """No more than the cap allows at this moment."""
        left = cap.left(view.now, view.running)
        for job in start:
            draw = int(cap.draw[job])
            if draw > max(left, 0):
                raise OverAllocation(
                    f"policy '{self._policy}' starts {self._name(job)} at time {view.now}, which draws "
                    f"{watts(draw)} more than its cores do idle; the power cap leaves {watts(max(left, 0))}. "
                    "Add up View.cap.draw against its budget."
                )
            left -= draw

    def _nodes(self, decision: Decision, view: View, start: Ints) -> dict[int, dict[int, int]]:
        """The nodes that a policy has chosen: all units of a job, and no more than there is room for."""
        nodes = view.nodes
        chosen = self._whole_nodes(decision, view)
        if nodes is None:
            raise BadDecision(
                f"policy '{self._policy}': Decision.allocation is for a machine of nodes; this one is a pool. "
                "Look at view.nodes."
            )
        wanted = set(start.tolist())
        free = nodes.free.astype(np.int64)
        taken = set(nodes.held.node.tolist())
        for job, where in chosen.items():
            if job not in wanted:
                raise BadDecision(
                    f"policy '{self._policy}': Decision.allocation has nodes for {self._name(job)}, which is "
                    f"not among those that start at time {view.now}."
                )
            units = int(nodes.units[job])
            if sum(where.values()) != units or min(where.values(), default=0) < 1:
                raise BadDecision(
                    f"policy '{self._policy}': Decision.allocation should place the {units} unit(s) of "
                    f"{self._name(job)}, 1 or more on each of its nodes; found {where}."
                )
            for node, count in where.items():
                if not 0 <= node < len(free):
                    raise BadDecision(
                        f"policy '{self._policy}': Decision.allocation names node {node}; there are nodes 0 to "
                        f"{len(free) - 1}."
                    )
                if not nodes.open[nodes.where[job], node]:
                    raise BadDecision(
                        f"policy '{self._policy}' puts {self._name(job)} on node {node}, which is not of its "
                        "partition, or too small for a unit: see View.nodes.open."
                    )
                free[node] -= count * nodes.per_unit[job]
                short = np.flatnonzero(free[node] < 0)
                if short.size or (nodes.whole[node] and node in taken):
                    what = nodes.resources[short[0]] if short.size else "node to itself"
                    raise OverAllocation(
                        f"policy '{self._policy}' puts {count} unit(s) of {self._name(job)} on node {node} at "
                        f"time {view.now}, which has not enough: {what}. View.nodes tells what is free."
                    )
                taken.add(node)
        return chosen

    def _whole_nodes(self, decision: Decision, view: View) -> dict[int, dict[int, int]]:
        try:
            return {
                index(job): {index(node): index(count) for node, count in where.items()}
                for job, where in decision.allocation.items()
            }
        except (TypeError, AttributeError):
            raise BadDecision(
                f"policy '{self._policy}': Decision.allocation should be nodes and numbers of units by job "
                f"number, such as {{7: {{0: 2, 3: 1}}}}, found {decision.allocation!r} at time {view.now}."
            ) from None

    def _name(self, job: int) -> str:
        if self._ids is not None and 0 <= job < len(self._ids):
            return f"job {self._ids[job]} (number {job})"
        return f"job number {job}"

    def _wake(self, asked: Any, now: int) -> int:
        try:
            at = index(asked)
        except TypeError:
            at = now
        if not now < at < _END_OF_TIME:
            raise BadDecision(
                f"policy '{self._policy}': Decision.wake_at should be a whole number of seconds after "
                f"now ({now}), found {asked!r}."
            )
        return at

    def _promises(self, decision: Decision, view: View) -> dict[int, int]:
        checked = {}
        try:
            for job, latest in decision.promised.items():
                if not 0 <= index(job) < len(view.submit):
                    raise ValueError
                if not min(view.submit[job], view.now) <= index(latest) < _END_OF_TIME:
                    raise ValueError
                checked[index(job)] = index(latest)
        except (TypeError, ValueError, AttributeError):
            raise BadDecision(
                f"policy '{self._policy}': Decision.promised should be latest starts by job number, whole "
                f"seconds, none before the job's submission; found {decision.promised!r}."
            ) from None
        return checked

    def _notes(self, decision: Decision) -> dict[str, float]:
        try:
            return {str(said): float(value) for said, value in decision.notes.items()}
        except (TypeError, ValueError, AttributeError):
            raise BadDecision(
                f"policy '{self._policy}': Decision.notes should be numbers by name, found "
                f"{decision.notes!r}."
            ) from None


def _holds(queue: Ints, job: int) -> bool:
    """Whether a job waits. Queues are mostly in order, and whoever starts is mostly near their front."""
    place = int(queue.searchsorted(job))
    if place < queue.size and queue[place] == job:
        return True
    return bool((queue == job).any())
