"""Promises kept: what jobs were told at their submission, and when they started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from packwise.metrics.outcome import Mask, mean_over
from packwise.model.workload import Floats, Ints
from packwise.reports.material import Replayed

#: Waits below this are drawn as one: a logarithm of nothing there is not.
SHORTEST: Final = 10.0
#: Classes of waits in a decade.
PER_DECADE: Final = 4
#: More classes than times can have.
_CLASSES: Final = 100


class Waits(NamedTuple):
    """How many jobs there are of each pair of promised and actual wait, in classes of waits."""

    promised: Floats
    actual: Floats
    jobs: Ints


class Promised(NamedTuple):
    """One kind of jobs under one policy. ``jobs`` ran, ``told`` of these were promised a start.

    Each of them started late, else at once, else exactly as promised, else earlier. ``gain`` is the mean
    of promised start less start, in seconds; NaN without promises.
    """

    jobs: int
    told: int
    at_once: int
    earlier: int
    exact: int
    late: int
    gain: float
    waits: Waits


#: By kind of jobs: "all jobs", or "regular jobs" and "deadline-driven jobs".
Kinds = Mapping[str, Promised]


def promises_of(run: Replayed) -> Kinds | None:
    """None for a policy that makes no promises."""
    workload, _, schedule = run
    if schedule.promised is None or not (schedule.promised >= 0).any():
        return None
    driven = workload.deadline_driven
    kinds = {"all jobs": np.ones(len(workload), np.bool_)}
    if driven.any():
        kinds = {"regular jobs": ~driven, "deadline-driven jobs": driven}
    return {
        name: _of_kind(workload.submit, schedule.start, schedule.promised, member & schedule.ran)
        for name, member in kinds.items()
        if (member & schedule.ran).any()
    }


def _of_kind(submit: Ints, start: Ints, promised: Ints, member: Mask) -> Promised:
    told = member & (promised >= 0)
    submit, start, promised = submit[told], start[told], promised[told]
    late = start > promised
    at_once = ~late & (start == submit)
    exact = ~late & ~at_once & (start == promised)
    return Promised(
        jobs=int(member.sum()),
        told=len(start),
        at_once=int(at_once.sum()),
        earlier=int((~late & ~at_once & ~exact).sum()),
        exact=int(exact.sum()),
        late=int(late.sum()),
        gain=mean_over(promised - start),
        waits=_classes(promised - submit, start - submit),
    )


def _classes(promised: Ints, actual: Ints) -> Waits:
    """Both waits rounded to classes, a few in each decade, and how many jobs have each pair."""
    found, jobs = np.unique(_CLASSES * _class(promised) + _class(actual), return_counts=True)
    told, waited = np.divmod(found, _CLASSES)
    return Waits(middle(told), middle(waited), jobs.astype(np.int64))


def _class(wait: Ints) -> Ints:
    """0 below SHORTEST (also for a promise that was over at submission), then by logarithm."""
    steps = PER_DECADE * np.log10(np.maximum(wait, SHORTEST) / SHORTEST)
    return np.where(wait < SHORTEST, 0, 1 + np.floor(steps)).astype(np.int64)


def middle(number: Ints) -> Floats:
    """The wait in the middle of a class."""
    found: Floats = SHORTEST * 10.0 ** ((number - 0.5) / PER_DECADE)
    return found
