"""Random replays: machines, jobs, policies and what is believed, as plain lists and as the product takes them.

Numbers are small, so that times and amounts are often equal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np

from packwise import Cluster, Workload
from packwise.model.cluster import NodeGroup, Outage, Partition
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.energy.series import Series
from packwise.model.energy.sleep import SleepState
from packwise.model.workload import NO_DEADLINE
from tests.attack.slow_machine import Job, Machine, Naps, Node, Out

LATE = 10**6
FEATURES = ("", "old", "new", "old&fast", "new|fast")
ORDERS = (
    *("fcfs", "lcfs", "sjf", "ljf", "saf", "laf", "spf", "lpf", "srf", "lrf"),
    *("exp", "wfp", "unicef", "f1", "f2", "f3", "f4", "edf"),
)
#: Estimates that nobody outlives, and others.
TRUSTED = ("requested", "requested", "exact")
DOUBTED = (
    *("exact*0.5", "exact*1.5", "last2", "last2(corrector=steps)", "hierarchy", "cvh", "sp-2%"),
    *("data-driven", "ceiling", "knn"),
)
SLURM = (
    *(
        "bf_interval=3",
        "bf_window=1",
        "bf_resolution=1",
        "bf_max_job_test=3",
        "default_queue_depth=2",
    ),
    *("sched_interval=2", "completing=0", "bf_max_job_user=1", "PriorityWeightAge=1000"),
    *("PriorityWeightJobSize=1000", "PriorityWeightFairshare=1000", "PriorityCalcPeriod=0:20"),
)
OBJECTIVES = ("AF", "AWF", "BSLD", "P2SF", "P1SF", "0.5*AF+0.5*AWF", "")


@dataclass(frozen=True)
class Case:
    """One replay. ``family``: what rules its policy keeps to. ``trusted``: nobody runs longer than believed."""

    jobs: list[Job]
    machine: Machine
    workload: Workload
    cluster: Cluster
    family: str
    policy: str
    estimate: str
    placement: str | None

    @property
    def trusted(self) -> bool:
        return self.estimate in TRUSTED

    @property
    def capped(self) -> bool:
        return "power_cap" in self.policy


def a_case(seed: int) -> Case:
    dice = Random(seed)
    is_pool = dice.random() < 0.45
    cluster = Cluster.pool(dice.randint(1, 16)) if is_pool else _nodes(dice)
    rows = sorted(_job(dice, is_pool) for _ in range(dice.choice([1, 3, 6, 9, 12, 18, 25])))
    jobs = [_of_row(row, is_pool) for row in rows]
    users = [dice.randint(0, 2) for _ in jobs]
    family, name = _policy(dice)
    if family == "dbf" or dice.random() < 0.3:
        jobs = [_with_deadline(dice, job) for job in jobs]
    naps = None
    if dice.random() < 0.3:
        naps = Naps(dice.randint(0, 8), dice.randint(1, 9), dice.randint(1, 3) if is_pool else 1)
    cap: list[tuple[int, float]] = []
    idle = 0.0
    if family in ("list", "fcfs", "easy", "greedy", "cbf", "search") and dice.random() < 0.2:
        idle = dice.choice([0.0, 0.5]) if naps is None else 0.0
        cap = _cap(dice, jobs, idle, cluster.procs)
        name = f"{name[:-1]},power_cap=on)" if name.endswith(")") else f"{name}(power_cap=on)"
    energy = _energy(naps, cap, idle) if naps or cap else None
    cluster = replace(cluster, energy=energy)
    machine = replace(_plain(cluster), naps=naps, cap=cap, idle=idle)
    believed = dice.choice(TRUSTED if dice.random() < 0.6 else DOUBTED)
    placement = dice.choice([None, "first-fit", "best-fit", "balanced", "consolidate"])
    work = _workload(jobs, users, is_pool)
    return Case(jobs, machine, work, cluster, family, name, believed, placement)


def _nodes(dice: Random) -> Cluster:
    groups = []
    for k in range(dice.randint(1, 3)):
        has = {
            "cores": dice.randint(1, 6),
            "memory": dice.choice([0, 4, 8, 16]),
            "gpus": dice.choice([0, 0, 1, 2]),
        }
        features = tuple(name for name in ("old", "new", "fast") if dice.random() < 0.5)
        shared = dice.random() < 0.7
        groups.append(NodeGroup(f"g{k}", dice.randint(1, 4), has, shared, features=features))
    names = [group.name for group in groups]
    parts = [
        Partition(f"p{k}", k, tuple(dice.sample(names, dice.randint(1, len(names)))))
        for k in range(2)
    ]
    cluster = Cluster("some", tuple(groups), tuple(parts) if dice.random() < 0.6 else ())
    outages = tuple(_outage(dice, cluster.nodes) for _ in range(dice.choice([0, 0, 1, 3])))
    return replace(cluster, outages=outages)


def _outage(dice: Random, nodes: int) -> Outage:
    begin = dice.randint(0, 40)
    which = tuple(sorted(dice.sample(range(nodes), dice.randint(1, nodes))))
    return Outage(which, begin, begin + dice.randint(1, 30), dice.random() < 0.5)


def _job(dice: Random, is_pool: bool) -> tuple:
    """A row that sorts by submission."""
    runtime = dice.randint(1, 12)
    limit = runtime + dice.choice([0, 0, 1, 5, 20])
    units = dice.randint(1, 16) if is_pool else dice.choice([1, 1, 2, 3])
    needs = (dice.choice([1, 1, 2, 4]), dice.choice([0, 1, 2, 4]), dice.choice([0, 0, 0, 1, 2]))
    some = (dice.choice([0, 0, 1, -1]), dice.randrange(len(FEATURES)) if dice.random() < 0.3 else 0)
    watts = round(dice.uniform(0.4, 3.0), 2)
    return (dice.randint(0, 30), dice.random(), runtime, limit, units, needs, some, watts)


def _of_row(row: tuple, is_pool: bool) -> Job:
    submit, _, runtime, limit, units, needs, (partition, features), watts = row
    if is_pool:
        return Job(submit, runtime, limit, units, {"cores": 1}, watts=watts * units)
    per_unit = dict(zip(("cores", "memory", "gpus"), needs, strict=True))
    power = watts * units * needs[0]
    return Job(submit, runtime, limit, units, per_unit, partition, FEATURES[features], watts=power)


def _with_deadline(dice: Random, job: Job) -> Job:
    if dice.random() < 0.5:
        return job
    slack = dice.choice([0, 1, 2, 3, 5, 8, 13, 20, 40, -3])
    return job._replace(deadline=max(0, job.submit + job.limit + slack))


def _cap(dice: Random, jobs: list[Job], idle: float, cores: int) -> list[tuple[int, float]]:
    """In percent of what the widest job draws; in the end everybody may run."""
    most = max(job.watts for job in jobs)
    times = [0, *sorted(dice.sample(range(1, 60), dice.randint(0, 4)))]
    levels = [idle * cores + most * dice.randint(0, 150) / 100 for _ in times]
    return [*zip(times, levels, strict=True), (61, idle * cores + 1.5 * most + 1.0)]


def _energy(naps: Naps | None, cap: list[tuple[int, float]], idle: float) -> EnergyScenario:
    sleep = None if naps is None else SleepState(naps.after, 0.0, naps.boot, 0.0, naps.size)
    series = None
    if cap:
        times, levels = zip(*cap, strict=True)
        series = Series(np.array(times), np.array(levels), LATE, "W")
    return EnergyScenario("some", idle_watts=idle, sleep=sleep, cap=series)


def _plain(cluster: Cluster) -> Machine:
    """The machine as plain lists."""
    if cluster.is_pool:
        return Machine([Node({"cores": cluster.groups[0].count})], True)
    nodes = []
    for group in cluster.groups:
        inside = frozenset(one.number for one in cluster.partitions if group.name in one.groups)
        if not cluster.partitions:
            inside = frozenset({0, 1})
        node = Node(dict(group.capacity), not group.shared, inside, frozenset(group.features))
        nodes += [node] * group.count
    if not any(node.features for node in nodes):  # then nobody asks for any
        nodes = [node._replace(features=frozenset({"old", "new", "fast"})) for node in nodes]
    return Machine(nodes, False, [Out(o.nodes, o.begin, o.end, o.kill) for o in cluster.outages])


def _workload(jobs: list[Job], users: list[int], is_pool: bool) -> Workload:
    n = len(jobs)

    def column(values: list[int]) -> np.ndarray:
        return np.array(values, np.int64)

    deadlines = [NO_DEADLINE if job.deadline is None else job.deadline for job in jobs]
    found = Workload(
        name="some",
        id=np.arange(1, n + 1),
        submit=column([job.submit for job in jobs]),
        runtime=column([job.runtime for job in jobs]),
        requested_time=column([job.limit for job in jobs]),
        demand=column([job.units * job.needs["cores"] for job in jobs]),
        user=column(users),
        power=np.array([job.watts for job in jobs]),
        deadline=None if set(deadlines) == {NO_DEADLINE} else column(deadlines),
    )
    if is_pool:
        return found
    extra = {
        "partition": column([job.partition for job in jobs]),
        "features": column([FEATURES.index(job.features) - 1 for job in jobs]),
    }
    return found.replace(
        units=column([job.units for job in jobs]),
        per_unit={name: column([job.needs[name] for job in jobs]) for name in jobs[0].needs},
        extra=extra,
        names={"features": FEATURES[1:]},
    )


def _policy(dice: Random) -> tuple[str, str]:
    """A policy, and the family whose rules it keeps to."""
    family = dice.choice(
        [
            "fcfs",
            "easy",
            "easy",
            "greedy",
            "list",
            "list",
            "cbf",
            "dbf",
            "slurm",
            "search",
            "search",
        ]
    )
    order = dice.choice(ORDERS)
    match family:
        case "fcfs":
            return family, "fcfs"
        case "easy":
            others = [one for one in ORDERS if one not in ("fcfs", "lcfs")]
            return family, dice.choice(["easy", f"easy-{dice.choice(others)}"])
        case "greedy":
            return family, f"list(order={order},option=greedy)"
        case "list":
            parts = [f"order={order}/{dice.choice(ORDERS)}"]
            option = dice.choice(["strict", "backfill", "backfill", "backfill"])
            parts.append(f"option={option}")
            if option == "backfill":
                depth = dice.choice(["1", "2", "3", "unlimited"])
                parts.append(f"depth={depth}")
                if depth != "unlimited" and dice.random() < 0.5:
                    parts.append(f"backfill={dice.choice(ORDERS)}")
            if dice.random() < 0.3:
                parts.append(f"threshold={dice.randint(0, 30)}")
            if dice.random() < 0.3:
                parts.append(f"cap={dice.randint(1, 4)}")
            return family, f"list({','.join(parts)})"
        case "cbf" | "dbf":
            return family, dice.choice([f"{family}(compress=any)", f"{family}(compress=start)"])
        case "slurm":
            some = dice.sample(SLURM, dice.randint(0, 4))
            return family, f"slurm({','.join(some)})" if some else "slurm"
    options = [
        dice.choice(["search=off", "budget=7", "budget=40"]),
        f"window={dice.choice([2, 4, 64])}",
    ]
    objective = dice.choice(OBJECTIVES)
    options += [f"objective={objective}"] if objective else []
    options += (
        [f"deadlines={dice.choice(['hard', 'soft', 'ignore'])}"] if dice.random() < 0.5 else []
    )
    return "search", f"packwise({','.join(options)})"
