"""How good could any plan of a round be? Lower bounds on the metrics of a plan.

**Fluid.** A job that starts at b uses r processors from b to b + E. The mean moment of its computation is
M = b + E/2, so it completes at M + E/2. Now let computation be poured into the free processors, in any
amounts, from the first moment on at which r processors are free. Every plan is such a pouring, so the cheapest
pouring is a bound. Exchanging computation of two jobs between two moments shows which one is cheapest:

* for a sum of w x completion: always pour the job with the largest w / (r E) of those that may run
  (Goemans et al., SIAM J. Discrete Math. 15(2), 2002, on one machine);
* for a sum over computation of a convex function of its age t - s: always the one submitted first.

**Alone.** A job starts no earlier than it would if it were the only one.

**Both.** Costs are sums over jobs. Some of the jobs, poured as if the others did not exist, and the others,
each alone, add up to a bound whichever these some are; good ones are searched for. (The larger of the two for
each job of one pouring would be no bound.)

**P^a SF** is (a+1)/(a+2) N/D with N = sum r (F^(a+2) - Q^(a+2)) and D = sum r (F^(a+1) - Q^(a+1)). N is the
integral of (a+2) x^(a+1), which is convex, over all computation of age x. The ratio is L or more if
(a+1)/(a+2) N - L D is never negative, which is the integral of (a+1) x^a (x - L). That price falls until
x = L a/(a+1), and is convex and rises from there on. Held at its lowest until then, it is nowhere higher than
before, convex, and never falls. So its cheapest pouring is known, and the ratio is at least any L for which
that is not negative.
"""

from __future__ import annotations

import math

import numpy as np

from packwise.model.errors import UnknownName
from packwise.model.workload import Floats, Ints
from packwise.optimise.metrics_of_plan import BOUND, METRICS, alpha_of, metric_of_plan
from packwise.optimise.round import Round

#: How many jobs are tried outside the fluid.
_TRIES = 200
#: Halvings of the interval in which the bound on a ratio lies.
_HALVINGS = 30


def relative_gap(value: float, bound: float) -> float:
    """How much of a value could be saved at most; NaN where there is no bound."""
    if math.isnan(bound):
        return math.nan
    return max(0.0, value - bound) / value if value else 0.0


def fluid_bound(round: Round, weights: Floats) -> float:
    """What the sum of weight x completion is at least, in any plan."""
    return _weighted(round, weights, np.full(len(round), -np.inf))


def bound_of_metric(metric: str, round: Round) -> float:
    """What AF, AWF, BSLD or P<alpha>SF of a plan is at least, in its own unit."""
    if not len(round):
        return 0.0
    alpha = alpha_of(metric)
    if alpha is not None:
        return _ratio_bound(metric, alpha, round)
    submit = round.submit.astype(float)
    estimate = round.estimate.astype(float)
    area = round.demand * estimate
    match metric.upper():
        case "AF":
            total = fluid_bound(round, np.ones(len(round)))
            return (total - float(submit.sum())) / len(round)
        case "AWF":
            return float((fluid_bound(round, area) - (area * submit).sum()) / area.sum())
        case "BSLD":
            weights = 1 / np.maximum(estimate, BOUND)
            least = 1 + weights * submit  # a slowdown is 1 or more
            total = _weighted(round, weights, least) - float((weights * submit).sum())
            return max(1.0, total / len(round))
    raise UnknownName("metric", metric, METRICS)


def _weighted(round: Round, weights: Floats, least: Floats) -> float:
    """A bound on the sum of max(weight x completion, least)."""
    demand, estimate = round.demand.astype(float), round.estimate.astype(float)
    density = weights / (demand * estimate)
    known = weights * (round.now + estimate / 2)  # a job that is poured right now completes then
    alone = weights * (_earliest(round) + estimate)
    now = np.full(len(round), float(round.now))
    order = round.order_by(-density)
    return float(known.sum()) + _cheapest(
        round, order, density, now, np.maximum(alone, least) - known, 0.0, 0.0
    )


def aged_bound(round: Round, alpha: float, ratio: float) -> float:
    """What (alpha+1)/(alpha+2) N - ratio D is at least: what all computation pays for its age."""
    from packwise.optimise.kernels.fluid import prices_alone

    submit = round.submit.astype(float)
    wait = _earliest(round) - submit
    alone = prices_alone(wait, round.demand, round.estimate, alpha, ratio)
    return _cheapest(
        round, round.order_by(submit), np.ones(len(round)), submit, alone, alpha, ratio
    )


def _ratio_bound(metric: str, alpha: float, round: Round) -> float:
    """The largest ratio for which all computation still pays for its age."""
    low, high = 0.0, metric_of_plan(metric, round, round.insert(round.order_by()))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if aged_bound(round, alpha, middle) >= 0:
            low = middle
        else:
            high = middle
    return low


def _cheapest(
    round: Round,
    order: Ints,
    scale: Floats,
    since: Floats,
    alone: Floats,
    alpha: float,
    ratio: float,
) -> float:
    from packwise.optimise.kernels.fluid import pour_or_place

    jobs = round.demand, round.estimate, alone
    return float(
        pour_or_place(order, scale, since, *jobs, round.times, round.free, alpha, ratio, _TRIES)
    )


def _earliest(round: Round) -> Floats:
    """When each job could start if it were the only one."""
    from packwise.optimise.kernels.fluid import starts_alone

    return np.asarray(starts_alone(round.demand, round.estimate, round.times, round.free))
