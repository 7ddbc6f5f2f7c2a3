"""Six small workloads and their machines, made of whole random numbers: the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

import numpy as np

from packwise import Cluster, Workload
from packwise.model.cluster import NodeGroup, Outage, Partition
from packwise.model.energy.rates import Tariff
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Series
from packwise.model.energy.sleep import SleepState
from packwise.model.workload import NO_DEADLINE

#: Users round their limits up to one of these.
LIMITS = (5, 10, 15, 30, 60, 120, 240, 480)
FEATURES = ("old", "new", "old&fast", "new|fast")
_MINUTE = 60
_DAY = 86400


@dataclass(frozen=True)
class Case:
    """A workload and its machine. ``parameters``: what policies are told there besides."""

    name: str
    workload: Workload
    cluster: Cluster
    parameters: str = ""

    def head(self, jobs: int) -> Case:
        """The same with the first jobs alone."""
        return replace(self, workload=self.workload.select(np.arange(len(self.workload)) < jobs))


class _Job(NamedTuple):
    submit: int
    runtime: int
    limit: int
    demand: int
    user: int
    app: int


def _jobs(dice: Random, jobs: int, widths: tuple[int, ...], gap: int) -> list[_Job]:
    """Jobs of a few users, who repeat themselves. ``gap``: between two submissions, in seconds on average;
    some come together.
    """
    usual = [(dice.choice(widths), dice.randint(1, 90)) for _ in range(12)]
    found, submit = [], 0
    for _ in range(jobs):
        submit += dice.choice((0, 0, dice.randint(1, 2 * gap), dice.randint(1, 4 * gap)))
        habit = dice.randrange(len(usual))
        width, minutes = usual[habit]
        if dice.random() < 0.3:
            width, minutes = dice.choice(widths), dice.randint(1, 90)
        runtime = minutes * _MINUTE + dice.choice((0, 0, dice.randint(-40, 40)))
        enough = [limit * _MINUTE for limit in LIMITS if limit * _MINUTE >= runtime]
        limit = dice.choice(enough[:3])
        found.append(_Job(submit, runtime, limit, width, habit % 5, habit))
    return found


def _workload(name: str, jobs: list[_Job], dice: Random) -> Workload:
    def column(values: list[int]) -> np.ndarray:
        return np.array(values, np.int64)

    return Workload(
        name=name,
        id=np.arange(1, len(jobs) + 1),
        submit=column([job.submit for job in jobs]),
        runtime=column([job.runtime for job in jobs]),
        requested_time=column([job.limit for job in jobs]),
        demand=column([job.demand for job in jobs]),
        user=column([job.user for job in jobs]),
        group=column([job.user % 2 for job in jobs]),
        app=column([job.app for job in jobs]),
        queue=column([dice.randint(1, 2) for _ in jobs]),
        extra={"wait": column([dice.randint(0, 120) * _MINUTE for _ in jobs])},
    )


def _pool() -> Case:
    dice = Random(11)
    jobs = _jobs(dice, 80, (1, 1, 2, 3, 4, 8, 12, 24), 400)
    return Case("pool", _workload("pool", jobs, dice), Cluster.pool(32))


def _deadlines() -> Case:
    dice = Random(12)
    jobs = _jobs(dice, 60, (1, 2, 2, 5, 8, 16), 700)
    due = [NO_DEADLINE] * len(jobs)
    for place, job in enumerate(jobs):
        if dice.random() < 0.5:
            slack = dice.choice((-5, 0, 10, 60, 180, 600)) * _MINUTE
            due[place] = job.submit + job.limit + slack
    work = _workload("deadlines", jobs, dice).replace(deadline=np.array(due, np.int64))
    return Case("deadlines", work, Cluster.pool(16))


def _in_units(
    work: Workload, dice: Random, needs: dict[str, tuple[int, ...]], words: bool
) -> Workload:
    """Each processor that a job asks for is a unit, which needs so much; in a partition for some."""
    count = len(work)
    per_unit = {name: np.array(dice.choices(some, k=count)) for name, some in needs.items()}
    extra = {"partition": np.array(dice.choices((0, 0, 1, -1), k=count))}
    names = {}
    if words:
        extra["features"] = np.array([dice.choice((-1, -1, 0, 1, 2, 3)) for _ in range(count)])
        names = {"features": FEATURES}
    return work.replace(
        demand=work.demand * per_unit["cores"],
        units=work.demand,
        per_unit=per_unit,
        extra={**work.extra, **extra},
        names=names,
    )


def _nodes() -> Case:
    """Cores alone, and in some of the nodes one job at a time."""
    dice = Random(13)
    groups = (
        NodeGroup("thin", 6, {"cores": 8}),
        NodeGroup("own", 4, {"cores": 8}, shared=False),
        NodeGroup("fat", 1, {"cores": 24}),
    )
    parts = (Partition("all", 0, ("thin", "own", "fat")), Partition("some", 1, ("own", "fat")))
    jobs = _jobs(dice, 55, (1, 1, 2, 3, 4), 90)
    work = _in_units(_workload("nodes", jobs, dice), dice, {"cores": (1, 2, 4, 8)}, False)
    return Case("nodes", work, Cluster("nodes", groups, parts))


def gpus(count: int = 50, gap: int = 90) -> Case:
    """Nodes of three kinds, jobs of all needs."""
    dice = Random(14)
    groups = (
        NodeGroup("old", 6, {"cores": 8, "memory": 32}, features=("old",)),
        NodeGroup("new", 4, {"cores": 16, "memory": 64, "gpus": 2}, features=("new", "fast")),
        NodeGroup("big", 2, {"cores": 16, "memory": 256, "gpus": 1}, features=("old", "fast")),
    )
    parts = (Partition("all", 0, ("old", "new", "big")), Partition("big", 1, ("new", "big")))
    jobs = _jobs(dice, count, (1, 1, 2, 3), gap)
    needs = {"cores": (1, 2, 4, 8), "memory": (1, 4, 8, 24), "gpus": (0, 0, 0, 0, 1)}
    work = _in_units(_workload("gpus", jobs, dice), dice, needs, True)
    return Case("gpus", work, Cluster("gpus", groups, parts))


def _outages() -> Case:
    """Nodes that go out, with and without those who run there, and others that sleep when they are idle."""
    dice = Random(15)
    group = NodeGroup("node", 10, {"cores": 4, "memory": 16})
    outages = (
        Outage((0, 1, 2), 1800, 5400),
        Outage((4,), 4000, 9000, kill=False),
        Outage((3, 7, 8), 8000, 12000),
    )
    sleep = SleepState(after=300, watts=1.0, boot_time=120, boot_watts=10.0)
    energy = EnergyScenario("sleepy", idle_watts=5.0, sleep=sleep)
    jobs = _jobs(dice, 45, (1, 1, 2, 3), 200)
    needs = {"cores": (1, 2, 4), "memory": (1, 4, 8)}
    work = _in_units(_workload("outages", jobs, dice), dice, needs, False)
    work = work.replace(extra={"wait": work.extra["wait"]})
    return Case("outages", work, Cluster("outages", (group,), (), outages, energy))


def _cap() -> Case:
    """A pool under a power cap that rises and falls, and a price that does, too."""
    dice = Random(16)
    jobs = _jobs(dice, 50, (1, 2, 3, 6, 12), 400)
    watts = np.array([job.demand * dice.choice((60, 80, 100, 140)) for job in jobs], float)
    times = np.arange(0, 4 * _DAY, 2 * 3600)
    levels = np.array([dice.choice((1700.0, 2000.0, 2600.0, 3400.0)) for _ in times])
    prices = np.array([float(dice.randint(20, 140)) for _ in times])
    energy = EnergyScenario(
        "capped",
        price=Tariff(Series(times, prices, 40 * _DAY, "EUR/MWh")),
        idle_watts=20.0,
        cap=Series(times, levels, 40 * _DAY, "W"),
    )
    work = _workload("cap", jobs, dice).replace(power=watts)
    return Case("cap", work, replace(Cluster.pool(24), energy=energy), "power_cap=on")


CASES: dict[str, Callable[[], Case]] = {
    "pool": _pool,
    "deadlines": _deadlines,
    "nodes": _nodes,
    "gpus": gpus,
    "outages": _outages,
    "cap": _cap,
}
