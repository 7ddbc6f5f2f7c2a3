"""What Slurm's scheduler knows of jobs and their owners: priorities as far as they do not change, shares,
partitions and settings, as arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from packwise.model.cluster import Cluster, Partition
from packwise.model.errors import UnknownName
from packwise.model.slurm_settings import SlurmSettings
from packwise.model.workload import UNKNOWN, Floats, Ints, Workload

if TYPE_CHECKING:
    from packwise.engine.memory import Group


#: An interval that never ends.
_NEVER = 2**40


@dataclass(frozen=True, eq=False)
class Site:
    """By job: ``fixed`` (of its priority), ``owner``, ``person``, ``part``, ``tier`` and ``demand``. By owner,
    a user of an account: ``share`` among those of the account, and ``account``; by account its share.
    ``there``: the nodes of each partition. ``settings`` and ``weights`` as the engine has them.
    """

    fixed: Floats
    owner: Ints
    person: Ints
    part: Ints
    tier: Ints
    demand: Ints
    share: Floats
    account: Ints
    account_share: Floats
    there: Ints
    settings: Ints
    weights: Floats
    first: int
    phase: int

    def group(self, jobs: int) -> Group:
        """Room for it, for so many jobs."""
        from packwise.engine.slurm.group import new_slurm

        parts, nodes = self.there.shape
        persons = int(self.person.max(initial=0)) + 1
        return new_slurm(jobs, len(self.share), len(self.account_share), persons, parts, nodes)

    def fill(self, slurm: Any, order: Ints) -> None:
        """Fill in what is known of the jobs of ``order``."""
        for name in ("fixed", "owner", "person", "part", "tier"):
            getattr(slurm, name)[:] = getattr(self, name)[order]
        slurm.number[:] = order
        for name in ("share", "account", "account_share", "there", "settings", "weights"):
            getattr(slurm, name)[:] = getattr(self, name)

    def begin(self, slurm: Any) -> None:
        """Nothing has been used, and nothing is due; the clocks go with the first submission."""
        from packwise.engine.slurm.group import BF_AT, CALC_AT, FREED, MAIN_AT, ORIGIN, RUNNING
        from packwise.engine.state import NO_TIME

        origin = self.first - self.phase
        slurm.since[:] = self.first
        slurm.factor[:] = 1.0
        slurm.clock[:] = NO_TIME
        slurm.clock[[ORIGIN, CALC_AT]] = origin, self.first
        slurm.clock[[MAIN_AT, BF_AT]] = origin - 2**40
        slurm.clock[[FREED, RUNNING]] = 0


def site_of(workload: Workload, cluster: Cluster, settings: SlurmSettings) -> Site:
    """What Slurm knows of a workload on a cluster."""
    part, partitions, there = _partitions(workload, cluster)
    owner, account, share, account_share = _owners(workload, settings.amounts("shares"))
    fixed = (
        settings.number("PriorityWeightJobSize") * _size(workload, cluster, settings)
        + settings.number("PriorityWeightPartition") * _partition_factor(partitions)[part]
        + settings.number("PriorityWeightQOS") * _qos(workload, settings.amounts("qos"))
        - _nice(workload)
    )
    return Site(
        fixed=fixed,
        owner=owner,
        person=_persons(workload),
        part=part,
        tier=np.array([1 if one is None else one.tier for one in partitions], np.int64)[part],
        demand=workload.demand,
        share=share,
        account=account,
        account_share=account_share,
        there=there,
        settings=_settings(settings),
        weights=_weights(settings),
        first=int(workload.submit[0]),
        phase=settings.number("phase"),
    )


def _persons(workload: Workload) -> Ints:
    """Users as numbers from 0 on; who is not known is somebody of his own."""
    known = workload.user != UNKNOWN
    alone = int(workload.user.max(initial=0)) + 1 + np.arange(len(workload))
    told = np.where(known, workload.user, alone)
    return np.unique(told, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _settings(given: SlurmSettings) -> Ints:
    from packwise.engine.slurm import group as of

    found = np.zeros(of.SETTINGS, np.int64)
    names = {
        of.BF_INTERVAL: "bf_interval",
        of.BF_WINDOW: "bf_window",
        of.BF_RESOLUTION: "bf_resolution",
        of.BF_MAX_TEST: "bf_max_job_test",
        of.BF_MAX_USER: "bf_max_job_user",
        of.BF_MAX_PART: "bf_max_job_part",
        of.BF_MAX_START: "bf_max_job_start",
        of.BF_MIN_AGE: "bf_min_age_reserve",
        of.BF_MIN_PRIORITY: "bf_min_prio_reserve",
        of.BF_LINEAR: "bf_window_linear",
        of.DEPTH: "default_queue_depth",
        of.SCHED_INTERVAL: "sched_interval",
        of.SUBMIT_DELAY: "batch_sched_delay",
        of.CALC_PERIOD: "PriorityCalcPeriod",
        of.MAX_AGE: "PriorityMaxAge",
        of.COMPLETING: "completing",
    }
    for place, name in names.items():
        found[place] = given.number(name)
    found[of.BACKFILLS] = given.backfills
    for place in (of.BF_INTERVAL, of.SCHED_INTERVAL):
        if found[place] < 0:
            found[place] = _NEVER
    found[of.FAIR_TREE] = "NO_FAIR_TREE" not in given.flags()
    return found


def _weights(given: SlurmSettings) -> Floats:
    from packwise.engine.slurm import group as of

    found = np.zeros(of.WEIGHTS)
    found[of.AGE] = given.number("PriorityWeightAge")
    found[of.FAIR_SHARE] = given.number("PriorityWeightFairshare")
    half = given.number("PriorityDecayHalfLife")
    found[of.DECAY] = 0.5 ** (1 / half) if half > 0 else 1.0
    found[of.DAMPENING] = given.number("FairShareDampeningFactor")
    return found


def _partitions(workload: Workload, cluster: Cluster) -> tuple[Ints, list[Partition | None], Ints]:
    """The partition of each job, by its place among those of the cluster; its place 0 is none of them."""
    told = workload.extra.get("partition")
    there = [np.ones(1 if cluster.is_pool else cluster.nodes, np.int64)]
    partitions: list[Partition | None] = [None]
    if told is None or cluster.is_pool:
        return np.zeros(len(workload), np.int64), partitions, np.stack(there)
    part = np.zeros(len(workload), np.int64)
    for one in cluster.partitions:
        part[told == one.number] = len(partitions)
        partitions.append(one)
        there.append(cluster.open_to(one))
    return part, partitions, np.stack(there)


def _partition_factor(partitions: list[Partition | None]) -> Floats:
    factors = np.array([0 if one is None else one.factor for one in partitions], np.float64)
    found: Floats = factors / max(float(factors.max()), 1.0)
    return found


def _size(workload: Workload, cluster: Cluster, settings: SlurmSettings) -> Floats:
    """The share of the machine that jobs ask for, in nodes and in processors, or for how much of it for a
    minute.
    """
    small = bool(settings.number("PriorityFavorSmall"))
    procs = workload.demand / cluster.procs
    nodes = procs
    if not cluster.is_pool:
        nodes = _least_nodes(workload) / cluster.nodes
    if "SMALL_RELATIVE_TO_TIME" in settings.flags():
        minutes = np.maximum(workload.requested_time // 60, 1)
        size = np.maximum(nodes, procs) / minutes
        size = 1.0 - size if small else size
    else:
        size = (1 - nodes + 1 - procs) / 2 if small else (nodes + procs) / 2
    found: Floats = np.clip(size, 0.0, 1.0)
    return found


def _least_nodes(workload: Workload) -> Ints:
    """The nodes that jobs ask for at least; where that is not told, those of their units."""
    one = np.ones(len(workload), np.int64)
    units = one if workload.units is None else workload.units
    asked = workload.extra.get("requested_nodes")
    return units if asked is None else np.where(asked > 0, asked, units)


def _qos(workload: Workload, priorities: dict[str, int]) -> Floats:
    """The priority of each job's QOS, as a share of the highest."""
    column = workload.numbers("qos")
    if not priorities:
        return np.zeros(len(workload))
    words = workload.names.get("qos", ())
    _check_names("qos", priorities, words)
    assert column is not None
    told = np.array([priorities.get(word, 0) for word in words] + [0], np.float64)
    found: Floats = told[column] / max(*priorities.values(), 1)
    return found


def _check_names(setting: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse names that no job has: what is said of them would have no effect."""
    for name in given:
        if name not in known:
            raise UnknownName(f"name in the setting {setting}", name, known)


def _nice(workload: Workload) -> Floats | int:
    told = workload.extra.get("nice")
    return 0 if told is None else np.where(told == UNKNOWN, 0, told).astype(np.float64)


def _owners(workload: Workload, shares: dict[str, int]) -> tuple[Ints, Ints, Floats, Floats]:
    """Users of accounts: that of each job; the account of each, its share among those of the account, and the
    shares of the accounts. Where no account is told, all are of one.
    """
    accounts = workload.numbers("account")
    accounts = workload.group if accounts is None else accounts
    pairs = np.stack([accounts, workload.user], axis=1)
    known, owner = np.unique(pairs, axis=0, return_inverse=True)
    found, account = np.unique(known[:, 0], return_inverse=True)
    column = "account" if workload.numbers("account") is not None else "group"
    _check_names(
        "shares", shares, [*workload.names.get(column, ()), *workload.names.get("user", ())]
    )

    def given(name: str, number: int) -> float:
        return float(shares.get(workload.name_of(name, number), 1))

    account = account.reshape(-1).astype(np.int64)
    of_account = np.array([given(column, number) for number in found.tolist()])
    own = np.array([given("user", number) for number in known[:, 1].tolist()])
    totals = np.bincount(account, own)
    return (
        owner.reshape(-1).astype(np.int64),
        account,
        own / np.maximum(totals[account], 1e-300),
        of_account / max(of_account.sum(), 1e-300),
    )
