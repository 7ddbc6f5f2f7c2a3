"""A year of a large site, made up: jobs in arrays, of users with names, in the days and weeks of a year.

Made a part after another, each from its own seed, and written as a table that Packwise reads. Fewer jobs are a
shorter time of the same site, so that what they cost can be scaled.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from packwise.model.workload import Floats, Ints

if TYPE_CHECKING:
    import polars as pl

YEAR_JOBS = 44_000_000
#: Processors of the machine: the jobs below ask for about 0.8 of them.
PROCS = 44_000
#: 1 January 2024, a Monday, 00:00 UTC.
START_TIME = 1_704_067_200

_YEAR = 366 * 86_400
_HOUR = 3600
_PART = 1_000_000
_SEED = 44
_USERS, _ACCOUNTS = 3000, 400
#: Of the sizes of arrays (Zipf): most have a task or two, some have hundreds.
_TAIL = 1.6
_SYLLABLES = (
    "ba",
    "de",
    "fi",
    "go",
    "ku",
    "la",
    "me",
    "ni",
    "po",
    "ra",
    "se",
    "ti",
    "vu",
    "wo",
    "za",
)
_LIMITS = np.array([10, 30, 60, 120, 240, 480, 720, 1440, 2880]) * 60


class Kind(NamedTuple):
    """A kind of jobs: its partition, its share of the arrays, the most tasks of one, the processors of a task,
    and how long they run (log-normal).
    """

    partition: str
    share: float
    tasks: int
    sizes: tuple[int, ...]
    median: float
    spread: float


KINDS = (
    Kind("debug", 0.10, 50, (1, 2, 4), 20, 1.0),
    Kind("small", 0.52, 1000, (1, 1, 1, 2, 4), 240, 1.4),
    Kind("batch", 0.28, 200, (8, 16, 32, 64), 1200, 1.2),
    Kind("large", 0.06, 10, (64, 128, 256, 512), 3000, 1.0),
    Kind("long", 0.04, 100, (1, 4, 16, 32), 12_000, 0.8),
)


def write_site(path: Path, jobs: int, seed: int = _SEED) -> None:
    """A table of so many jobs, in one Parquet file."""
    import polars as pl

    with TemporaryDirectory(dir=path.parent) as folder:
        for number, frame in enumerate(parts(jobs, seed)):
            frame.write_parquet(Path(folder) / f"{number:05}.parquet")
        pl.scan_parquet(Path(folder) / "*.parquet").sink_parquet(path)


def parts(jobs: int, seed: int = _SEED) -> Iterator[pl.DataFrame]:
    """The table, so many rows after another."""
    names = _names()
    clock = _busy_hours()
    for first in range(0, jobs, _PART):
        yield _part(first, min(_PART, jobs - first), seed, names, clock)


def _part(first: int, jobs: int, seed: int, names: list[str], clock: Floats) -> pl.DataFrame:
    import polars as pl

    random = np.random.default_rng((seed, first))
    kind = random.choice(len(KINDS), jobs, p=[one.share for one in KINDS])
    tasks = np.minimum(random.zipf(_TAIL, jobs), np.array([one.tasks for one in KINDS])[kind])
    arrays = int(np.searchsorted(np.cumsum(tasks), jobs)) + 1
    array = np.repeat(np.arange(arrays), tasks[:arrays])[:jobs]
    kind = kind[:arrays]
    user = np.minimum(random.zipf(1.3, arrays) - 1, 10**9) % _USERS
    demand = np.empty(arrays, np.int64)
    median, spread = np.empty((2, arrays))
    for number, one in enumerate(KINDS):
        of_kind = kind == number
        count = int(of_kind.sum())
        demand[of_kind] = random.choice(one.sizes, count)
        median[of_kind] = one.median * random.lognormal(0.0, one.spread / 2, count)
        spread[of_kind] = one.spread / 2
    # Users ask for several times what most of their tasks need.
    asked = _LIMITS[np.minimum(np.searchsorted(_LIMITS, 4 * median), len(_LIMITS) - 1)]

    runtime = np.ceil(median[array] * random.lognormal(0.0, 1.0, jobs) ** spread[array])
    limit = asked[array]
    begin, end = (first + np.array([0, jobs])) / YEAR_JOBS
    submit = np.sort(_moments(random.uniform(begin, end, arrays), clock))[array]
    partition = kind[array]
    of_job = user[array]
    return pl.DataFrame(
        {
            "job_id": np.arange(first + 1, first + jobs + 1),
            "submit": submit,
            **dict.fromkeys(("wait", "start", "end"), np.full(jobs, -1)),
            "runtime": np.minimum(runtime.astype(np.int64), limit),
            "requested_time": limit,
            "demand": demand[array],
            "user": of_job,
            "user_name": _told(names, of_job),
            "account": _told([f"project{k:03}" for k in range(_ACCOUNTS)], of_job % _ACCOUNTS),
            "partition": partition,
            "partition_name": _told([one.partition for one in KINDS], partition),
            "log_procs": np.full(jobs, PROCS),
            "log_start_time": np.full(jobs, START_TIME),
        }
    )


def _busy_hours() -> Floats:
    """The share of the year's jobs that have come by each hour: more by day than by night and at weekends."""
    hour = np.arange(_YEAR // _HOUR)
    by_day = 1 + 0.35 * np.sin(2 * np.pi * (hour % 24 - 8) / 24)
    by_week = np.where(hour // 24 % 7 < 5, 1.08, 0.8)
    come = np.cumsum(by_day * by_week)
    return np.concatenate(([0.0], come / come[-1]))


def _moments(share: Floats, clock: Floats) -> Ints:
    """The second by which these shares of the year's jobs have come."""
    return (np.interp(share, clock, _HOUR * np.arange(len(clock)))).astype(np.int64)


def _names() -> list[str]:
    """A name for each user, all different."""
    found = []
    for number in range(_USERS):
        rest, word = number, ""
        for _ in range(3):
            rest, syllable = divmod(rest, len(_SYLLABLES))
            word = _SYLLABLES[syllable] + word
        found.append(word)
    return found


def _told(words: list[str], numbers: Ints) -> pl.Series:
    import polars as pl

    return pl.Series(words).gather(numbers)
