"""The runs: four sites, each with its machine, its settings and jobs drawn from a seed.

Times are those of a busy site divided by sixty or so, since they pass in real time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

#: Users that every Debian has.
USERS = ("daemon", "bin", "sys", "games", "man", "mail")
ACCOUNTS = {
    "daemon": "physics",
    "bin": "physics",
    "sys": "physics",
    "games": "biology",
    "man": "biology",
    "mail": "maths",
}


class Submission(NamedTuple):
    """A job: when it is submitted, how long it sleeps, and what it asks for."""

    submit: float
    runtime: int
    minutes: int
    user: str
    options: tuple[str, ...]


class Case(NamedTuple):
    """``site``: the lines of slurm.conf that make it what it is; ``{port}`` is the first port of its nodes."""

    name: str
    meaning: str
    hosts: tuple[str, ...]
    site: str
    jobs: Callable[[np.random.Generator], list[Submission]]


def _draw(
    rng: np.random.Generator, count: int, length: float, size: Callable[[], tuple[str, ...]]
) -> list[Submission]:
    """So many jobs, submitted over ``length`` seconds in bursts."""
    bursts = rng.uniform(0, length, count // 4)
    submit = np.sort(
        np.append(rng.uniform(0, length, count // 2), rng.choice(bursts, count - count // 2))
    )
    submit = np.sort(submit + rng.uniform(0, 2, count))
    runtime = np.clip(rng.lognormal(np.log(70), 0.9, count), 5, 600).astype(int)
    minutes = np.ceil(runtime * rng.choice([1.05, 1.5, 2, 4], count) / 60).astype(int)
    weights = np.array([8, 4, 2, 4, 2, 1], float)
    users = rng.choice(len(USERS), count, p=weights / weights.sum())
    return [
        Submission(float(submit[i]), int(runtime[i]), int(minutes[i]), USERS[users[i]], size())
        for i in range(count)
    ]


def _tasks(rng: np.random.Generator) -> list[Submission]:
    def size() -> tuple[str, ...]:
        return ("-n", str(int(rng.choice([1, 2, 4, 8, 12, 16, 32, 64], p=_SIZES))))

    return _draw(rng, 330, 1300, size)


_SIZES = (0.25, 0.15, 0.15, 0.15, 0.1, 0.1, 0.06, 0.04)


def _whole(rng: np.random.Generator) -> list[Submission]:
    def size() -> tuple[str, ...]:
        return (
            "-N",
            str(int(rng.choice([1, 2, 3, 4, 8, 12], p=(0.4, 0.2, 0.15, 0.15, 0.07, 0.03)))),
        )

    return _draw(rng, 330, 1300, size)


def _mixed(rng: np.random.Generator) -> list[Submission]:
    def size() -> tuple[str, ...]:
        partition = str(rng.choice(["batch", "short", "large"], p=(0.6, 0.25, 0.15)))
        tasks = int(rng.choice([1, 2, 4, 8, 16, 32], p=(0.3, 0.2, 0.2, 0.15, 0.1, 0.05)))
        memory = int(rng.choice([1000, 2000, 6000, 12000], p=(0.4, 0.4, 0.1, 0.1)))
        tasks = min(tasks, 16) if memory > 2000 else tasks
        return ("-p", partition, "-n", str(tasks), f"--mem-per-cpu={memory}")

    return _draw(rng, 360, 1300, size)


_NODES = (
    "NodeName=n[01-08] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{port}1-{port}8] CPUs=16 Boards=1 "
    "SocketsPerBoard=1 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=64000\n"
)
_MANY = (
    "NodeName=n[01-16] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{port}01-{port}16] CPUs=4 Boards=1 "
    "SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=64000\n"
)
_EIGHT = tuple(f"n{k:02d}" for k in range(1, 9))
_SIXTEEN = tuple(f"n{k:02d}" for k in range(1, 17))
_USUAL = (
    "SelectType=select/cons_tres\nSchedulerType=sched/backfill\nPriorityType=priority/multifactor\n"
)

CASES = (
    Case(
        "first-come",
        "cores of shared nodes; priority is age alone; Slurm's own settings of the scheduler",
        _EIGHT,
        _USUAL + "SelectTypeParameters=CR_Core\nPriorityWeightAge=100000\nPriorityMaxAge=1-0\n"
        "PriorityCalcPeriod=1\n"
        + _NODES.replace("{port}", "1710")
        + "PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
        _tasks,
    ),
    Case(
        "fair-share",
        "cores of shared nodes; fair share with a half-life of 10 minutes, then size and age; a backfill "
        "pass every 10 s, five jobs of a user in it",
        _EIGHT,
        _USUAL
        + "SelectTypeParameters=CR_Core\nPriorityWeightFairshare=100000\nPriorityWeightAge=10000\n"
        "PriorityWeightJobSize=10000\nPriorityMaxAge=0-1\nPriorityDecayHalfLife=0-00:10:00\n"
        "PriorityCalcPeriod=1\nSchedulerParameters=bf_interval=10,bf_max_job_user=5,bf_continue\n"
        + _NODES.replace("{port}", "1720")
        + "PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
        _tasks,
    ),
    Case(
        "partitions",
        "cores and memory; three partitions that overlap, one of a higher tier, one of a higher factor; "
        "small jobs are favoured",
        _EIGHT,
        _USUAL + "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=2000\nPriorityWeightAge=20000\n"
        "PriorityWeightJobSize=5000\nPriorityWeightPartition=10000\nPriorityFavorSmall=YES\n"
        "PriorityMaxAge=0-1\nPriorityCalcPeriod=1\n"
        "SchedulerParameters=bf_interval=15,sched_interval=30,bf_window=60\n"
        + _NODES.replace("{port}", "1730")
        + "PartitionName=batch Nodes=n[01-06] Default=YES MaxTime=INFINITE State=UP PriorityJobFactor=10\n"
        "PartitionName=short Nodes=n[05-08] MaxTime=15 State=UP PriorityTier=2\n"
        "PartitionName=large Nodes=ALL MaxTime=INFINITE State=UP PriorityJobFactor=100\n",
        _mixed,
    ),
    Case(
        "whole-nodes",
        "nodes for oneself; age and size; a short window and few jobs in a backfill pass",
        _SIXTEEN,
        _USUAL
        + "SelectTypeParameters=CR_Core\nPriorityWeightAge=100000\nPriorityWeightJobSize=3000\n"
        "PriorityMaxAge=0-1\nPriorityCalcPeriod=1\n"
        "SchedulerParameters=bf_interval=10,bf_max_job_test=12,bf_window=10\n"
        + _MANY.replace("{port}", "174")
        + "PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE\n",
        _whole,
    ),
)
