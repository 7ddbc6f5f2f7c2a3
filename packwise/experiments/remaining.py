"""How long the rest of a study will take, by what its scenarios have taken so far.

A forecast made beforehand may be off by any factor, and the first scenarios are no measure of the others: they
wait for processes to start and code to be compiled, and the longest come first. So what each took is measured
where it ran, without compilation, and held against its forecast, policy by policy. Before half of what is left
can be judged in that way, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from packwise.experiments.execution import Planned

#: The share of what is left that has to be of kinds of scenarios that have been seen.
_KNOWN = 0.5
#: Of a scenario under way so much is taken to be left at least, as a share of what it takes.
_AT_LEAST = 0.05

#: Policy and estimate: scenarios of one kind differ by their workload only.
_Kind = tuple[str, str]


class Remaining:
    """Times are seconds of any clock; ``workers`` tells how many there are now."""

    def __init__(self, planned: Iterable[Planned], workers: Callable[[], int]) -> None:
        self._workers = workers
        self._guess: dict[str, float] = {}
        self._kind: dict[str, _Kind] = {}
        for one in planned:
            key, scenario = one.scenario.key, one.scenario
            self._guess[key] = max(one.seconds, 1e-6)
            self._kind[key] = scenario.policy.content, scenario.estimate.content
        self._left: dict[_Kind, float] = {}
        for key, guess in self._guess.items():
            self._left[self._kind[key]] = self._left.get(self._kind[key], 0.0) + guess
        self._guessed: dict[_Kind, float] = {}
        self._took: dict[_Kind, float] = {}
        self._under_way: dict[str, float] = {}
        self._first_end: float | None = None
        self._since_first = 0.0

    def begin(self, key: str, now: float) -> None:
        """A scenario is handed out."""
        self._under_way[key] = now

    def done(self, key: str, took: float, now: float) -> None:
        """A scenario has ended that took so many seconds of a worker."""
        kind, guess = self._kind[key], self._guess[key]
        self._under_way.pop(key, None)
        self._left[kind] = max(0.0, self._left[kind] - guess)
        self._guessed[kind] = self._guessed.get(kind, 0.0) + guess
        self._took[kind] = self._took.get(kind, 0.0) + took
        if self._first_end is None:
            self._first_end = now
        else:
            self._since_first += took

    def seconds_left(self, now: float) -> float | None:
        """About how long until all is done; None while it cannot be told."""
        factors = self._factors()
        if factors is None:
            return None
        work = {kind: left * factors[kind] for kind, left in self._left.items()}
        if sum(work[kind] for kind in self._known()) < _KNOWN * sum(work.values()):
            return None
        begun = {key: self._guess[key] * factors[self._kind[key]] for key in self._under_way}
        rest = {
            key: max(seconds - (now - self._under_way[key]), _AT_LEAST * seconds)
            for key, seconds in begun.items()
        }
        total = max(0.0, sum(work.values()) - sum(begun.values())) + sum(rest.values())
        return max(total / self._at_once(begun, now), max(rest.values(), default=0.0))

    def _factors(self) -> dict[_Kind, float] | None:
        """What a second of the forecast takes, by kind.

        Those not seen yet are like the others of the policy, or else like all others.
        """
        taken = sum(self._took.values())
        if not taken:
            return None
        took: dict[str, float] = {}
        guessed: dict[str, float] = {}
        for kind in self._took:
            took[kind[0]] = took.get(kind[0], 0.0) + self._took[kind]
            guessed[kind[0]] = guessed.get(kind[0], 0.0) + self._guessed[kind]
        factors = {policy: took[policy] / guessed[policy] for policy in took}
        overall = taken / sum(guessed.values())
        return {
            kind: self._took[kind] / self._guessed[kind]
            if kind in self._took
            else factors.get(kind[0], overall)
            for kind in self._left
        }

    def _known(self) -> set[_Kind]:
        """Those that can be judged: seen themselves, or their policy and their estimate with others."""
        policies, estimates = ({kind[i] for kind in self._took} for i in (0, 1))
        return {kind for kind in self._left if kind[0] in policies and kind[1] in estimates}

    def _at_once(self, begun: Mapping[str, float], now: float) -> float:
        """How much work is done at the same time: less than there are workers if these wait for us.

        Measured since the first scenario ended, with what is under way (``begun``: how long it will take).
        """
        workers = float(max(1, self._workers()))
        if self._first_end is None or now <= self._first_end:
            return workers
        window = now - self._first_end
        spent = self._since_first + sum(
            min(now - self._under_way[key], window, seconds) for key, seconds in begun.items()
        )
        return min(workers, spent / window) if spent else workers
