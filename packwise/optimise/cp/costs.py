"""What an objective tells the model builder: costs of starts, one function per job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Floats, Ints

if TYPE_CHECKING:
    from packwise.optimise.cp.model import Model


class Costs(Protocol):
    """Costs to be added up over the jobs. Starts are in seconds from now."""

    @property
    def rank(self) -> Floats:
        """Of jobs that are alike otherwise, a lower one goes first."""
        ...

    def may_go_first(self, before: Ints, after: Ints) -> NDArray[np.bool_]:
        """For pairs of alike jobs: whether letting the first go first never costs more."""
        ...

    def latest(self, reference: Ints) -> Ints:
        """Starts that no plan as good as the reference goes beyond."""
        ...

    def minimise(self, model: Model) -> float:
        """Add the objective to a model, in whole numbers; the answer is how many of them make one."""
        ...

    def bound(self, cost: float) -> float:
        """What a lower bound of the sum of costs says about the metric."""
        ...
