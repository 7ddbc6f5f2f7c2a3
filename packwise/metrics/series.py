"""What happened over time, as exact step functions, and by job size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.metrics.outcome import Outcome
from packwise.metrics.timeline import Step as Step
from packwise.metrics.timeline import level
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.moments import merged
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload


class CumulativeWaitArea(NamedTuple):
    """Four columns over increasing job area ``x``; one row for each area that occurs."""

    area: Floats
    jobs: Floats
    work: Floats
    wait_area: Floats


class UtilizationDensity(NamedTuple):
    """The share of the time in each of equal classes of utilization; ``edges`` has one more, from 0 to 1."""

    edges: Floats
    share: Floats


def queue_length(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> Step:
    """How many jobs wait at each moment; a job that starts at its submission never does."""
    outcome = Outcome.of(workload, cluster, schedule)
    return level(outcome.submit, outcome.start, np.ones(len(outcome), np.int64))


def queue_in_rounds(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> Ints:
    """How many jobs wait in each round, those that it starts included.

    A round is a moment at which a job comes or ends. Rounds of other kinds (a corrected estimate, a call that
    a policy asked for) leave no trace in a schedule and are not among them.
    """
    outcome = Outcome.of(workload, cluster, schedule)
    moments = merged(outcome.submit, outcome.end)
    came = np.searchsorted(np.sort(outcome.submit), moments, side="right")
    begun = np.searchsorted(np.sort(outcome.start), moments, side="left")
    return came - begun


def queued_demand(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> Step:
    """How many processors the waiting jobs ask for at each moment."""
    outcome = Outcome.of(workload, cluster, schedule)
    return level(outcome.submit, outcome.start, outcome.demand)


def busy_processors(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> Step:
    """How many processors run a job at each moment; divide by ``cluster.procs`` for utilization."""
    outcome = Outcome.of(workload, cluster, schedule)
    return level(outcome.start, outcome.end, outcome.demand)


def utilization_density(
    workload: Workload, cluster: Cluster | int, schedule: Schedule, classes: int = 20
) -> UtilizationDensity:
    """For which share of the time the machine was how busy, from the first submission to the last end.

    A class begins with its lower edge; the last has the full machine, too, and whatever a (broken) schedule
    has beyond it. Boëzennec, Dufossé and Pallez (ACM TOMPECS 2024) look at this distribution; its variance is
    the metric ``utilization_variance``.
    """
    if classes < 1:
        raise InputError(
            f"the utilization should be divided into 1 class or more, found {classes}."
        )
    outcome = Outcome.of(workload, cluster, schedule)
    seconds, busy, _ = outcome.gaps
    place = np.minimum(busy * classes // outcome.procs, classes - 1)
    share = np.bincount(place, weights=seconds, minlength=classes) / seconds.sum()
    return UtilizationDensity(np.arange(classes + 1) / classes, share)


def resample(step: Step, points: int) -> tuple[Floats, Floats]:
    """Time-averages of ``step`` over ``points`` equal intervals: (middles, averages).

    Averages, unlike samples, lose no peak and no area: Σ average · width is the exact integral.
    """
    if points < 1:
        raise InputError(f"a series should be resampled to 1 point or more, found {points}.")
    first, last = float(step.times[0]), float(step.times[-1])
    if last <= first:
        raise InputError("a series that never changes has no duration to resample over.")
    edges = np.linspace(first, last, points + 1)
    lengths = np.diff(step.times).astype(np.float64)
    integral = np.concatenate(([0.0], np.cumsum(lengths * step.values[:-1])))
    averages = np.diff(np.interp(edges, step.times.astype(np.float64), integral)) / np.diff(edges)
    return (edges[:-1] + edges[1:]) / 2, averages


def cumulative_wait_area(
    workload: Workload, cluster: Cluster | int, schedule: Schedule
) -> CumulativeWaitArea:
    """Who waits, by job size (Goponenko et al., SBAC-PAD 2022, Section V and Fig. 3).

    Over the jobs of area r D up to x: ``jobs`` is their fraction of all jobs, ``work`` their
    fraction of the total area, and ``wait_area`` is CWA(x) = Σ Q r in processor-seconds. A policy
    that starves large jobs keeps CWA flat and lets it shoot up at the right end.
    """
    outcome = Outcome.of(workload, cluster, schedule)
    order = np.argsort(outcome.area, kind="stable")
    area = outcome.area[order]
    last = np.concatenate((area[1:] != area[:-1], [True]))
    waited = outcome.wait[order].astype(np.float64) * outcome.demand[order]
    work = np.cumsum(area)
    return CumulativeWaitArea(
        area=area[last],
        jobs=(np.arange(1, len(area) + 1) / len(area))[last],
        work=(work / work[-1])[last],
        wait_area=np.cumsum(waited)[last],
    )
