"""A job as the scheduler knows it when it is submitted: everything but the run time."""

from __future__ import annotations

from typing import NamedTuple

from packwise.model.workload import Workload


class Submission(NamedTuple):
    """What a predictor is told of a job. -1 means unknown, as does an empty name."""

    id: int
    submit: int
    demand: int
    limit: int
    user: int
    group: int
    app: int
    queue: int
    name: str


def submissions(workload: Workload) -> list[Submission]:
    """Every job of a workload, with its name, where it has one."""
    n = len(workload)
    names = workload.job_names()
    columns = (
        workload.id,
        workload.submit,
        workload.demand,
        workload.requested_time,
        workload.user,
        workload.group,
        workload.app,
        workload.queue,
    )
    told = [""] * n if names is None else names
    return list(map(Submission._make, zip(*(c.tolist() for c in columns), told, strict=True)))
