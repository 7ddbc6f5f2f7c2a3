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
            return machine.rel_time[i]
        i += 1
        length = length + growth if growth > 0 else 2 * length
    return start
