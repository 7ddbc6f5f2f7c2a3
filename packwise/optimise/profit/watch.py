"""How much of a budget a search has used."""

from __future__ import annotations

import time

from packwise.optimise.offline.budget import Budget, evaluations_of_a_pass


class Watch:
    """Counts from its making on, or from where a search begins anew. An order that is inserted counts as so
    many evaluations as it has fifties of jobs, a neighbourhood as one.
    """

    def __init__(self, budget: Budget, jobs: int) -> None:
        self._budget = budget
        self._pass = evaluations_of_a_pass(jobs)
        self._began = time.monotonic()
        self.evaluations = 0

    def restart(self) -> None:
        """What was done so far does not count: the plan to begin with is there."""
        self._began = time.monotonic()
        self.evaluations = 0

    def count(self, tries: int) -> None:
        """Some neighbourhoods were tried."""
        self.evaluations += tries

    def count_pass(self) -> None:
        """An order was inserted."""
        self.evaluations += self._pass

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def seconds_left(self) -> float | None:
        """Seconds that are left; None if they are not counted."""
        return None if self._budget.seconds is None else self._budget.seconds - self.seconds

    @property
    def used(self) -> float:
        """The share of the budget that is gone."""
        if self._budget.seconds is not None:
            return self.seconds / self._budget.seconds
        assert self._budget.evaluations is not None
        return self.evaluations / self._budget.evaluations

    def tries_left(self, most: int) -> int:
        """How many neighbourhoods to try before looking again."""
        if self._budget.evaluations is None:
            return most
        return max(0, min(most, self._budget.evaluations - self.evaluations))
