"""The same schedule seen by user, account, partition, ..., by size, by run time and by deadline: who pays for
whom.

Each table has one row per class that occurs and the columns

    jobs        number of jobs that ran
    area_share  their share of the processor-seconds, Σ r D of the class / Σ r D
    mean_wait   1/n Σ Q, in seconds
    BSLD        bounded slowdown with a bound of 10 s
    AF          mean response time, in seconds
    AWF         area-weighted response time within the class, in seconds
    max_wait    longest wait, in seconds

Classes are chosen by hand, so do not compare policies by them alone (Goponenko et al., SBAC-PAD
2022, Section VII, on ad-hoc categories); they tell where a difference in AWF or P2SF comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from packwise.metrics.deadlines import DAY, deadlines_of
from packwise.metrics.outcome import Outcome
from packwise.metrics.response_time import TAU
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import Floats, Ints, Workload

if TYPE_CHECKING:
    import polars as pl

#: Upper ends (exclusive, in seconds) and names of the run-time classes.
RUNTIME_CLASSES = ((600, "< 10 min"), (3600, "10 min - 1 h"), (8 * 3600, "1 h - 8 h"))
LONGEST_CLASS = ">= 8 h"
DEADLINE_CLASSES = ("regular", "<= 24 h", "> 24 h")


def by_user(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> pl.DataFrame:
    """One row per user (-1: unknown), those with the largest share of the machine first."""
    return by_column(workload, cluster, schedule, "user")


def by_column(
    workload: Workload, cluster: Cluster | int, schedule: Schedule, column: str
) -> pl.DataFrame:
    """One row for each user, account, partition, ... (-1: unknown), those with the largest share of the machine
    first; by name, where names are known.
    """
    numbers = workload.numbers(column)
    if numbers is None:
        raise InputError(f"'{workload.name}' does not tell the {column} of its jobs.")
    outcome = Outcome.of(workload, cluster, schedule)
    classes, member = np.unique(numbers[schedule.ran], return_inverse=True)
    labels = classes
    if column in workload.names:
        labels = np.array([workload.name_of(column, number) for number in classes.tolist()])
    table = _table(outcome, column, labels, member)
    return table.sort(["area_share", column], descending=[True, False])


def by_size(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> pl.DataFrame:
    """One row per class of demand: 1, 2-4, 5-8, 9-16, 17-32, ... up to the powers of two."""
    outcome = Outcome.of(workload, cluster, schedule)
    names, member = size_classes(outcome.demand)
    return _table(outcome, "processors", np.array(names), member)


def by_runtime(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> pl.DataFrame:
    """One row per class of run time: under 10 min, under 1 h, under 8 h, longer."""
    outcome = Outcome.of(workload, cluster, schedule)
    ends = [end for end, _ in RUNTIME_CLASSES]
    names = np.array([name for _, name in RUNTIME_CLASSES] + [LONGEST_CLASS])
    classes, member = np.unique(
        np.searchsorted(ends, outcome.runtime, "right"), return_inverse=True
    )
    return _table(outcome, "runtime", names[classes], member)


def by_deadline(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> pl.DataFrame:
    """One row each for regular jobs, deadlines within a day of the submission, and later ones."""
    outcome = Outcome.of(workload, cluster, schedule)
    place = np.zeros(len(outcome), np.int64)
    place[outcome.driven] = 1 + (deadlines_of(outcome) - outcome.submit[outcome.driven] > DAY)
    classes, member = np.unique(place, return_inverse=True)
    return _table(outcome, "deadline", np.array(DEADLINE_CLASSES)[classes], member)


def size_classes(demand: Ints) -> tuple[list[str], Ints]:
    """The names of the classes of demand that occur, and the place of each job's class among them."""
    classes, member = np.unique(_size_class(demand), return_inverse=True)
    names = ["1" if k == 0 else "2-4" if k == 2 else f"{2 ** (k - 1) + 1}-{2**k}" for k in classes]
    return names, member


def _size_class(demand: Ints) -> Ints:
    """0 for one processor, otherwise the k with 2^(k-1) < demand <= 2^k, but 2 for demand 2."""
    _, exponent = np.frexp((demand - 1).astype(np.float64))  # demand - 1 < 2^exponent, exactly
    return np.where(demand == 1, 0, np.maximum(exponent, 2)).astype(np.int64)


def _table(outcome: Outcome, key: str, classes: NDArray[Any], member: Ints) -> pl.DataFrame:
    import polars as pl

    n = len(classes)

    def sums(values: NDArray[Any]) -> Floats:
        summed = np.bincount(member, weights=values.astype(np.float64), minlength=n)
        return summed.astype(np.float64)

    jobs = np.bincount(member, minlength=n)
    area = sums(outcome.area)
    longest = np.zeros(n, np.int64)
    np.maximum.at(longest, member, outcome.wait)
    return pl.DataFrame(
        {
            key: classes,
            "jobs": jobs,
            "area_share": area / outcome.total_area,
            "mean_wait": sums(outcome.wait) / jobs,
            "BSLD": sums(outcome.bounded_slowdown(TAU)) / jobs,
            "AF": sums(outcome.response) / jobs,
            "AWF": sums(outcome.area * outcome.response) / area,
            "max_wait": longest,
        }
    )
