"""MultiSearch: the job-based heuristic in 22 orders; and the plan that a search has found.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', algorithm 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf

from packwise.model.workload import Ints
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.orders import orders
from packwise.optimise.profit.plan import Plan
from packwise.optimise.profit.pool import Pool
from packwise.optimise.profit.watch import Watch

#: The order of the job-based heuristic where it is used alone.
PLAIN = "+earliest-start"


#: A difference below this part of a cost is rounding.
_ROUNDING = 1e-9


def is_less(cost: float, than: float) -> bool:
    """Whether a plan costs less than another, rounding apart."""
    return cost < than if isinf(than) else cost < than - _ROUNDING * abs(than)


@dataclass
class Found:
    """The best plan of a search so far, what the plan cost that it began from and its order, and when it was
    found.
    """

    plan: Plan
    cost: float
    begun: float
    order: Ints
    name: str
    seconds: float

    @property
    def improved(self) -> bool:
        """Whether it is better than what it began from."""
        return is_less(self.cost, self.begun)

    @property
    def anybody(self) -> bool:
        """Whether anybody starts: where no order finds room for one, no search does."""
        return bool((self.plan.start != LATER).any())

    def offer(self, floor: Pool, start: Ints, watch: Watch) -> bool:
        """Keep these starts, which were inserted last, if they cost less. Says whether they do."""
        cost = floor.problem.cost(start)
        if not is_less(cost, self.cost):
            return False
        self.plan, self.cost, self.seconds = floor.plan(start), cost, watch.seconds
        return True


def multi(floor: Pool, watch: Watch, only: str | None = None) -> Found:
    """The best plan of all orders, or that of one; all are tried, whatever the budget."""
    best: Found | None = None
    seen = set()  # criteria that sort alike, such as those of power by profit where no two jobs tie
    for name, order in orders(floor.problem):
        if (only is not None and name != only) or order.tobytes() in seen:
            continue
        seen.add(order.tobytes())
        start = floor.insert(order)
        watch.count_pass()
        cost = floor.problem.cost(start)
        if best is None or cost < best.cost:
            best = Found(floor.plan(start), cost, cost, order, name, watch.seconds)
    assert best is not None
    return best


def begun(floor: Pool, watch: Watch) -> Found:
    """MultiSearch as the beginning of another search, whose budget begins after it, as in the paper."""
    best = multi(floor, watch)
    watch.restart()
    best.seconds = 0.0
    return best
