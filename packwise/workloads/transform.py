"""Workloads from workloads: windows, filters, load scaling, shaking. Pure functions.

Recorded values that ride along in ``extra`` are carried through unchanged, but for the wait on the real
machine: after a change of submit times or demands there is none. Deadlines move with their jobs: what counts
is how long after the submission they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.recorded import WAIT
from packwise.model.workload import LARGEST, NO_DEADLINE, Ints, Workload

#: More than that is no load that somebody wants to study.
LARGEST_FACTOR = 1000


def window_time(workload: Workload, start: int | None = None, end: int | None = None) -> Workload:
    """Jobs submitted in [start, end), in seconds after the first submission; None is open.

    Submit times stay as they are, so dates and the daily cycle keep their meaning.
    """
    since = workload.submit - workload.submit[0]
    low = 0 if start is None else start
    high = max(workload.span, low) + 1 if end is None else end
    if low < 0 or high <= low:
        raise InputError(f"a time window should have 0 <= start < end, found {low} to {high} s.")
    mask = (since >= low) & (since < high)
    if not mask.any():
        raise InputError(
            f"no job of '{workload.name}' was submitted between {low} and {high} s after the first "
            f"one; the last came after {workload.span} s. Choose another window."
        )
    return workload.select(mask)


def window_count(workload: Workload, first: int = 0, count: int | None = None) -> Workload:
    """``count`` jobs in submission order from position ``first`` (0 is the first job) on."""
    size = len(workload)
    if not 0 <= first < size:
        raise InputError(f"the first job should be between 0 and {size - 1}, found {first}.")
    count = size - first if count is None else count
    if not 1 <= count <= size - first:
        raise InputError(
            f"from job {first} on, '{workload.name}' has {size - first} jobs; the count should be "
            f"between 1 and that, found {count}."
        )
    return workload.select(np.arange(first, first + count))


def drop_queue(workload: Workload, queues: Iterable[int]) -> Workload:
    """All jobs but those of the given queues (interactive ones, say)."""
    return _without(workload, "queue", workload.queue, queues)


def drop_partition(workload: Workload, partitions: Iterable[int]) -> Workload:
    """All jobs but those of the given partitions (field 16 of SWF: other machines, say)."""
    return _without(workload, "partition", _recorded(workload, "partition", 16), partitions)


def drop_unallocated(workload: Workload) -> Workload:
    """All jobs but those whose number of allocated processors (field 5 of SWF) is not known."""
    known = _recorded(workload, "used_procs", 5) > 0
    if not known.any():
        raise InputError(
            f"'{workload.name}' has no job with a known number of allocated processors (field 5 of SWF). "
            "Keep those without."
        )
    return workload.select(known)


def picked(workload: Workload, mask: NDArray[np.bool_], what: str) -> Workload:
    """The jobs that a mask picks; ``what`` it picks, for who is left with none."""
    if not mask.any():
        raise InputError(f"'{workload.name}' has no job left where {what}. Choose others.")
    return workload.select(mask)


def round_demand(workload: Workload, multiple: int, procs: int) -> Workload:
    """Demands rounded up to a multiple: whole nodes of ``multiple`` processors, say."""
    if workload.units is not None:
        raise InputError(
            "demands cannot be rounded up for jobs whose needs are told unit by unit. Leave the rounding out."
        )
    if not 1 <= multiple <= procs:
        raise InputError(
            f"the multiple should be between 1 and the {procs} processors, found {multiple}."
        )
    demand = -(-workload.demand // multiple) * multiple
    wide = demand > procs
    if wide.any():
        i = int(np.argmax(wide))
        raise InputError(
            f"job {workload.id[i]} asks for {workload.demand[i]} processors; rounded up to a "
            f"multiple of {multiple} that is {demand[i]}, more than the {procs} of the machine. "
            "Choose another multiple or drop the job."
        )
    return workload.replace(demand=demand, extra=_without_wait(workload))


def scale_load(workload: Workload, factor: float) -> Workload:
    """Arrivals ``factor`` times as dense: inter-arrival times are divided by it.

    Offsets from the first submission are divided and rounded to the nearest second, so errors do
    not add up. Jobs keep their order: where rounding makes two jobs tie whose ids would then swap
    them, the later one comes a second later.
    """
    if not 0 < factor <= LARGEST_FACTOR:
        raise InputError(
            f"the load factor should be a number above 0 and at most {LARGEST_FACTOR:,} (1.2 is 20 % more "
            f"load), found {factor}."
        )
    first = int(workload.submit[0])
    if first + workload.span / factor > LARGEST:
        raise InputError(f"a load factor of {factor} makes the log too long. Choose a larger one.")
    submit = first + np.rint((workload.submit - first) / factor).astype(np.int64)
    step = np.concatenate(([0], np.cumsum(workload.id[1:] < workload.id[:-1])))
    submit = np.maximum.accumulate(submit - step) + step
    return workload.replace(
        submit=submit, deadline=_moved_deadline(workload, submit), extra=_without_wait(workload)
    )


def shake(workload: Workload, seed: int, seconds: int = 60) -> Workload:
    """Each submission moved by a random whole number of seconds in [-seconds, seconds].

    Small changes of the input can change a simulated mean a lot; the mean over several shaken
    copies is the honest figure (D. Tsafrir, K. Ouaknine, D. G. Feitelson, "Reducing Performance
    Evaluation Sensitivity and Variability by Input Shaking", MASCOTS 2007). Times below 0 become 0.
    """
    if not 0 <= seconds <= LARGEST - int(workload.submit[-1]) or seed < 0:
        raise InputError(
            f"shaking needs a seed and a number of seconds of 0 or more, and no submission beyond 2^40 s, "
            f"found seed {seed} and {seconds} s."
        )
    moves = np.random.default_rng(seed).integers(-seconds, seconds, len(workload), endpoint=True)
    return _resubmitted(workload, np.maximum(workload.submit + moves, 0))


def _resubmitted(workload: Workload, submit: Ints) -> Workload:
    """The workload with other submit times, sorted again."""
    order = np.lexsort((workload.id, submit))
    changes = {
        f.name: value[order]
        for f in fields(workload)
        if isinstance(value := getattr(workload, f.name), np.ndarray)
    }
    changes["submit"] = submit[order]
    deadline = _moved_deadline(workload, submit)
    if deadline is not None:
        changes["deadline"] = deadline[order]
    extra = {name: column[order] for name, column in _without_wait(workload).items()}
    per_unit = {name: column[order] for name, column in workload.per_unit.items()}
    return workload.replace(extra=extra, per_unit=per_unit, **changes)


def _without_wait(workload: Workload) -> dict[str, NDArray[Any]]:
    return {name: column for name, column in workload.extra.items() if name != WAIT}


def _moved_deadline(workload: Workload, submit: Ints) -> Ints | None:
    """The deadlines for other submit times, in the order of the workload."""
    if workload.deadline is None:
        return None
    moved = np.clip(workload.deadline + submit - workload.submit, 0, LARGEST)
    return np.where(workload.deadline_driven, moved, NO_DEADLINE)


def _recorded(workload: Workload, name: str, field: int) -> Ints:
    """A column of the log that only SWF has."""
    if name not in workload.extra:
        raise InputError(
            f"'{workload.name}' does not tell the {name} of its jobs; expected a log in SWF, which has it "
            f"in field {field}. Leave the jobs in, or use the log that this workload comes from."
        )
    column: Ints = workload.extra[name]
    return column


def _without(workload: Workload, kind: str, column: Ints, values: Iterable[int]) -> Workload:
    unwanted = sorted({int(value) for value in values})
    present = np.unique(column)
    for value in unwanted:
        if value not in present:
            known = ", ".join(map(str, present[:20]))
            raise InputError(f"'{workload.name}' has no {kind} {value}. It has: {known}.")
    mask = ~np.isin(column, unwanted)
    if not mask.any():
        raise InputError(
            f"'{workload.name}' has no jobs outside the {kind}s {unwanted}. Keep some."
        )
    return workload.select(mask)
