"""One round of a replay, kept to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from packwise.model.decision import Decision, Policy
from packwise.model.errors import InputError, PackwiseError
from packwise.model.view import View
from packwise.model.workload import Ints
from packwise.optimise.round import Round


@dataclass(frozen=True, eq=False)
class Moment:
    """What a policy was shown at a round, and what it decided.

    Jobs are numbers, as in a view; ``running`` and ``expected_end`` go together. ``view``: where nodes
    matter, or power does.
    """

    round: Round
    running: Ints
    demand: Ints
    expected_end: Ints
    decision: Decision
    view: View | None = None

    @property
    def free(self) -> int:
        """Processors that nobody uses now."""
        return int(self.round.free[0])


def moment_of(replay: Callable[[Policy], object], policy: Policy, at: int | None) -> Moment:
    """The last round of a replay at or before a time; by default the first with the longest queue.

    ``replay`` is given a policy to replay, and ended as soon as the round is over.
    """
    watch = _Watch(policy, at)
    try:
        replay(watch)
    except _Enough:
        return watch.moment()
    if at is not None and watch.last is not None and at > watch.last:
        raise InputError(
            f"no round at {at} or later: all is decided at {watch.last}. {watch.where_to_look()}"
        )
    return watch.moment()


class _Enough(PackwiseError):
    """The round that was waited for is over. Ends a replay, and is never shown to anybody."""


class _Watch:
    """A policy that does as another one does, and keeps one of its rounds."""

    def __init__(self, policy: Policy, until: int | None) -> None:
        self.name = policy.name
        self.keeps_estimates = bool(getattr(policy, "keeps_estimates", False))
        self.power_cap = getattr(policy, "power_cap", None)
        self._policy = policy
        self._until = until
        self._kept: tuple[View, Ints, Decision] | None = None
        self._first: int | None = None
        self.last: int | None = None
        self._queue_before: int | None = None
        self._queue_after: int | None = None

    def decide(self, view: View) -> Decision:
        waiting = view.queue.size
        if self._first is None:
            self._first = view.now
        if self._until is not None and view.now > self._until:
            if self._kept is None or self._kept[0].queue.size:
                raise _Enough
            if waiting:
                self._queue_after = view.now
                raise _Enough
            return self._policy.decide(view)
        decision = self._policy.decide(view)
        self.last = view.now
        if waiting:
            self._queue_before = view.now
        if self._until is not None or self._kept is None or waiting > self._kept[0].queue.size:
            # The engine goes on writing to the column of estimates.
            self._kept = view, view.estimate[view.queue], decision
        return decision

    def moment(self) -> Moment:
        if self._kept is None:
            raise InputError(f"no round at {self._until} or before. {self.where_to_look()}")
        view, estimate, decision = self._kept
        if not view.queue.size:
            raise InputError(
                f"nobody waits at {view.now}, the last round until then. {self._nearest_queue(view.now)}"
            )
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

    def where_to_look(self) -> str:
        if self.last is None:
            return f"The first round is at {self._first}."
        return f"There are rounds from {self._first} to {self.last}."

    def _nearest_queue(self, asked: int) -> str:
        around = [t for t in (self._queue_before, self._queue_after) if t is not None]
        nearest = min(around, key=lambda time: abs(time - asked))
        return f"The nearest round with a queue is at {nearest}."


def _with_estimates(view: View, estimate: Ints) -> View:
    """The view with the estimates that the waiting jobs had."""
    every = view.estimate.copy()
    every[view.queue] = estimate
    return view._replace(estimate=every)
