"""What a replay has to keep to besides what is possible: plain rules of outages, sleep, power and policies.

Each rule tells what was wrong, a sentence each. ``ran`` are the runs of the schedule, ``killed`` those that
outages have cut short.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tests.attack.slow_machine import Job, Machine, Ran, fits_empty, room


def refusals(
    machine: Machine, jobs: Sequence[Job], ran: Sequence[Ran], refused: set[int], capped: bool
) -> list[str]:
    """Everybody runs, or is refused since he never could (under a cap nobody asks why)."""
    done = {one.job for one in ran}
    faults = [
        f"job {k} neither ran nor was refused" for k in range(len(jobs)) if k not in done | refused
    ]
    faults += [f"job {k} ran and was refused" for k in done & refused]
    for k, job in enumerate(jobs):
        if k in refused and not capped and fits_empty(machine, job):
            faults.append(f"job {k} was refused, but it fits: {job}")
        if k not in refused and not fits_empty(machine, job):
            faults.append(f"job {k} was not refused, but it never fits: {job}")
    return faults


def kills(
    machine: Machine, jobs: Sequence[Job], ran: Sequence[Ran], killed: Sequence[Ran]
) -> list[str]:
    """Whoever is cut short was on a node that went out then; he runs again after that."""
    faults = []
    for one in killed:
        by = [
            o
            for o in machine.outs
            if o.kill and o.begin == one.end and set(o.nodes) & set(one.where)
        ]
        if not by:
            faults.append(f"{one} was killed by no outage")
        if one.end - one.start >= jobs[one.job].runtime:
            faults.append(f"{one} had ended when it was killed")
        if sum(one.where.values()) != jobs[one.job].units or one.held_from < jobs[one.job].submit:
            faults.append(f"{one} was nothing that could be killed")
        if any(other.job == one.job and other.held_from < one.end for other in ran):
            faults.append(f"{one} was killed after its last start")
    return faults


def boots(machine: Machine, ran: Sequence[Ran], first: int) -> list[str]:
    """On nodes: who is given a node that sleeps waits until it has booted, others wait for nobody. ``ran``: all
    who ever had a node; nobody has one before ``first``.
    """
    naps = machine.naps
    assert naps is not None
    faults = []
    woken: dict[int, int] = {}
    for one in sorted(ran, key=lambda one: one.held_from):
        now = one.held_from
        for node in one.where:
            others = [other for other in ran if other is not one and node in other.where]
            if any(other.has(now) and other.held_from < now for other in others):
                continue
            idle_since = max([first, *(o.end for o in others if o.held_from < now)])
            if idle_since < now - naps.after:
                woken[node] = now + naps.boot
        ready = max([now, *(woken.get(node, 0) for node in one.where)])
        if one.start != ready:
            faults.append(f"{one} should start at {ready}, when its nodes have booted")
    return faults


def pool_boots(machine: Machine, ran: Sequence[Ran], first: int) -> list[str]:
    """On a pool whose cores sleep each by itself, where nobody else is given cores at the same moment: those
    that became idle last are taken.
    """
    naps = machine.naps
    assert naps is not None
    if naps.size > 1 or len({one.held_from for one in ran}) < len(ran):
        return []
    faults = []
    idle = [first] * machine.cores
    events = [(one.end, 0, one) for one in ran] + [(one.held_from, 1, one) for one in ran]
    for time, takes, one in sorted(events, key=lambda event: event[:2]):
        cores = one.where[0]
        if not takes:
            idle += [time] * cores
            continue
        idle.sort()
        taken, idle = idle[-cores:], idle[:-cores]
        ready = time + naps.boot if min(taken) < time - naps.after else time
        if one.start != ready:
            faults.append(f"{one} should start at {ready}, when its cores have booted")
    return faults


def below_cap(machine: Machine, jobs: Sequence[Job], ran: Sequence[Ran], always: bool) -> list[str]:
    """At each start, and ``always`` if nobody runs longer than believed, no more is drawn than may be."""
    faults = []
    starts = {one.start for one in ran}
    changes = {time for time, _ in machine.cap}
    for time in sorted(starts | changes if always else starts):
        there = [one for one in ran if one.start <= time < one.end]
        if not there:
            continue
        most = [watts for since, watts in machine.cap if since <= time][-1]
        more = [jobs[one.job].watts - machine.idle * _cores(jobs[one.job]) for one in there]
        drawn = machine.idle * machine.cores + sum(max(watts, 0.0) for watts in more)
        if drawn > most + 1e-6:
            faults.append(f"at {time} {drawn} W are drawn of {most}: {there}")
    return faults


def _cores(job: Job) -> int:
    return job.units * job.needs["cores"]


def promises(jobs: Sequence[Job], ran: Sequence[Ran], promised: Sequence[int]) -> list[str]:
    """Nobody starts later than promised, and nobody was promised what cannot be."""
    faults = []
    for one in ran:
        job, told = jobs[one.job], promised[one.job]
        if told < 0:
            faults.append(f"{one} was promised nothing")
        elif told < job.submit or one.start > told:
            faults.append(f"{one} was promised {told}")
        elif job.deadline is not None and told + job.limit <= job.deadline < one.end:
            faults.append(f"{one} was promised to end by {job.deadline}")
    return faults


def _moments(jobs: Sequence[Job], runs: Sequence[Ran], machine: Machine) -> list[int]:
    times = {job.submit for job in jobs} | {one.end for one in runs}
    times |= {one.held_from for one in runs}
    return sorted(times | {t for out in machine.outs for t in (out.begin, out.end)})


def _waiting(jobs: Sequence[Job], ran: Sequence[Ran], runs: Sequence[Ran], time: int) -> list[int]:
    """Who waits after the round of a moment, in the order of submission."""
    return sorted(
        one.job
        for one in ran
        if jobs[one.job].submit <= time < one.held_from
        and not any(other.job == one.job and other.has(time) for other in runs)
    )


def nobody_fits(
    machine: Machine, jobs: Sequence[Job], ran: Sequence[Ran], killed: Sequence[Ran], whose: str
) -> list[str]:
    """Nobody waits who would fit: of ``whose`` all, or the head of the queue; or anyone on an idle machine."""
    runs = [*ran, *killed]
    faults = []
    for time in _moments(jobs, runs, machine):
        waiting = _waiting(jobs, ran, runs, time)
        if whose == "idle" and any(one.has(time) for one in runs):
            continue
        looked_at = waiting[:1] if whose == "head" else waiting
        fitting = [
            k for k in looked_at if room(machine, jobs, runs, jobs[k], time) >= jobs[k].units
        ]
        # On an idle machine the first starts, whoever that is, if all could.
        if fitting and (whose != "idle" or fitting == waiting):
            faults.append(f"at {time} jobs {fitting} wait for nothing ({whose})")
    return faults


def in_order(ran: Sequence[Ran]) -> list[str]:
    """Nobody is given his nodes before those who came before him."""
    by_job = sorted(ran, key=lambda one: one.job)
    return [
        f"{one} is overtaken by {other}"
        for one, other in pairwise(by_job)
        if other.held_from < one.held_from
    ]


def head_is_not_delayed(
    machine: Machine, jobs: Sequence[Job], ran: Sequence[Ran], believed: Sequence[int]
) -> list[str]:
    """Who overtakes the head of the queue does not move the time at which it can start, as it is believed when
    he starts. Nobody runs longer than ``believed``.
    """
    faults = []
    for time in sorted({one.held_from for one in ran}):
        waiting = _waiting(jobs, ran, ran, time)
        if not waiting:
            continue
        head = waiting[0]
        there = [
            one._replace(end=one.held_from + believed[one.job]) for one in ran if one.has(time)
        ]
        before = [one for one in there if one.held_from < time or one.job < head]
        if _shadow(machine, jobs, there, head, time) > _shadow(machine, jobs, before, head, time):
            faults.append(f"at {time} the head, job {head}, is delayed by {there}")
    return faults


def _shadow(
    machine: Machine, jobs: Sequence[Job], there: Sequence[Ran], head: int, now: int
) -> int:
    job = jobs[head]
    moments = sorted({now, *(one.end for one in there)})
    return next(t for t in moments if room(machine, jobs, there, job, t) >= job.units)
