"""Naive twins of the compiled engine: slow, short, to be checked by eye.

No profile, no heaps, no early stop: processors in use at a moment are added up job by job.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from packwise.model.workload import NO_DEADLINE
from packwise.policies.deadline_backfilling import DeadlinePolicy


@dataclass
class NaiveJob:
    number: int
    submit: int
    demand: int
    runtime: int
    limit: int
    estimate: int
    deadline: int
    start: int | None = None
    promise: int | None = None
    tentative: bool = False
    where: dict[int, int] = field(default_factory=dict)  # on nodes: the units on each
    late: int = 0  # how long it waits for nodes to boot, which it holds meanwhile

    @property
    def expected_end(self) -> int:
        assert self.start is not None
        return self.start + self.estimate


def key(name: str, job: NaiveJob, now: int, origin: int) -> float:
    r, e, wait = job.demand, job.estimate, now - job.submit
    s = math.log10(max(job.submit - origin, 1))
    return {
        "fcfs": 0,
        "lcfs": -job.submit,
        "sjf": e,
        "ljf": -e,
        "saf": r * e,
        "laf": -r * e,
        "spf": r * e * e,
        "lpf": -r * e * e,
        "srf": r,
        "lrf": -r,
        "exp": -(wait + e) / e,
        "wfp": -((wait / e) ** 3) * r,
        "unicef": -wait / (max(math.log2(r), 1) * e),
        "f1": math.log10(e) * r + 870 * s,
        "f2": math.sqrt(e) * r + 25600 * s,
        "f3": e * r + 6860000 * s,
        "f4": e * math.sqrt(r) + 530000 * s,
        "edf": job.deadline,
    }[name]


class Block(NamedTuple):
    """What a job has from a time until another, or is to have."""

    begin: int
    end: int
    job: NaiveJob
    where: dict[int, int]


class NaivePool:
    """Room on identical processors."""

    def __init__(self, procs: int) -> None:
        self.procs = procs
        self.rises: list[int] = []  # of a power cap
        self.outages: tuple[Any, ...] = ()
        self.out: dict[int, int] = {}

    def note(self, job: NaiveJob) -> None:
        """A job has come."""

    def fits(self, blocks: list[Block], job: NaiveJob, begin: int, end: int) -> bool:
        moments = [begin] + [block.begin for block in blocks if begin < block.begin < end]
        return all(
            sum(b.job.demand for b in blocks if b.begin <= m < b.end) + job.demand <= self.procs
            for m in moments
        )

    def where(self, blocks: list[Block], job: NaiveJob, now: int, begin: int) -> dict[int, int]:
        return {}


def earliest(room: Any, blocks: list[Block], now: int, job: NaiveJob) -> int:
    """First moment from now on at which a job has room until its end."""
    ends = {*(block.end for block in blocks), *room.out.values(), *room.rises}
    for t in sorted({now} | {end for end in ends if end > now}):
        if room.fits(blocks, job, t, t + job.estimate):
            return t
    raise AssertionError("the last release leaves room")


def take(room: Any, blocks: list[Block], now: int, job: NaiveJob, begin: int) -> Block:
    """Give a job its place."""
    job.where = room.where(blocks, job, now, begin)
    return Block(begin, begin + job.estimate, job, job.where)


def held(running: list[NaiveJob], now: int) -> list[Block]:
    return [Block(now, job.expected_end, job, job.where) for job in running]


def list_round(
    queue: list[NaiveJob],
    running: list[NaiveJob],
    room: Any,
    now: int,
    origin: int,
    rule: Any,
    released: bool,
) -> list[NaiveJob]:
    """Goponenko et al., DEBS 2024, algorithm 1 and SBAC-PAD 2022, algorithm 2, word for word."""

    def order_of(job: NaiveJob) -> Any:
        if rule.threshold is not None and now - job.submit > rule.threshold:
            return (-math.inf, 0, job.number)
        return (
            key(rule.order.name, job, now, origin),
            key(rule.tie.name, job, now, origin),
            job.number,
        )

    waiting = sorted(queue, key=order_of)[: rule.cap]
    blocks = held(running, now)
    started: list[NaiveJob] = []
    reservations = 0
    easy = rule.option == "backfill" and rule.depth == 1 and rule.order.name == "fcfs"
    if (
        easy
        and not released
        and not any(j.submit == now and room.fits(blocks, j, now, now + 1) for j in queue)
    ):
        return []  # only arrivals, none of which fits: EASY leaves the queue alone
    depth = {"strict": 0, "greedy": 0, "backfill": rule.depth}[rule.option]
    depth = math.inf if depth is None else depth
    resorted = False
    while waiting:
        if 0 < depth <= reservations and not resorted:
            resorted = True
            if rule.backfill_order is not None:
                place = {job.number: i for i, job in enumerate(waiting)}
                waiting.sort(
                    key=lambda job: (
                        key(rule.backfill_order.name, job, now, origin),
                        key(rule.backfill_tie.name, job, now, origin),
                        place[job.number],
                    )
                )
        job = waiting.pop(0)
        if room.fits(blocks, job, now, now + job.estimate):
            blocks.append(take(room, blocks, now, job, now))
            started.append(job)
        elif rule.option == "strict":
            break
        elif reservations < depth:
            at = earliest(room, blocks, now, job)
            blocks.append(take(room, blocks, now, job, at))
            reservations += 1
    return started


@dataclass
class Round:
    """What conservative and deadline-based backfilling see at a round."""

    queue: list[NaiveJob]
    running: list[NaiveJob]
    room: Any
    now: int
    early: bool
    overrun: bool
    at_once: bool
    out_new: bool = False

    def blocks(self, me: NaiveJob, among: list[NaiveJob]) -> list[Block]:
        """The running jobs, and those among the others that have a place."""
        return held(self.running, self.now) + [
            Block(job.promise, job.promise + job.estimate, job, job.where)
            for job in among
            if job is not me and job.promise is not None
        ]

    def place(self, me: NaiveJob, among: list[NaiveJob]) -> int:
        """The earliest start around these."""
        return earliest(self.room, self.blocks(me, among), self.now, me)

    def put(self, me: NaiveJob, among: list[NaiveJob], at: int) -> None:
        """Give a job its place, which is promised from now on."""
        me.where = self.room.where(self.blocks(me, among), me, self.now, at)
        me.promise = at

    def pull(self, me: NaiveJob, among: list[NaiveJob]) -> bool:
        """Move a job forward, if that is possible and wanted."""
        at = self.place(me, among)
        moves = at < me.promise and (at == self.now or not self.at_once)
        if moves:
            self.put(me, among, at)
        return moves


def conservative_round(round: Round) -> list[NaiveJob]:
    """Promise, compress, start: see packwise/engine/conservative.py."""
    queue = round.queue
    if round.overrun:
        for job in queue:
            job.promise = None
    elif round.out_new:
        promised = [job for job in queue if job.promise is not None]
        kept: list[NaiveJob] = []
        for job in promised:
            if round.room.still_free(round.blocks(job, kept), job):
                kept.append(job)
        moved = [job for job in promised if job not in kept]
        for job in moved:
            job.promise = None
        for job in moved:
            round.put(job, queue, round.place(job, queue))
    for job in queue:
        if job.promise is None:
            round.put(job, queue, round.place(job, queue))
        elif round.early or round.at_once:
            round.pull(job, queue)
    return [job for job in queue if job.promise == round.now]


def late(job: NaiveJob, start: int) -> bool:
    return start + job.estimate > job.deadline


def settle(round: Round, waiting: list[NaiveJob], promoted: list[NaiveJob], newest: Any) -> bool:
    """Lines 1 to 35 of algorithm 1 of N'Takpé and Suter, JSSPP 2017, word for word, for the jobs that wait,
    and then whether it has broken a deadline that was kept. ``promoted`` is Ltmp, L1 the tentative jobs.
    """
    before = {job.number: job.promise for job in waiting}
    definitive = [job for job in waiting if not job.tentative and job is not newest]

    def allocate_all() -> None:
        tentative = [job for job in waiting if job.tentative]
        for job in [*promoted, *tentative]:
            job.promise = None
        promoted.sort(key=lambda job: job.number)
        for job in [*promoted, *tentative]:
            job.promise = round.place(job, [*definitive, *promoted, *tentative])

    def promote(job: NaiveJob) -> None:
        job.tentative = False
        promoted.append(job)

    allocate_all()
    while any(job.tentative and late(job, job.promise) for job in waiting):
        promote(next(job for job in waiting if job.tentative and late(job, job.promise)))
        allocate_all()
    failing = [job for job in promoted if job is not newest and late(job, job.promise)]
    if failing:
        s_max = max(job.submit for job in failing)
        for job in [job for job in waiting if job.tentative and job.submit < s_max]:
            promote(job)
        allocate_all()
    moved = [*promoted, *(job for job in waiting if job.tentative)]
    return not any(
        late(job, job.promise) and not late(job, before[job.number])
        for job in moved
        if job is not newest and before[job.number] is not None
    )


def deadline_round(round: Round) -> list[NaiveJob]:
    """Deadline-based backfilling: see packwise/engine/deadline_backfilling.py."""
    known = [job for job in round.queue if job.promise is not None]
    if round.overrun:
        for job in known:
            job.promise = None
        for job in known:
            if not job.tentative:
                job.promise = round.place(job, known)
        settle(round, known, [], None)
    elif round.early or round.at_once:
        before = {job.number: (job.promise, job.tentative) for job in known}
        definitive = [job for job in known if not job.tentative]
        moved = [job for job in definitive if round.pull(job, definitive)]
        if not moved:
            for job in known:
                if job.tentative:
                    round.pull(job, known)
        elif not settle(round, known, [], None):
            for job in known:
                job.promise, job.tentative = before[job.number]
            for job in known:
                round.pull(job, known)
    for new in [job for job in round.queue if job.promise is None]:
        among = [*known, new]
        at = round.place(new, among)
        if new.deadline < NO_DEADLINE and not late(new, at):
            new.promise, new.tentative = at, True
        else:
            before = {job.number: (job.promise, job.tentative) for job in known}
            if not settle(round, among, [new], new):
                for job in known:
                    job.promise, job.tentative = before[job.number]
                new.promise = None
                new.promise = round.place(new, among)
        known.append(new)
    return [job for job in round.queue if job.promise == round.now]


def longer(job: NaiveJob, late: int) -> None:
    """A job holds its nodes for so much longer than it runs."""
    job.late += late
    job.runtime += late
    job.limit += late
    job.estimate += late


def naive_replay(
    workload: Any, procs: int, estimate: Any, policy: Any, predictor: Any = None
) -> list[int]:
    """Start of each job on a pool: see ``naive_jobs``."""
    return [
        job.start for job in naive_jobs(workload, NaivePool(procs), estimate, policy, predictor)
    ]


def naive_jobs(
    workload: Any,
    room: Any,
    estimate: Any,
    policy: Any,
    predictor: Any = None,
    sleep: Any = None,
) -> list[NaiveJob]:
    """The jobs after a replay under a ListPolicy, deadline-based or conservative backfilling.

    A ``predictor`` of tests/oracle/naive_predictors.py gives the estimates as time goes on; ``sleep`` of
    tests/oracle/naive_sleep.py tells who waits for nodes to boot.
    """
    lists = hasattr(policy, "option")
    promising = deadline_round if isinstance(policy, DeadlinePolicy) else conservative_round
    no_deadline = np.full(len(workload), NO_DEADLINE)
    jobs = [
        NaiveJob(i, *map(int, row))
        for i, row in enumerate(
            zip(
                workload.submit,
                workload.demand,
                workload.runtime,
                workload.requested_time,
                estimate,
                no_deadline if workload.deadline is None else workload.deadline,
                strict=True,
            )
        )
    ]
    origin = jobs[0].submit
    running: list[NaiveJob] = []
    queue: list[NaiveJob] = []
    future = list(jobs)
    overrun = False
    now = -1
    while future or queue or running:
        moments = [job.submit for job in future[:1]]
        moments += [job.start + job.runtime for job in running]
        moments += [job.expected_end for job in running if job.estimate < job.runtime]
        moments += [job.promise for job in queue if job.promise is not None]
        changes = {t for outage in room.outages for t in (outage.begin, outage.end) if t > now}
        if lists and queue:
            changes |= {time for time in room.rises if time > now}
        now = min([*moments, *changes])
        for job in running:
            if job.expected_end == now and job.estimate < job.runtime:
                job.estimate = predictor.corrected(job, now) if predictor else job.limit
                overrun = True
        arrived = bool(future) and future[0].submit == now
        while future and future[0].submit == now:
            queue.append(future.pop(0))
            room.note(queue[-1])
            if predictor:
                queue[-1].estimate = predictor.estimate(queue[-1], now)
        ended = [job for job in running if job.start + job.runtime == now]
        if predictor:
            for job in ended:
                predictor.learn(job, now)
            if lists and ended and predictor.updates:
                for job in queue:
                    job.estimate = predictor.estimate(job, now)
        early = any(job.expected_end > now for job in ended)
        running = [job for job in running if job not in ended]
        before = dict(room.out)
        active = [outage for outage in room.outages if outage.begin <= now < outage.end]
        room.out = {}
        for outage in active:
            for node in outage.nodes:
                room.out[node] = max(room.out.get(node, 0), outage.end)
        begins = [outage for outage in active if outage.begin == now]
        gone = {node for outage in begins if outage.kill for node in outage.nodes}
        killed = [job for job in running if gone & set(job.where)]
        early = early or bool(killed)
        running = [job for job in running if job not in killed]
        for job in sorted(killed, key=lambda job: job.number):
            job.start, job.promise, job.where = None, None, {}
            longer(job, -job.late)
            place = sum(waits.submit < now or waits.number < job.number for waits in queue)
            queue.insert(place, job)
        if sleep:
            sleep.ended(running, now)
        changed = now in changes
        if not (arrived or ended or changed or any(job.promise == now for job in queue)):
            continue  # corrections alone do not call the scheduler
        if lists:
            released = bool(ended) or room.out != before or now in room.rises
            started = list_round(queue, running, room, now, origin, policy, released)
        else:
            round = Round(queue, running, room, now, early, overrun, policy.at_once, bool(begins))
            started = promising(round)
        overrun = False
        for job in started:
            job.start = now
            queue.remove(job)
            running.append(job)
            if sleep:
                longer(job, sleep.started(job, running, now))
                overrun = overrun or job.late > 0
            if predictor:
                predictor.begin(job, now)
    return jobs
