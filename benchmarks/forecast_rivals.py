"""What forecasts of starts are measured against: the usual rule, and the plan with limits."""

from __future__ import annotations

import numpy as np

from packwise.forecasting.arrivals import Arrivals
from packwise.forecasting.futures import Futures
from packwise.forecasting.history import History
from packwise.forecasting.run_times import size_class
from packwise.forecasting.situation import Situation
from packwise.model.cluster import Cluster
from packwise.model.workload import Floats, Ints, Workload


def waits_of_like_jobs(
    workload: Workload,
    start: Ints,
    places: Ints,
    asked: Ints,
    *,
    last: int,
    patience: int,
    queues: bool = False,
) -> tuple[Floats, Floats]:
    """The usual rule: mean and median wait of the last jobs of the same classes of size and limit that had
    started, and with ``queues`` of the same queue, from the moment of asking on. Of them only those count that
    waited for longer than ``patience``, as who is asked for does: with the others the rule would be worse.
    """
    wait = start - workload.submit
    kinds = [size_class(workload.demand), size_class(workload.requested_time)]
    kinds += [workload.queue] if queues else []
    history = History.of(workload, np.where(wait > patience, start, -1)) if patience else None
    history = history or History.of(workload, start)
    alike, anybody = history.alike(*kinds, started=True), history.alike(started=True)
    found = np.zeros((2, len(places)))
    for k, (place, now) in enumerate(zip(places.tolist(), asked.tolist(), strict=True)):
        key = tuple(int(column[place]) for column in kinds)
        # At the moment of its own start a job is no example for itself.
        some = alike.last(key, now - 1, last)
        waits = wait[some if len(some) else anybody.last((), now - 1, last)]
        if len(waits):
            found[:, k] = waits.mean(), np.median(waits)
    return np.maximum(found[0] - patience, 0), np.maximum(found[1] - patience, 0)


def planned_with_limits(
    workload: Workload,
    start: Ints,
    cluster: Cluster,
    places: Ints,
    asked: Ints,
    *,
    undecided: bool = False,
) -> Floats:
    """The plan with limits, as ``squeue --start`` tells it: each running job ends at its limit, the others are
    planned one after the other and take as long as their limits. From the moment of asking, in seconds.
    """
    found = np.zeros(len(places))
    for k, (place, now) in enumerate(zip(places.tolist(), asked.tolist(), strict=True)):
        situation = Situation.at(now, workload, start, cluster, undecided=undecided)
        # All that is random is missing: one future, at the limits, in which nobody comes.
        certain = np.maximum(situation.jobs.requested_time, situation.elapsed + 1)[None, :]
        futures = Futures(situation, certain, Arrivals(None), ([],), 0)
        wanted = [situation.place(int(workload.id[place]))]
        found[k] = futures.starts("cbf", wanted=wanted)[0, 0] - now
    return found
