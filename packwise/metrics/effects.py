"""Who is better off and who is worse off than under another schedule: by user, and by size of job.

A mean over all jobs hides whom a policy takes from. Here the mean response time of each user, and of each
class of demand, is held against that of the same jobs in a reference schedule. A change of up to a tenth counts
as none: who would notice it?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.metrics.breakdown import size_classes
from packwise.metrics.outcome import Mask
from packwise.model.errors import InputError
from packwise.model.schedule import Schedule
from packwise.model.workload import UNKNOWN, Floats, Ints, Workload
from packwise.readable import percent

#: Per cent of the mean response time by which somebody is worse or better off.
NOTICED = 10.0
#: A change of a class of size below this is not worth a word.
NEGLIGIBLE = 0.5
#: Of more classes a sentence names the hardest hit.
MOST_SIZES = 3
#: The mean of a user with fewer jobs is mostly chance.
FEWEST_JOBS = 10
#: Where fewer users have so many jobs, all count.
ENOUGH_USERS = 6
#: Classes of size with less of the jobs than this part are left out.
FEWEST_SHARE = 0.005


class Effect(NamedTuple):
    """What becomes of a user, or of a class of size: the mean response time before and after, in seconds."""

    who: str
    jobs: int
    before: float
    after: float

    @property
    def change(self) -> float:
        """Per cent."""
        return 100.0 * (self.after / self.before - 1.0)


class Effects(NamedTuple):
    """Users and classes of size against a reference. No users: the log does not know them."""

    users: tuple[Effect, ...]
    sizes: tuple[Effect, ...]

    @property
    def users_worse(self) -> list[Effect]:
        """Users who notice it, the hardest hit first."""
        return _beyond(self.users, 1)

    @property
    def users_better(self) -> list[Effect]:
        """Users who notice it, the luckiest first."""
        return _beyond(self.users, -1)

    def words(self, label: str, reference: str) -> str:
        """What changes for whom, with numbers."""
        return " ".join(
            part for part in (self._of_users(label, reference), self._of_sizes()) if part
        )

    def _of_users(self, label: str, reference: str) -> str:
        if not self.users:
            return f"{label} against {reference}: the log does not say whose jobs these are."
        worse, better = self.users_worse, self.users_better
        said = (
            f"{label} against {reference}: the mean response time is more than {NOTICED:g} % shorter for "
            f"{len(better):,} of {len(self.users):,} users, and more than {NOTICED:g} % longer for "
            f"{len(worse):,}"
        )
        if worse:
            jobs = "1 job" if worse[0].jobs == 1 else f"{worse[0].jobs:,} jobs"
            said += f" (most of all {worse[0].who} with {jobs}: {percent(worse[0].change)})"
        return said + "."

    def _of_sizes(self) -> str:
        longer = sorted((one for one in self.sizes if one.change > NEGLIGIBLE), key=_by_harm)
        if not longer:
            return "By size of job, nobody is worse off."
        named = ", ".join(_sized(one) for one in longer[:MOST_SIZES])
        most = "most of all " if len(longer) > MOST_SIZES else ""
        return f"By size of job, worse off in {len(longer)} of {len(self.sizes)} classes: {most}{named}."


def effects(workload: Workload, schedule: Schedule, reference: Schedule) -> Effects:
    """What a schedule changes for the jobs that ran in both."""
    both = schedule.ran & reference.ran
    if not both.any():
        raise InputError(
            "the two schedules have no job that ran in both: there is nothing to compare."
        )
    submit = workload.submit[both]
    after = (schedule.end[both] - submit).astype(np.float64)
    before = (reference.end[both] - submit).astype(np.float64)

    def name(user: int) -> str:
        return workload.name_of("user", user)

    return of_responses(workload.user[both], workload.demand[both], after, before, name)


def of_responses(
    users: Ints,
    demand: Ints,
    after: Floats,
    before: Floats,
    name: Callable[[int], str] = str,
) -> Effects:
    """The same of columns: who each job belongs to, how wide it is, and its response time after and before.
    ``name`` tells what a user is called.
    """
    known = users != UNKNOWN
    names, member, jobs = np.unique(users[known], return_inverse=True, return_counts=True)
    frequent: Mask = jobs >= FEWEST_JOBS
    if frequent.sum() < ENOUGH_USERS:
        frequent = np.ones(len(jobs), np.bool_)
    called = [f"user {name(user)}" for user in names.tolist()]
    by_user = _effects(called, member, after[known], before[known])
    labels, classes = size_classes(demand)
    by_size = _effects(labels, classes, after, before)
    least = FEWEST_SHARE * len(demand)
    return Effects(
        tuple(one for one, enough in zip(by_user, frequent, strict=True) if enough),
        tuple(one for one in by_size if one.jobs >= least),
    )


def _effects(
    names: Sequence[str], member: NDArray[np.intp], after: Floats, before: Floats
) -> list[Effect]:
    jobs = np.bincount(member, minlength=len(names))
    means = [
        np.bincount(member, weights=each, minlength=len(names)) / jobs for each in (before, after)
    ]
    return [
        Effect(name, int(n), float(a), float(b))
        for name, n, a, b in zip(names, jobs, *means, strict=True)
    ]


def _sized(one: Effect) -> str:
    return f"{one.who} processor{'' if one.who == '1' else 's'} {percent(one.change)}"


def _by_harm(one: Effect) -> float:
    return -one.change


def _beyond(them: Sequence[Effect], sign: int) -> list[Effect]:
    noticed = [one for one in them if sign * one.change > NOTICED]
    return sorted(noticed, key=lambda one: -sign * one.change)
