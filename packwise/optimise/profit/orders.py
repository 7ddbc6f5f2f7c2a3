"""The orders of MultiSearch.

'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling', section 7.1: eleven criteria, each in both
directions. A job's latest start is the horizon less its duration, so the second is the reverse of the third; a
job's profit is revenue less the cost of energy at a mean price.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from packwise.model.workload import Floats, Ints
from packwise.optimise.profit.problem import Problem


def orders(problem: Problem) -> Iterator[tuple[str, Ints]]:
    """Each order by its name, ``+`` increasing and ``-`` decreasing. Ties are by submission, unless the
    criterion breaks them.
    """
    submit = problem.setting.log.submit[problem.picked]
    for name, keys in _criteria(problem).items():
        for direction, sign in (("+", 1.0), ("-", -1.0)):
            columns = [sign * key for key in keys]
            yield direction + name, np.lexsort((submit, *reversed(columns)))


def _criteria(problem: Problem) -> dict[str, tuple[Floats, ...]]:
    jobs, setting, picked = problem.jobs, problem.setting, problem.picked
    duration = jobs.duration.astype(float)
    cores = jobs.demand.astype(float)
    units = setting.units[picked]
    power = setting.power[picked]
    profit = setting.earns[picked] * duration
    ratio = np.divide(power, profit, out=np.full(len(power), np.inf), where=profit != 0)
    return {
        "earliest-start": (jobs.release.astype(float),),
        "latest-start": (-duration,),
        "duration": (duration,),
        "units": (units,),
        "per-node": (cores / units,),
        "resources": (cores,),
        "work": (cores * duration,),
        "power": (power,),
        "power-profit": (ratio,),
        "power-profit-short": (ratio, duration),
        "power-profit-long": (ratio, -duration),
    }
