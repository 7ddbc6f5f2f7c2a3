"""The quantity of a claim at the points of a study."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from packwise.experiments.claim import DEADLINE_JOBS, Claim
from packwise.experiments.store import Store
from packwise.experiments.tables.results import Point, StudyResults
from packwise.model.errors import InputError

_RESULTS = 100_000


def quantity(claim: Claim, results: StudyResults, point: Point) -> float | None:
    """At a point of the claim's policy; with replicas the mean over them, or the quotient of means.

    None without a result; NaN for 0 / 0, a part of nothing, and where a result has no value: the mean wait of
    regular jobs where there are none.
    """
    value = _of_policy(claim, results, point)
    if claim.against is None or value is None:
        return value
    other = _of_policy(claim, results, point._replace(policy=claim.against))
    return None if other is None else _quotient(value, other)


def together(claim: Claim, results: StudyResults, points: Mapping[str, Point]) -> float | None:
    """The claim's quantity over several points: their mean, each with the weight of its jobs with a deadline.

    None while a point has no result; NaN if none of them has such jobs.
    """
    weighted, jobs = 0.0, 0.0
    for point in points.values():
        value = quantity(claim, results, point)
        if value is None:
            return None
        weight = _mean_deadline_jobs(results, point)
        if weight:
            weighted += weight * value
            jobs += weight
    return _quotient(weighted, jobs)


def _of_policy(claim: Claim, results: StudyResults, point: Point) -> float | None:
    cell = results.cell(point, claim.metric)
    if cell is None:
        return np.nan if _was_run(results, point) else None
    if claim.part_of is None:
        return cell.value
    if claim.part_of == DEADLINE_JOBS:
        return _quotient(cell.value, _mean_deadline_jobs(results, point))
    whole = results.cell(point, claim.part_of)
    return None if whole is None else _quotient(cell.value, whole.value)


def _was_run(results: StudyResults, point: Point) -> bool:
    """Whether all replicas of a point have a result, and can be measured."""
    pairs = zip(results.study.scenarios, results.there, strict=True)
    case = (point.workload, point.machine, point.estimate)
    hidden = any(
        one.reason and (one.workload, one.machine, one.estimate) == case for one in results.filtered
    )
    return not hidden and all(there for scenario, there in pairs if scenario.labels[:4] == point)


def _quotient(value: float, by: float) -> float:
    if by == 0:
        return np.nan if value == 0 or np.isnan(value) else np.inf
    return value / by


def _mean_deadline_jobs(results: StudyResults, point: Point) -> float:
    study = results.study
    keys = [
        scenario.key
        for scenario, there in zip(study.scenarios, results.there, strict=True)
        if there and scenario.labels[:4] == point
    ]
    return float(np.mean([_deadline_jobs(study.store, key) for key in keys]))


@lru_cache(maxsize=_RESULTS)
def _deadline_jobs(folder: Path, key: str) -> int:
    """From the stored schedule, which has all jobs that fit on the machine."""
    import polars as pl

    path = Store(folder).path(key, ".parquet")
    try:
        jobs = pl.scan_parquet(path, glob=False)
        if "deadline" not in jobs.collect_schema():
            return 0
        return int(jobs.select((pl.col("deadline") >= 0).sum()).collect().item())
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).split("\n", 1)[0]
        raise InputError(
            f"{path}: the schedule cannot be read ({reason}). Run the study again with --verify: it makes "
            "damaged results anew."
        ) from error
