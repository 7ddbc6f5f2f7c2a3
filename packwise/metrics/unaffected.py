"""Jobs that no policy made wait: they tell nothing about the policies, but pull all means towards 0.

N'Takpé and Suter (JSSPP 2017, section 6.3) leave out the regular jobs that start at once under every
algorithm of a comparison. Which these are depends on what is compared, so values that were measured so can
be compared with each other and with nothing else.

What is left out does not count in metrics of jobs. Metrics of the machine (utilization, makespan, LOC, ...)
and fair starts are about all jobs nevertheless: see ``Metric.of_all_jobs``.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from packwise.metrics.outcome import Mask
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import Workload


def affected(workload: Workload, schedules: Iterable[Schedule]) -> Mask:
    """Which jobs to keep: the deadline-driven ones, and all that wait under one of the schedules.

    A job that one of them never runs is kept. Raises InputError if none is left.
    """
    kept = workload.deadline_driven.copy()
    for schedule in schedules:
        if len(schedule) != len(workload):
            raise InputError(
                f"each schedule should have one entry for each of the {len(workload)} jobs of workload "
                f"'{workload.name}', found {len(schedule)}. Compare schedules of the same jobs."
            )
        kept |= schedule.start != workload.submit
    if not kept.any():
        raise InputError(
            f"all {len(workload):,} jobs of workload '{workload.name}' are regular and start at once under "
            "everything that is compared: without them there is nothing to measure. Leave them in, or take "
            "a workload with a higher load."
        )
    found: Mask = np.asarray(kept, np.bool_)
    return found
