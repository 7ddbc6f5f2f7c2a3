"""How much a metric rests on single parts of a log, where one run is all there is.

The log is cut into parts by the time of submission, and the metric is measured again without each of them (the
jackknife: J. W. Tukey, Annals of Mathematical Statistics 1958). What comes of that can be used like the values
of replicas: if two schedules differ by the doing of a few parts only, the difference is within the noise. Parts
are long (days, where the log has enough of them, and several waits), since jobs that are close in time have
much in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from packwise.metrics.catalogue import metric, summarize
from packwise.metrics.outcome import Mask
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload

_DAY = 86400
_MOST_PARTS, _FEWEST_PARTS = 30, 20
#: With fewer parts that have jobs, nothing can be said.
_ENOUGH = 8
#: A part is as long as so many waits: a shorter one would share its queue with the next.
_WAITS = 4


def log_parts(submit: Ints, least: float = 0) -> Ints:
    """The part of each job, counted from 0 without gaps: at most 30, of whole days if there are 20 days, and
    none shorter than ``least`` seconds.
    """
    first = int(submit.min())
    span = int(submit.max()) - first + 1
    days = -(-span // _DAY)
    length = _DAY * -(-days // _MOST_PARTS) if days >= _FEWEST_PARTS else -(-span // _FEWEST_PARTS)
    _, part = np.unique((submit - first) // max(length, int(least)), return_inverse=True)
    found: Ints = part.reshape(-1)
    return found


def parts_of(workload: Workload, schedule: Schedule) -> Ints | None:
    """Parts of a log that are long beside the waits of a schedule; None if there are too few of these."""
    ran = schedule.ran
    if not ran.any():
        return None
    part = log_parts(workload.submit, _WAITS * float(schedule.wait(workload)[ran].mean()))
    return part if len(np.unique(part[ran])) >= _ENOUGH else None


def values_by_parts(
    workload: Workload,
    cluster: Cluster,
    schedule: Schedule,
    names: Iterable[str],
    part: Ints,
    only: Mask | None = None,
) -> dict[str, Floats]:
    """By metric: the jackknife's pseudo-values, moved so that their mean is the metric's value; of
    ``only`` some jobs.

    Metrics of the machine as a whole, of single jobs (the longest wait), and those that cost much are left
    out: of them the parts tell nothing. So is one of the user's own that cannot be measured on a part of the
    jobs.
    """
    chosen = (metric(name) for name in names)
    told = [one.name for one in chosen if not (one.costly or one.of_all_jobs or one.of_extremes)]
    measured = schedule.ran if only is None else schedule.ran & only
    there = np.unique(part[measured])
    if not told or len(there) < 2:
        return {}
    whole = summarize(workload, cluster, schedule, told, only=only)
    without = [
        _measured(workload, cluster, schedule, told, measured & (part != one))
        for one in there.tolist()
    ]
    found = {}
    for name in told:
        if all(name in values for values in without):
            rest = np.array([values[name] for values in without], np.float64)
            found[name] = whole[name] + (len(there) - 1) * (rest.mean() - rest)
    return found


def _measured(
    workload: Workload, cluster: Cluster, schedule: Schedule, names: Sequence[str], only: Mask
) -> dict[str, float]:
    """Those of the metrics that can be measured on these jobs."""
    try:
        return summarize(workload, cluster, schedule, names, only=only)
    except InputError:
        if len(names) == 1:
            return {}
    apart = (_measured(workload, cluster, schedule, [name], only) for name in names)
    return {name: value for one in apart for name, value in one.items()}
