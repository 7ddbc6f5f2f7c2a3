"""Whom a backfill pass looks at, and for whom it reserves."""

from __future__ import annotations

from packwise.compiled import inlined
from packwise.engine.slurm.group import (
    BF_MAX_PART,
    BF_MAX_TEST,
    BF_MAX_USER,
    BF_MIN_AGE,
    BF_MIN_PRIORITY,
    BF_RESOLUTION,
    BF_WINDOW,
)
from packwise.engine.slurm.priority import TIER


@inlined
def forget_tests(slurm):
    """A pass begins."""
    if slurm.settings[BF_MAX_USER] > 0:
        for i in range(slurm.tested.size):
            slurm.tested[i] = 0
    for i in range(slurm.tested_part.size):
        slurm.tested_part[i] = 0


@inlined
def is_tested(slurm, job, tests):
    """Whether a pass that has looked at so many looks at this job, too."""
    most = slurm.settings[BF_MAX_USER]
    most_of_part = slurm.settings[BF_MAX_PART]
    slurm.tested[slurm.person[job]] += 1
    slurm.tested_part[slurm.part[job]] += 1
    return (
        tests < slurm.settings[BF_MAX_TEST]
        and (most == 0 or slurm.tested[slurm.person[job]] <= most)
        and (most_of_part == 0 or slurm.tested_part[slurm.part[job]] <= most_of_part)
    )


@inlined
def gets_reservation(slurm, jobs, queue, k, planned, now):
    """Whether the job at position ``k``, which would start then, gets a reservation."""
    job = queue.job[k]
    return (
        planned <= now + slurm.settings[BF_WINDOW]
        and now - jobs.submit[job] >= slurm.settings[BF_MIN_AGE]
        and -queue.first[k] - TIER * slurm.tier[job] >= slurm.settings[BF_MIN_PRIORITY]
    )


@inlined
def rounded(slurm, planned, estimate, now):
    """From when until when a reservation is kept."""
    resolution = slurm.settings[BF_RESOLUTION]
    first = max(planned - planned % resolution, now)
    last = planned + estimate
    last -= last % resolution
    return first, max(last, first + 1)
