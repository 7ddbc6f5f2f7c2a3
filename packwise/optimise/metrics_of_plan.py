"""What a plan would be worth: the metrics of the papers over the waiting jobs, with E in place of D.

Goponenko et al., DEBS 2024, equations 3 to 6 and 9: the local objective functions of their rounds.
"""

from __future__ import annotations

import re

import numpy as np

from packwise.model.errors import UnknownName
from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.columns import LATE
from packwise.optimise.round import Round

#: Run times below this count as this in the bounded slowdown, in seconds.
BOUND = 10.0
METRICS = ("AF", "AWF", "BSLD", "P2SF")
_SPECIFIC = re.compile(r"P(\d+(?:\.\d+)?)SF")


def alpha_of(metric: str) -> float | None:
    """The level of a priority-weighted specific time such as P2SF; None for another metric."""
    found = _SPECIFIC.fullmatch(metric.upper())
    return float(found.group(1)) if found else None


def metric_of_plan(metric: str, round: Round, start: Ints) -> float:
    """AF, AWF, BSLD or P<alpha>SF of the waiting jobs if they started so and ran for E.

    Where deadlines matter: that of the regular jobs, plus what the others cost by being late, if that is to be
    weighed: as many times the same delay of a regular job as in the order search.
    """
    if round.deadline is None:
        return _metric(metric, round, start)
    regular = np.flatnonzero(round.regular)
    value = _metric(metric, round.part(regular), start[regular])
    if round.soft:
        weights, total = delay_weights(metric, round)
        late = np.maximum(0, start - round.latest)
        value += float((LATE * weights * late).sum()) / total
    return value


def delay_weights(metric: str, round: Round) -> tuple[Floats, float]:
    """What a second of delay counts in AF, AWF or BSLD for each job, and the sum that is divided by: that of
    the regular jobs.
    """
    match metric.upper():
        case "AF":
            weights = np.ones(len(round))
        case "AWF":
            weights = round.demand.astype(float) * round.estimate
        case "BSLD":
            weights = 1.0 / np.maximum(round.estimate, BOUND)
        case _:
            raise UnknownName("metric", metric, METRICS)
    counted = weights if metric.upper() == "AWF" else np.ones(len(round))
    return weights, float(counted[round.regular].sum()) or 1.0


def _metric(metric: str, round: Round, start: Ints) -> float:
    if not len(round):
        return 0.0
    wait = (start - round.submit).astype(float)
    estimate = round.estimate.astype(float)
    flow = wait + estimate
    demand = round.demand.astype(float)
    alpha = alpha_of(metric)
    if alpha is not None:
        above = (demand * (flow ** (alpha + 2) - wait ** (alpha + 2))).sum()
        below = (demand * (flow ** (alpha + 1) - wait ** (alpha + 1))).sum()
        return float((alpha + 1) / (alpha + 2) * above / below)
    match metric.upper():
        case "AF":
            return float(flow.mean())
        case "AWF":
            return float((demand * estimate * flow).sum() / (demand * estimate).sum())
        case "BSLD":
            return float(np.maximum(1.0, flow / np.maximum(estimate, BOUND)).mean())
    raise UnknownName("metric", metric, METRICS)
