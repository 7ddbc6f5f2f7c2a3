"""What becomes free on the machine and when, as running jobs start, end, and outlive their estimates."""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.kernel import kernel_of_state
from packwise.engine.pool.releases import add_release, compact, drop_release
from packwise.engine.slots import group
from packwise.engine.state import (
    CLOCK,
    CORE,
    CORRECTED,
    ENDED,
    JOBS,
    MACHINE,
    NOW,
    OVERRAN,
    REL_HI,
    REL_LO,
    STALE,
    Clock,
    Core,
    Jobs,
    Machine,
)
from packwise.engine.waiting import FAR


@kernel_of_state
def pool_room(state):
    """Bring the expected releases up to date with the corrections and completions of this moment."""
    c = group(state, CORE, Core).counters
    if c[CORRECTED] + c[ENDED] > 0:
        jobs = group(state, JOBS, Jobs)
        clock = group(state, CLOCK, Clock)
        machine = group(state, MACHINE, Machine)
        update_releases(jobs, clock, machine, c)
    return 0


@inlined
def update_releases(jobs, clock, machine, c):
    """Move the releases of jobs whose estimates were corrected, and drop those of jobs that have ended."""
    now = c[NOW]
    # A moment corrects and starts at most all jobs once, so half of the arrays has room for it.
    full = c[REL_HI] >= machine.rel_time.size // 2 and c[REL_LO] > 0
    if full or 2 * c[REL_LO] > FAR + c[REL_HI]:
        c[REL_HI] = compact(machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI])
        c[REL_LO] = 0
    for i in range(c[CORRECTED]):
        job = clock.corrected[i]
        c[REL_LO], c[REL_HI] = drop_release(
            machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI], now, jobs.demand[job]
        )
        c[REL_HI] = add_release(
            machine.rel_time,
            machine.rel_amount,
            c[REL_LO],
            c[REL_HI],
            clock.start[job] + jobs.estimate[job],
            jobs.demand[job],
        )
        c[STALE] = 1
        c[OVERRAN] = 1
    for i in range(c[ENDED]):
        job = clock.ended[i]
        expected = clock.start[job] + jobs.estimate[job]
        c[REL_LO], c[REL_HI] = drop_release(
            machine.rel_time, machine.rel_amount, c[REL_LO], c[REL_HI], expected, jobs.demand[job]
        )
        if expected != now:
            c[STALE] = 1
