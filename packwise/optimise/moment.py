"""One round of a replay, kept to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from packwise.model.cluster import Cluster
from packwise.model.decision import Decision, Policy
from packwise.model.errors import InputError, PackwiseError
from packwise.model.view import View
from packwise.model.workload import Ints, Workload
from packwise.optimise.round import Round


@runtime_checkable
class PlansWhenAsked(Protocol):
    """A policy that does not plan in every round, and can say what it would plan."""

    def plan_of(self, view: View, decision: Decision) -> dict[int, int]: ...


@dataclass(frozen=True, eq=False)
class Moment:
    """What a policy was shown at a round, and what it decided.

    Jobs are numbers, as in a view; ``running`` and ``expected_end`` go together. ``view``: where nodes
    matter, or power does. ``asked``: the time that was asked for, where nobody waits then.
    """

    round: Round
    running: Ints
    demand: Ints
    expected_end: Ints
    decision: Decision
    view: View | None = None
    asked: int | None = None

    @property
    def free(self) -> int:
        """Processors that nobody uses now."""
        return int(self.round.free[0])


def moment_of(replay: Callable[[Policy], object], policy: Policy, at: int | None) -> Moment:
    """The last round of a replay at or before a time; where nobody waits then, the nearest at which somebody
    does. By default the first with the longest queue.

    ``replay`` is given a policy to replay, and ended as soon as the round is over.
    """
    watch = _watched(replay, policy, at)
    if not watch.has_queue:
        nearest = watch.nearest_queue()
        if nearest is None:
            raise InputError("nobody ever waits in this replay: there is no round to explain.")
        return replace(_watched(replay, policy, nearest).moment(), asked=at)
    return watch.moment()


def _watched(replay: Callable[[Policy], object], policy: Policy, at: int | None) -> _Watch:
    watch = _Watch(policy, at)
    with suppress(_Enough):
        replay(watch)
    return watch


class _Enough(PackwiseError):
    """The round that was waited for is over. Ends a replay, and is never shown to anybody."""


class _Watch:
    """A policy that does as another one does, and keeps one of its rounds."""

    def __init__(self, policy: Policy, until: int | None) -> None:
        self.name = policy.name
        self.keeps_estimates = bool(getattr(policy, "keeps_estimates", False))
        self.power_cap = getattr(policy, "power_cap", None)
        self.placement = getattr(policy, "placement", None)
        self.nodes_matter = bool(getattr(policy, "nodes_matter", False))
        for compiled in ("parts", "node_parts", "parts_to_decide"):
            setattr(self, compiled, getattr(policy, compiled, ()))
        self._policy = policy
        self._until = until
        self._kept: tuple[View, Ints, Decision] | None = None
        self._queue_before: int | None = None
        self._queue_after: int | None = None

    def bound(self, workload: Workload, cluster: Cluster) -> _Watch:
        """Of policies that have to know what a replay is of."""
        bind = getattr(self._policy, "bound", None)
        if bind is not None:
            self._policy = bind(workload, cluster)
        return self

    def decide(self, view: View) -> Decision:
        waiting = view.queue.size
        if self._until is not None and view.now > self._until:
            if self.has_queue:
                raise _Enough
            if waiting:
                self._queue_after = view.now
                raise _Enough
            return self._policy.decide(view)
        decision = self._policy.decide(view)
        if waiting:
            self._queue_before = view.now
        if self._until is not None or self._kept is None or waiting > self._kept[0].queue.size:
            # The engine goes on writing to the column of estimates.
            self._kept = view, view.estimate[view.queue], decision
        return decision

    @property
    def has_queue(self) -> bool:
        """Whether somebody waits at the round that is kept."""
        return self._kept is not None and bool(self._kept[0].queue.size)

    def nearest_queue(self) -> int | None:
        """The round with a queue that is nearest to the one asked for."""
        around = [t for t in (self._queue_before, self._queue_after) if t is not None]
        asked = 0 if self._until is None else self._until
        return min(around, key=lambda time: abs(time - asked), default=None)

    def moment(self) -> Moment:
        assert self._kept is not None
        view, estimate, decision = self._kept
        if isinstance(self._policy, PlansWhenAsked):
            decision = replace(decision, planned=self._policy.plan_of(view, decision))
        return Moment(
            replace(Round.from_view(view), estimate=estimate),
            view.running,
            view.demand[view.running],
            view.expected_end,
            decision,
            _with_estimates(view, estimate)
            if view.nodes is not None and view.nodes.matter
            else None,
        )


def _with_estimates(view: View, estimate: Ints) -> View:
    """The view with the estimates that the waiting jobs had."""
    every = view.estimate.copy()
    every[view.queue] = estimate
    return view._replace(estimate=every)
