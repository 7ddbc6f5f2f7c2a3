"""Slurm's scheduler once more, as plainly as possible: lists, no clocks that are kept, nothing that is skipped.

For small cases with the users' limits as estimates and the placement first-fit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from packwise.model import Cluster, Workload
from packwise.model.slurm_settings import SlurmSettings

NEVER = 10**12


class PoolRoom:
    """Processors; what is taken from when until when."""

    def __init__(self, workload: Workload, cluster: Cluster) -> None:
        self.demand = workload.demand.tolist()
        self.procs = cluster.procs
        self.taken: list[tuple[int, int, int]] = []

    def place(self, job: int, start: int, end: int, closed: frozenset[int]) -> Any:
        """Where a job could be for that time; None if nowhere."""
        points = {start, *(a for a, _, _ in self.taken if start < a < end)}
        for point in points:
            used = sum(amount for a, b, amount in self.taken if a <= point < b)
            if used + self.demand[job] > self.procs:
                return None
        return None if closed else True

    def hold(self, job: int, where: Any, start: int, end: int) -> Any:
        entry = (start, end, self.demand[job])
        self.taken.append(entry)
        return [entry]

    def reserve(self, job: int, where: Any, start: int, end: int) -> Any:
        return self.hold(job, where, start, end)

    def drop(self, entries: Any) -> None:
        for entry in entries:
            self.taken.remove(entry)

    def ends(self) -> list[int]:
        return [b for _, b, _ in self.taken]

    def nodes_of(self, part: int) -> frozenset[int]:
        return frozenset({0})


class NodeRoom:
    """Nodes; what of each is taken from when until when. A reservation takes all of a node."""

    def __init__(self, workload: Workload, cluster: Cluster) -> None:
        self.cluster = cluster
        self.resources = cluster.resources
        self.capacity = cluster.capacity().tolist()
        self.whole = cluster.whole_nodes().tolist()
        n = len(workload)
        self.units = (workload.demand if workload.units is None else workload.units).tolist()
        each = {"cores": np.ones(n, np.int64)} if workload.units is None else workload.per_unit
        columns = [each.get(name, np.zeros(n, np.int64)) for name in self.resources]
        self.needs = np.stack(columns, axis=1).tolist()
        told = workload.extra.get("partition", np.full(n, -1))
        self.part = told.tolist()
        self.taken: list[tuple[int, int, int, Any]] = []

    def nodes_of(self, part: int) -> frozenset[int]:
        for one in self.cluster.partitions:
            if one.number == part:
                return frozenset(np.flatnonzero(self.cluster.open_to(one)).tolist())
        return frozenset(range(len(self.capacity)))

    def _units_on(self, job: int, node: int, start: int, end: int) -> int:
        here = [entry for entry in self.taken if entry[0] == node]
        points = {start, *(a for _, a, _, _ in here if start < a < end)}
        most = self.units[job]
        for point in points:
            there = [amount for _, a, b, amount in here if a <= point < b]
            if any(amount is None for amount in there) or (self.whole[node] and there):
                return 0
            for r, need in enumerate(self.needs[job]):
                free = self.capacity[node][r] - sum(amount[r] for amount in there)
                if need:
                    most = min(most, max(free, 0) // need)
        return most

    def place(self, job: int, start: int, end: int, closed: frozenset[int]) -> Any:
        left, where = self.units[job], []
        for node in sorted(self.nodes_of(self.part[job]) - closed):
            units = min(self._units_on(job, node, start, end), left)
            if units:
                where.append((node, units))
                left -= units
        return None if left else where

    def hold(self, job: int, where: Any, start: int, end: int) -> Any:
        entries = [
            (node, start, end, [units * need for need in self.needs[job]]) for node, units in where
        ]
        self.taken += entries
        return entries

    def reserve(self, job: int, where: Any, start: int, end: int) -> Any:
        entries: list[tuple[int, int, int, Any]] = [(node, start, end, None) for node, _ in where]
        self.taken += entries
        return entries

    def drop(self, entries: Any) -> None:
        for entry in entries:
            self.taken.remove(entry)

    def ends(self) -> list[int]:
        return [b for _, _, b, _ in self.taken]


class NaiveSlurm:
    """Starts of all jobs."""

    def __init__(self, workload: Workload, cluster: Cluster, settings: SlurmSettings) -> None:
        self.w, self.cluster, self.set = workload, cluster, settings
        self.room: Any = (
            PoolRoom(workload, cluster) if cluster.is_pool else NodeRoom(workload, cluster)
        )
        n = len(workload)
        told = workload.extra.get("partition") if cluster.partitions else None
        self.part = [-1] * n if told is None else told.tolist()
        self.begin = int(workload.submit[0])
        self.origin = self.begin - settings.number("phase")
        self.limit = workload.requested_time.tolist()
        self.submit = workload.submit.tolist()
        self.owner = list(zip(workload.group.tolist(), workload.user.tolist(), strict=True))
        self.owners = sorted(set(self.owner))
        self.usage = dict.fromkeys(self.owners, 0.0)
        self.factor = dict.fromkeys(self.owners, 1.0)
        self.counted = self.begin
        self.run_from: dict[int, int] = {}
        self.run_to: dict[int, int] = {}
        self.entries: dict[int, Any] = {}
        self.priority: dict[int, int] = {}

    def run(self) -> list[int]:
        beats = [
            self.set.number(name)
            for name in ("bf_interval", "sched_interval", "PriorityCalcPeriod")
        ]
        waiting: list[int] = []
        now, coming, last_main = self.begin, 0, -(10**9)
        main_due, freed_due, changed_since = NEVER, NEVER, False
        while coming < len(self.submit) or waiting or self.run_to:
            ended = [job for job, end in self.run_to.items() if end == now]
            came = [job for job in range(coming, len(self.submit)) if self.submit[job] == now]
            for job in ended:
                self.room.drop(self.entries.pop(job))
                del self.run_to[job]
            period = beats[2]
            anew = (now - self.origin) // period > (self.counted - self.origin) // period
            if anew:
                self._count(now)
            for job in came:
                self.priority[job] = self._priority(job, now)
            coming += len(came)
            waiting += came
            if anew and waiting:
                for job in waiting:
                    self.priority[job] = self._priority(job, now)
            before = [job for job in waiting if job not in came]
            waiting.sort(key=lambda job: (-self._tier(job), -self.priority[job], job))
            moved = before != [job for job in waiting if job not in came]
            changed_since |= bool(ended or came or moved)
            started: list[int] = []
            if ended:
                freed_due = min(freed_due, now + self.set.number("completing"))
            if came:
                last = max(last_main, now - (now - self.origin) % beats[1])
                main_due = min(main_due, max(now, last + self.set.number("batch_sched_delay")))
            whole = (now - self.origin) % beats[1] == 0 and changed_since
            if waiting and (freed_due <= now or main_due <= now or whole):
                depth = NEVER if whole else self.set.number("default_queue_depth")
                started += self._main(waiting, now, depth)
                changed_since &= not whole
                if main_due <= now:
                    last_main, main_due = now, NEVER
            if freed_due <= now:
                freed_due = NEVER
            if waiting and (now - self.origin) % beats[0] == 0:
                started += self._backfill(waiting, now, started)
            waiting = [job for job in waiting if job not in started]
            if not waiting:
                main_due, freed_due, changed_since = NEVER, NEVER, False
            now = self._next(now, coming, waiting, min(main_due, freed_due), beats)
        return [self.run_from[job] for job in range(len(self.submit))]

    def _next(
        self, now: int, coming: int, waiting: list[int], main_due: int, beats: list[int]
    ) -> int:
        found = list(self.run_to.values())
        if coming < len(self.submit):
            found.append(self.submit[coming])
        if waiting or self.run_to:
            found += [now + beat - (now - self.origin) % beat for beat in beats]
            if main_due > now:
                found.append(main_due)
        return min((t for t in found if t > now), default=now + 1)

    def _start(self, job: int, where: Any, now: int) -> None:
        self.run_from[job] = now
        self.run_to[job] = now + int(self.w.runtime[job])
        self.entries[job] = self.room.hold(job, where, now, now + self.limit[job])

    def _main(self, waiting: list[int], now: int, depth: int) -> list[int]:
        started: list[int] = []
        failed: set[int] = set()
        closed: frozenset[int] = frozenset()
        tests = 0
        for job in waiting:
            if self.part[job] in failed:
                continue
            tests += 1
            if tests > depth:
                break
            where = self.room.place(job, now, now + self.limit[job], closed)
            if where is None:
                failed.add(self.part[job])
                closed |= self.room.nodes_of(self.part[job])
            else:
                self._start(job, where, now)
                started.append(job)
        return started

    def _backfill(self, waiting: list[int], now: int, begun: list[int]) -> list[int]:
        number = self.set.number
        started: list[int] = []
        kept: list[Any] = []
        tests, of_user, of_part = 0, {}, {}
        for job in waiting:
            if job in begun:
                continue
            user, part = int(self.w.user[job]), self.part[job]
            of_user[user] = of_user.get(user, 0) + 1
            of_part[part] = of_part.get(part, 0) + 1
            if (
                tests >= number("bf_max_job_test")
                or 0 < number("bf_max_job_user") < of_user[user]
                or 0 < number("bf_max_job_part") < of_part[part]
            ):
                continue
            tests += 1
            where = self.room.place(job, now, now + self.limit[job], frozenset())
            if where is not None:
                self._start(job, where, now)
                started.append(job)
                if len(started) == number("bf_max_job_start"):
                    break
                continue
            planned = self._earliest(job, now, now)
            planned = self._earliest(job, now, self._step(now, planned))
            if (
                planned > now + number("bf_window")
                or now - self.submit[job] < number("bf_min_age_reserve")
                or self.priority[job] < number("bf_min_prio_reserve")
            ):
                continue
            resolution = number("bf_resolution")
            first = max(planned // resolution * resolution, now)
            last = (planned + self.limit[job]) // resolution * resolution
            where = self.room.place(job, planned, planned + self.limit[job], frozenset())
            kept.append(self.room.reserve(job, where, first, max(last, first + 1)))
        for entries in kept:
            self.room.drop(entries)
        return started

    def _earliest(self, job: int, now: int, since: int) -> int:
        for time in sorted({since, *(end for end in self.room.ends() if end > since)}):
            if self.room.place(job, time, time + self.limit[job], frozenset()) is not None:
                return time
        raise AssertionError("a job without a place")

    def _step(self, now: int, planned: int) -> int:
        """The end of the step of time in which a start is planned."""
        ends = sorted({self.run_from[job] + self.limit[job] for job in self.run_to})
        if planned not in ends:
            return planned
        length = 30
        while ends:
            group = [end for end in ends if end <= ends[0] + length]
            if group[-1] >= planned:
                return group[-1]
            ends = ends[len(group) :]
            linear = self.set.number("bf_window_linear")
            length = length + linear if linear else 2 * length
        return planned

    def _count(self, now: int) -> None:
        recent: dict[Any, float] = {}
        for job in self.run_to:
            used = int(self.w.demand[job]) * (now - max(self.run_from[job], self.counted))
            recent[self.owner[job]] = recent.get(self.owner[job], 0.0) + used
        half = self.set.number("PriorityDecayHalfLife")
        decay = (0.5 ** (1 / half) if half else 1.0) ** (now - self.counted)
        self.counted = now
        for owner in self.owners:
            self.usage[owner] = (self.usage[owner] + recent.get(owner, 0.0)) * decay
        if "NO_FAIR_TREE" in self.set.flags():
            self._classic()
        else:
            self._fair_tree()

    def _shares(self, owner: Any) -> tuple[float, float]:
        """The part of its account among all accounts, and its own among the users of that."""
        raw = self.set.amounts("shares")
        accounts = {
            account: raw.get(self.w.name_of("group", account), 1) for account, _ in self.owners
        }
        users = {
            user: raw.get(self.w.name_of("user", user), 1)
            for account, user in self.owners
            if account == owner[0]
        }
        of_account, of_user = accounts[owner[0]], users[owner[1]]
        return (
            of_account / sum(accounts.values()) if of_account else 0.0,
            of_user / sum(users.values()) if of_user else 0.0,
        )

    def _used(self, account: int) -> float:
        return sum(self.usage[one] for one in self.owners if one[0] == account)

    def _levels(self, owner: Any) -> tuple[float, float]:
        of_account, of_user = self._shares(owner)
        total = sum(self.usage.values())
        theirs, own = self._used(owner[0]), self.usage[owner]

        def level(share: float, used: float, of_all: float) -> float:
            """Slurm's "Level FS", share by usage (slurm.schedmd.com/fair_tree.html): without usage it is
            infinity, and without shares 0, whether anything was used or not.
            """
            if share == 0:
                return 0.0
            return share * of_all / used if used > 0 else math.inf

        return level(of_account, theirs, total), level(of_user, own, theirs)

    def _fair_tree(self) -> None:
        """The factor counts those who are no better, root among them unless nothing has been used."""
        levels = {owner: self._levels(owner) for owner in self.owners}
        for owner, mine in levels.items():
            no_better = sum(other <= mine for other in levels.values())
            untouched = mine == (math.inf, math.inf)
            self.factor[owner] = (no_better + untouched) / (len(self.owners) + 1)

    def _classic(self) -> None:
        total = sum(self.usage.values())
        for owner in self.owners:
            of_account, of_user = self._shares(owner)
            effective = 0.0
            if total:
                own, theirs = self.usage[owner] / total, self._used(owner[0]) / total
                effective = own + (theirs - own) * of_user
            dampening = self.set.number("FairShareDampeningFactor")
            share = of_account * of_user
            self.factor[owner] = 2 ** (-effective / share / dampening) if share else 0.0

    def _tier(self, job: int) -> int:
        return next(
            (one.tier for one in self.cluster.partitions if one.number == self.part[job]), 1
        )

    def _priority(self, job: int, now: int) -> int:
        number = self.set.number
        age = min((now - self.submit[job]) / number("PriorityMaxAge"), 1.0)
        size = int(self.w.demand[job]) / self.cluster.procs
        if not self.cluster.is_pool:
            units = 1 if self.w.units is None else int(self.w.units[job])
            size = (size + units / self.cluster.nodes) / 2
        size = min(size, 1.0)
        if number("PriorityFavorSmall"):
            size = 1 - size
        factors = {one.number: one.factor for one in self.cluster.partitions}
        most = max([*factors.values(), 1])
        part = factors.get(self.part[job], 0) / most
        total = (
            number("PriorityWeightJobSize") * size
            + number("PriorityWeightPartition") * part
            + number("PriorityWeightAge") * age
            + number("PriorityWeightFairshare") * self.factor[self.owner[job]]
        )
        return max(math.floor(total), 1)
