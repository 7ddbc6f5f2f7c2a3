"""Deadlines that nobody could meet: refused, or kept and counted."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.workload import Workload

Impossible = Literal["refuse", "count"]

COUNT_THEM = (
    "keep and count such jobs where they are replayed: --impossible-deadlines count, or "
    'impossible_deadlines = "count" in a study.'
)


def impossible_deadlines(workload: Workload, procs: int) -> NDArray[np.bool_]:
    """Which jobs would miss their deadline, by their limit, even alone on an empty machine.

    These are deadlines before submission plus limit, and those of jobs that are wider than the machine.
    """
    if workload.deadline is None:
        return np.zeros(len(workload), np.bool_)
    early = workload.deadline < workload.submit + workload.requested_time
    return workload.deadline_driven & (early | (workload.demand > procs))


def check_deadlines(workload: Workload, procs: int, impossible: Impossible) -> None:
    """Refuse a workload with impossible deadlines, unless they are to be counted."""
    check_choice(impossible)
    if impossible == "count":
        return
    never = impossible_deadlines(workload, procs)
    if never.any():
        raise InputError(
            f"workload '{workload.name}', job {workload.id[np.argmax(never)]}: its deadline cannot be "
            f"met: {_reason(workload, int(np.argmax(never)), procs)}. Jobs with such a deadline: "
            f"{int(never.sum()):,}. Change the deadlines, or {COUNT_THEM}"
        )


def check_choice(impossible: str) -> None:
    """Refuse a word that is neither of the two."""
    if impossible not in ("refuse", "count"):
        raise InputError(
            f"what to do with impossible deadlines should be 'refuse' or 'count', found '{impossible}'."
        )


def _reason(workload: Workload, i: int, procs: int) -> str:
    assert workload.deadline is not None
    submit, limit = int(workload.submit[i]), int(workload.requested_time[i])
    deadline = int(workload.deadline[i])
    if deadline <= submit:
        return f"{deadline} s is in the past when the job is submitted, at {submit} s"
    if deadline < submit + limit:
        return (
            f"{deadline} s is before its submission at {submit} s plus its limit of {limit} s, which "
            f"is {submit + limit} s"
        )
    return f"the job needs {workload.demand[i]} processors and the machine has {procs}, so it never runs"
