"""Naive twins of the compiled engine: slow, short, to be checked by eye.

No profile, no heaps, no early stop: processors in use at a moment are added up job by job.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass
class NaiveJob:
    number: int
    submit: int
    demand: int
    runtime: int
    limit: int
    estimate: int
    start: int | None = None
    promise: int | None = None

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
    }[name]


def earliest(
    blocks: list[tuple[int, int, int]], procs: int, now: int, demand: int, length: int
) -> int:
    """First moment from now on at which ``demand`` stays free for ``length``, given (from, to, demand)."""
    for t in sorted({now} | {end for _, end, _ in blocks if end > now}):
        moments = [t] + [begin for begin, _, _ in blocks if t < begin < t + length]
        if all(sum(d for b, e, d in blocks if b <= m < e) + demand <= procs for m in moments):
            return t
    raise AssertionError("the last release leaves room")


def free(running: list[NaiveJob], procs: int) -> int:
    return procs - sum(job.demand for job in running)


def list_round(
    queue: list[NaiveJob],
    running: list[NaiveJob],
    procs: int,
    now: int,
    origin: int,
    rule: Any,
    ended: list[NaiveJob],
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
    blocks = [(now, job.expected_end, job.demand) for job in running]
    started: list[NaiveJob] = []
    reservations = 0
    easy = rule.option == "backfill" and rule.depth == 1 and rule.order.name == "fcfs"
    if (
        easy
        and not ended
        and not any(j.submit == now and j.demand <= free(running, procs) for j in queue)
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
        if earliest(blocks, procs, now, job.demand, job.estimate) == now:
            blocks.append((now, now + job.estimate, job.demand))
            started.append(job)
        elif rule.option == "strict":
            break
        elif reservations < depth:
            at = earliest(blocks, procs, now, job.demand, job.estimate)
            blocks.append((at, at + job.estimate, job.demand))
            reservations += 1
    return started


def conservative_round(
    queue: list[NaiveJob], running: list[NaiveJob], procs: int, now: int, early: bool, overrun: bool
) -> list[NaiveJob]:
    """Promise, compress, start: see packwise/engine/conservative.py."""

    def others(me: NaiveJob) -> list[tuple[int, int, int]]:
        return [(now, job.expected_end, job.demand) for job in running] + [
            (job.promise, job.promise + job.estimate, job.demand)
            for job in queue
            if job is not me and job.promise is not None
        ]

    if overrun:
        for job in queue:
            job.promise = None
    for job in queue:
        if job.promise is None or early:
            job.promise = earliest(others(job), procs, now, job.demand, job.estimate)
    return [job for job in queue if job.promise == now]


def naive_replay(
    workload: Any, procs: int, estimate: Any, policy: Any, predictor: Any = None
) -> list[int]:
    """Start of each job under a ListPolicy or, for any other policy, conservative backfilling.

    A ``predictor`` of tests/oracle/naive_predictors.py gives the estimates as time goes on.
    """
    lists = hasattr(policy, "option")
    jobs = [
        NaiveJob(i, *map(int, row))
        for i, row in enumerate(
            zip(
                workload.submit,
                workload.demand,
                workload.runtime,
                workload.requested_time,
                estimate,
                strict=True,
            )
        )
    ]
    origin = jobs[0].submit
    running: list[NaiveJob] = []
    queue: list[NaiveJob] = []
    future = list(jobs)
    overrun = False
    while future or queue or running:
        moments = [job.submit for job in future[:1]]
        moments += [job.start + job.runtime for job in running]
        moments += [job.expected_end for job in running if job.estimate < job.runtime]
        moments += [job.promise for job in queue if job.promise is not None]
        now = min(moments)
        for job in running:
            if job.expected_end == now and job.estimate < job.runtime:
                job.estimate = predictor.corrected(job, now) if predictor else job.limit
                overrun = True
        arrived = bool(future) and future[0].submit == now
        while future and future[0].submit == now:
            queue.append(future.pop(0))
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
        if not (arrived or ended or any(job.promise == now for job in queue)):
            continue  # corrections alone do not call the scheduler
        if lists:
            started = list_round(queue, running, procs, now, origin, policy, ended)
        else:
            started = conservative_round(queue, running, procs, now, early, overrun)
        overrun = False
        for job in started:
            job.start = now
            queue.remove(job)
            running.append(job)
            if predictor:
                predictor.begin(job, now)
    return [job.start for job in jobs]
