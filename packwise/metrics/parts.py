"""How much a metric rests on single parts of a log, where one run is all there is.

The log is cut into parts by the time of submission, and the metric is measured again without each of them (the
jackknife: J. W. Tukey, Annals of Mathematical Statistics 1958). What comes of that can be used like the values
of replicas: if two schedules differ by the doing of a few parts only, the difference is within the noise. Parts
are long (days at least, where the log has enough of them), since jobs that are close in time have much in
common.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from packwise.metrics.catalogue import metric, summarize
from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload

_DAY = 86400
_MOST_PARTS, _FEWEST_PARTS = 30, 20
#: With fewer parts that have jobs, nothing can be said.
_ENOUGH = 8


def log_parts(submit: Ints) -> Ints:
    """The part of each job, counted from 0 without gaps: at most 30, of whole days if there are 20 days."""
    first = int(submit.min())
    span = int(submit.max()) - first + 1
    days = -(-span // _DAY)
    length = _DAY * -(-days // _MOST_PARTS) if days >= _FEWEST_PARTS else -(-span // _FEWEST_PARTS)
    _, part = np.unique((submit - first) // length, return_inverse=True)
    found: Ints = part.reshape(-1)
    return found


def values_by_parts(
    workload: Workload, cluster: Cluster, schedule: Schedule, names: Iterable[str]
) -> dict[str, Floats]:
    """By metric: the jackknife's pseudo-values, moved so that their mean is the metric's value.

    Metrics of the machine as a whole, and those that cost much, are left out: of them the parts tell nothing.
    Empty where the log has too few parts.
    """
    wanted = [metric(name) for name in names]
    told = [one.name for one in wanted if not (one.costly or one.of_all_jobs)]
    part = log_parts(workload.submit)
    there = np.unique(part[schedule.ran])
    if not told or len(there) < _ENOUGH:
        return {}
    whole = summarize(workload, cluster, schedule, told)
    without = [
        summarize(workload, cluster, schedule, told, only=part != one) for one in there.tolist()
    ]
    found = {}
    for name in told:
        rest = np.array([values[name] for values in without], np.float64)
        found[name] = whole[name] + (len(there) - 1) * (rest.mean() - rest)
    return found
