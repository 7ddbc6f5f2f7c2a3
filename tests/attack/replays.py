"""Replays under any policy, held against a slow machine and plain rules; and what the product's check says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from packwise import Run, Schedule, check_schedule, simulate
from packwise.model.allocation import Allocation
from packwise.model.errors import InputError, JobTooLarge
from tests.attack import replay_rules as rules
from tests.attack.replay_cases import Case, a_case
from tests.attack.slow_machine import Ran, fits_empty, impossible, overfull

#: How often a schedule of the product is broken in one place, to see whether its check notices.
BREAKS = 3


def case(seed: int, folder: Path) -> list[str]:
    drawn = a_case(seed)
    dice = Random(seed + 0.5)
    try:
        run = replay(drawn, stepped=False)
    except JobTooLarge as error:
        some = [k for k, job in enumerate(drawn.jobs) if fits_empty(drawn.machine, job)]
        return [f"refused: {error}"] if some and not drawn.capped else []
    except InputError as error:
        pools_only = drawn.family == "dbf" and "cannot plan on nodes yet" in str(error)
        unknown = drawn.capped and "the power cap is known until" in str(error)
        return [] if pools_only or unknown else [f"refused: {error}"]
    faults = judge(drawn, run)
    if dice.random() < 0.5:
        faults += differences(run, replay(drawn, stepped=dice.random() < 0.8))
    if not faults:
        faults += check_of(drawn, run, dice)
    said = f"{drawn.policy}, {drawn.estimate}, {drawn.placement}, {drawn.machine}"
    return [f"{fault}\n  {said}" for fault in faults[:3]]


def replay(drawn: Case, stepped: bool) -> Run:
    return simulate(
        drawn.workload,
        drawn.cluster,
        drawn.policy,
        drawn.estimate,
        reject_too_large=True,
        stepped=stepped,
        placement=drawn.placement,
    )


def judge(drawn: Case, run: Run) -> list[str]:
    """Everything that is wrong with a replay."""
    jobs, machine = drawn.jobs, drawn.machine
    ran, killed = runs_of(run), killed_of(run)
    refused = {int(number) - 1 for number in run.rejected}
    faults = rules.refusals(machine, jobs, ran, refused, drawn.capped)
    faults += impossible(machine, jobs, ran)
    both = [*ran, *killed]
    faults += rules.kills(machine, jobs, ran, killed)
    if killed:
        faults += overfull(machine, jobs, both)
    elif machine.naps is not None:
        first = min(one.submit for k, one in enumerate(jobs) if k not in refused)
        naps = rules.pool_boots if machine.is_pool else rules.boots
        faults += naps(machine, ran, first)
    if int(run.rounds.started.sum()) != len(both):
        faults.append(f"{len(both)} runs, in rounds {run.rounds.started.sum()}")
    if drawn.capped:
        steady = drawn.trusted and machine.naps is None and not machine.outs
        return faults + rules.below_cap(machine, jobs, ran, steady)
    return faults + _of_family(drawn, run, ran, killed)


def _of_family(drawn: Case, run: Run, ran: list[Ran], killed: list[Ran]) -> list[str]:
    """What the policy keeps to, where nobody draws too much."""
    jobs, machine, family = drawn.jobs, drawn.machine, drawn.family
    told = machine, jobs, ran, killed
    faults = []
    calm = not machine.outs and machine.naps is None
    if killed and machine.naps is not None:
        return faults  # since when they had nodes that booted is not told
    if family == "greedy":
        faults += rules.nobody_fits(*told, "all")
    elif family in ("fcfs", "easy"):
        faults += rules.nobody_fits(*told, "head")
    elif family == "list" or (family == "search" and not machine.outs):
        faults += rules.nobody_fits(*told, "idle")
    elif family in ("cbf", "dbf") and calm and drawn.estimate == "exact":
        # Where a job ends early promises may leave a time that is too short for anybody.
        faults += rules.nobody_fits(*told, "idle")
    if family == "fcfs" and not killed:
        faults += rules.in_order(ran)
    if family == "easy" and calm and drawn.trusted:
        believed = [job.runtime if drawn.estimate == "exact" else job.limit for job in jobs]
        faults += rules.head_is_not_delayed(machine, jobs, ran, believed)
    if family in ("cbf", "dbf") and calm and drawn.trusted:
        faults += rules.promises(jobs, ran, _promised(run, len(jobs)))
    return faults


def _promised(run: Run, jobs: int) -> list[int]:
    promised = [-1] * jobs
    if run.schedule.promised is not None:
        for number, at in zip(
            run.workload.id.tolist(), run.schedule.promised.tolist(), strict=True
        ):
            promised[number - 1] = at
    return promised


def runs_of(run: Run, schedule: Schedule | None = None) -> list[Ran]:
    """The runs of a schedule, by the numbers that the jobs of the case have."""
    chosen = run.schedule if schedule is None else schedule
    booting = [0] * len(chosen) if chosen.booting is None else chosen.booting.tolist()
    columns = zip(
        run.workload.id.tolist(),
        run.workload.demand.tolist(),
        chosen.start.tolist(),
        chosen.end.tolist(),
        booting,
        strict=True,
    )
    found = []
    for place, (number, demand, start, end, late) in enumerate(columns):
        if start >= 0:
            where = {0: demand} if chosen.allocation is None else chosen.allocation.of(place)
            found.append(Ran(number - 1, start - late, start, end, where))
    return found


def killed_of(run: Run) -> list[Ran]:
    cut = run.interrupted
    if cut is None:
        return []
    columns = zip(cut.job.tolist(), cut.start.tolist(), cut.end.tolist(), strict=True)
    return [
        Ran(int(run.workload.id[job]) - 1, start, start, end, cut.allocation.of(place))
        for place, (job, start, end) in enumerate(columns)
    ]


def differences(run: Run, again: Run) -> list[str]:
    """A replay once more, compiled or asked round by round, is the same."""
    one, other = run.schedule, again.schedule
    same = runs_of(run) == runs_of(again) and killed_of(run) == killed_of(again)
    if one.promised is not None and other.promised is not None:
        same = same and one.promised.tolist() == other.promised.tolist()
    how = "compiled" if again.compiled else "stepped"
    return [] if same else [f"not the same {how}: {runs_of(run)}, {runs_of(again)}"]


def check_of(drawn: Case, run: Run, dice: Random) -> list[str]:
    """The product's check accepts the schedule, and what is changed in one place as far as it is possible."""
    faults = []
    for number in range(BREAKS + 1):
        changed = broken(drawn, run, dice) if number else run.schedule
        verdict = check_schedule(run.workload, run.cluster, changed, rejected=run.rejected)
        ran = runs_of(run, changed)
        missing = (changed.start < 0) & ~np.isin(run.workload.id, run.rejected)
        wrong = impossible(drawn.machine, drawn.jobs, ran)
        wrong += [f"{missing.sum()} never ran"] * bool(missing.any())
        if verdict.ok == bool(wrong):
            said = verdict.violations[0].message if verdict.violations else "accepted"
            faults.append(f"the check says: {said}; but: {wrong[:1]} in {ran}")
    return faults


def broken(drawn: Case, run: Run, dice: Random) -> Schedule:
    """The schedule of a run, changed in one place. It may be as possible as before."""
    schedule = run.schedule
    start, end = schedule.start.copy(), schedule.end.copy()
    late = np.zeros_like(start) if schedule.booting is None else schedule.booting.copy()
    where = None
    if schedule.allocation is not None:
        where = [schedule.allocation.of(place) for place in range(len(start))]
    k = dice.choice(np.flatnonzero(start >= 0).tolist())
    kinds = ["move", "move", "earlier", "earlier", "length", "drop"]
    if drawn.cluster.energy is not None:  # else nobody knows for how long nodes may boot
        kinds.append("boot")
    match dice.choice([*kinds, "swap", "shift", "units"] if where else kinds):
        case "move":
            by = dice.randint(-6, 6)
            start[k] = max(start[k] + by, 0)
            end[k] = start[k] + drawn.jobs[int(run.workload.id[k]) - 1].runtime
        case "earlier":
            by = start[k] - dice.randint(int(run.workload.submit[k]), int(start[k]))
            start[k], end[k] = start[k] - by, end[k] - by
        case "length":
            end[k] = max(end[k] + dice.choice([-1, 1]), start[k])
        case "drop":
            start[k] = end[k] = -1
            late[k] = 0
            if where:
                where[k] = {}
        case "boot":
            late[k] = dice.randint(0, 9)
        case "swap":
            other = dice.choice(np.flatnonzero(start >= 0).tolist())
            where[k], where[other] = where[other], where[k]
        case "shift":
            old = dice.choice(sorted(where[k]))
            new = dice.randrange(len(drawn.machine.nodes))
            where[k][new] = where[k].pop(old)
        case "units":
            node = dice.choice(sorted(where[k]))
            where[k][node] = max(where[k][node] + dice.choice([-1, 1]), 1)
    allocation = None if where is None else Allocation.from_parts(where)
    keeps = schedule.booting is not None or late.any()
    return replace(
        schedule, start=start, end=end, allocation=allocation, booting=late if keeps else None
    )
