"""How far into the future a backfill pass looks, in growing steps.

Slurm tries a job after several running ones have ended together: those of half a minute at first, then of a
minute, of two and so on. So the later a planned start is, the coarser it is known.
"""

from __future__ import annotations

from packwise.compiled import apart

FIRST_STEP = 30


@apart
def end_of_step(machine, lo, hi, start, growth):
    """The end of the step that ``start`` is in, given when running jobs are expected to end; ``growth``: how
    much longer a step is than the one before, or 0 if it is twice as long.
    """
    length = FIRST_STEP
    i = lo
    while i < hi:
        limit = machine.rel_time[i] + length
        while i + 1 < hi and machine.rel_time[i + 1] <= limit:
            i += 1
        if machine.rel_time[i] >= start:
            break
        i += 1
        length = length + growth if growth > 0 else 2 * length
    last = machine.rel_time[i] if i < hi else start
    while i > lo and machine.rel_time[i - 1] >= start:
        i -= 1
    # A start that is not at the end of a running job is known exactly: nodes come back, or others have gone.
    return last if i < hi and machine.rel_time[i] == start else start
