"""Why a policy decided a round as it did: who starts, why the others wait, and what other plans are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from packwise.model.decision import Decision, wake_time
from packwise.model.errors import BadDecision, InputError, UnknownName
from packwise.model.workload import Ints
from packwise.optimise.bounds import bound_of_metric
from packwise.optimise.completion import Completed, complete
from packwise.optimise.metrics_of_plan import METRICS, alpha_of, metric_of_plan
from packwise.optimise.moment import Moment
from packwise.optimise.node_round import Lack, NodeRound, PowerLack
from packwise.optimise.round import Round

DEFAULT_OBJECTIVE = "AWF"
#: Higher powers of seconds leave the range of floating point.
HIGHEST_LEVEL = 20


@dataclass(frozen=True, eq=False)
class Plan:
    """Planned starts of the waiting jobs, and what the metrics make of them."""

    name: str
    start: Ints
    value: Mapping[str, float]
    starts_now: int

    def differs_from(self, other: Plan) -> bool:
        """Whether any job starts at another time."""
        return bool((self.start != other.start).any())


@dataclass(frozen=True, eq=False)
class Verdict:
    """What becomes of a waiting job. ``status``: starts, too wide, no room (on the nodes), no power (under a
    cap), would delay, or left (for no such reason).

    ``delays``: places of the jobs that would start later than planned if this one started now. ``lack``: what
    it would need on the nodes. ``power``: what it draws, and what is left.
    """

    status: str
    delays: tuple[int, ...] = ()
    lack: Lack | None = None
    power: PowerLack | None = None


@dataclass(frozen=True, eq=False)
class Explanation:
    """A round, the plan of its policy, the plans of others, and bounds on all of them.

    ``round`` is without the jobs that the policy refused: the job numbers in ``refused``. ``started``: the
    places of jobs that start now. ``nodes``: where it matters on which of them jobs run; the bound is then that
    of all cores together.
    """

    moment: Moment
    round: Round
    refused: Ints
    objective: str
    metrics: tuple[str, ...]
    started: Ints
    plan: Plan
    completed: Completed
    others: tuple[Plan, ...]
    bound: Mapping[str, float]
    nodes: NodeRound | None = None

    @property
    def free_after(self) -> int:
        """Processors left once those that start now have theirs."""
        return self.moment.free - int(self.round.demand[self.started].sum())

    @property
    def best_other(self) -> Plan | None:
        """The best by the objective of the plans that are not the policy's."""
        different = [one for one in self.others if one.differs_from(self.plan)]
        return min(different, key=lambda one: one.value[self.objective], default=None)

    def with_plan(self, name: str, start: Ints) -> Explanation:
        """The same with one more plan to compare with."""
        return replace(self, others=(*self.others, _valued(name, self.round, start, self.metrics)))

    def verdict(self, place: int) -> Verdict:
        """Why the job at this place of the round starts, or waits."""
        if place in self.started:
            return Verdict("starts")
        if self.nodes is not None:
            lack = self.nodes.lack(int(self.round.job[place]))
            if lack.room < lack.units:
                return Verdict("no room", lack=lack)
            power = self.nodes.power_lack(int(self.round.job[place]))
            if power is not None:
                return Verdict("no power", power=power)
        elif self.round.demand[place] > self.free_after:
            return Verdict("too wide")
        delayed = self._delayed_by(place)
        reserved = delayed[np.isin(delayed, self.completed.own)]
        named = reserved if reserved.size else delayed
        return Verdict("would delay" if named.size else "left", tuple(named.tolist()))

    def _delayed_by(self, place: int) -> Ints:
        """Who would start later than planned if this job started now as well, by planned start."""
        first = [*self.started.tolist(), place]
        rest = self._by_start[~np.isin(self._by_start, first)]
        if self.nodes is not None:
            too = self.nodes.started_too(int(self.round.job[place]))
            return rest[too.insert(self.round.job[rest]) > self.plan.start[rest]]
        moved = self.round.insert(np.concatenate([first, rest]).astype(np.int64))
        return rest[moved[rest] > self.plan.start[rest]]

    @cached_property
    def _by_start(self) -> Ints:
        return self.round.order_by(self.plan.start)


def explain(moment: Moment, policy: str, objective: str) -> Explanation:
    """What there is to say about a round of a policy."""
    refused = np.isin(moment.round.job, np.asarray(moment.decision.reject, np.int64))
    if refused.all():
        raise InputError(f"'{policy}' refuses every waiting job at {moment.round.now}.")
    round = moment.round.part(np.flatnonzero(~refused)) if refused.any() else moment.round
    decision = moment.decision
    _check_planned(policy, decision, round.now)
    started = np.flatnonzero(np.isin(round.job, np.asarray(decision.start, np.int64)))
    nodes = None
    if moment.view is None:
        completed = complete(round, started, decision.planned, decision.wake_at)
        plans = {name: round.insert(order) for name, order in round.list_orders().items()}
    else:
        everybody = NodeRound(moment.view, {})
        nodes = NodeRound.of(moment.view, round.job[started], decision.allocation)
        completed = _completed_on_nodes(round, nodes, started, decision)
        plans = {
            name: _by_place(order, everybody.insert(round.job[order]))
            for name, order in round.list_orders().items()
        }
    metrics = tuple(dict.fromkeys([*METRICS, objective]))
    plan = _valued(policy, round, completed.start, metrics)
    lists = [_valued(name, round, start, metrics) for name, start in plans.items()]
    return Explanation(
        moment=moment,
        round=round,
        refused=moment.round.job[refused],
        objective=objective,
        metrics=metrics,
        started=started,
        plan=plan,
        completed=completed,
        others=tuple(one for one in lists if one.name != policy or plan.differs_from(one)),
        bound={name: bound_of_metric(name, round) for name in metrics},
        nodes=nodes,
    )


def _by_place(order: Ints, starts: Ints) -> Ints:
    """Starts in the order of places, from those in another order."""
    found = np.empty_like(starts)
    found[order] = starts
    return found


def _completed_on_nodes(
    round: Round, nodes: NodeRound, started: Ints, decision: Decision
) -> Completed:
    """All starts on nodes: those without one of the policy's are put behind the others, in submission order."""
    start = np.full(len(round), round.now, np.int64)
    reserved = [i for i, job in enumerate(round.job.tolist()) if job in decision.planned]
    start[reserved] = [decision.planned[job] for job in round.job[reserved].tolist()]
    own = np.concatenate([started, np.array(reserved, np.int64)])
    rest = np.setdiff1d(np.arange(len(round)), own)
    if rest.size:
        first = np.array(reserved, np.int64)[np.argsort(start[reserved], kind="stable")]
        order = np.concatenate([first, rest])
        found = nodes.insert(round.job[order])[len(first) :]
        # Who is left waiting starts when the policy is next asked, as far as is known, or later.
        later = nodes.after.expected_end
        asked = [int(later.min()) if later.size else round.now + 1]
        wake = wake_time(decision, nodes.view)
        if wake is not None:
            asked.append(wake)
        start[rest] = np.maximum(found, max(min(asked), round.now + 1))
    return Completed(start, own, True)


def _check_planned(policy: str, decision: Decision, now: int) -> None:
    """Refuse what is no plan; a replay does not look at it."""
    planned: Any = decision.planned
    if not isinstance(planned, Mapping) or not all(
        isinstance(start, int | np.integer) for start in planned.values()
    ):
        raise BadDecision(
            f"policy '{policy}': Decision.planned should map job numbers to starts in whole seconds, found "
            f"{planned!r} at time {now}."
        )


def objective_of(policy: Any, asked: str | None) -> str:
    """The metric asked for, or else the one that a policy says it minimises, or else AWF."""
    if asked is not None:
        if not _is_metric(asked):
            raise UnknownName("metric", asked, METRICS, remedy="Plans are judged by one metric.")
        if (alpha_of(asked) or 0.0) > HIGHEST_LEVEL:
            raise InputError(
                f"metric '{asked}': expected a level of {HIGHEST_LEVEL} or less. Try P2SF."
            )
        return asked.upper()
    for own in (getattr(policy, "metric", None), getattr(policy, "objective", None)):
        name = getattr(own, "name", own)
        if isinstance(name, str) and _is_metric(name):
            return name.upper()
    return DEFAULT_OBJECTIVE


def _is_metric(name: str) -> bool:
    return name.upper() in METRICS or alpha_of(name) is not None


def _valued(name: str, round: Round, start: Ints, metrics: Sequence[str]) -> Plan:
    value = {metric: metric_of_plan(metric, round, start) for metric in metrics}
    return Plan(name, start, value, int((start == round.now).sum()))
