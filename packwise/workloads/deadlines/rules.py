"""Deadline rules as values: which jobs get a deadline, and when it is.

``slack(share=20%,least=24h,factor=10)``, ``morning(hour=8,queue=3+5)``, ``week(day=mon,user=17)``,
``column`` and ``column(file=deadlines.csv)`` name them; ``text`` reads that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.workload import LARGEST, NO_DEADLINE, Ints, Workload
from packwise.workloads.deadlines.clock import next_times
from packwise.workloads.deadlines.column import Column

#: What NumPy's generators take is larger; this much fits into a column of whole numbers.
LARGEST_SEED = 10**18 - 1
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """Which jobs: those of some queues and users, and of these a random share.

    ``share`` is a fraction, so that its product with a number of jobs is exact; None is all of them.
    """

    queues: tuple[int, ...] = ()
    users: tuple[int, ...] = ()
    share: Fraction | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if self.share is not None and not 0 <= self.share <= 1:
            raise self._wrong("share", "between 0 and 1", self.share)
        if not 0 <= self.seed <= LARGEST_SEED:
            raise self._wrong("seed", f"a whole number from 0 to {LARGEST_SEED}", self.seed)

    def _wrong(self, key: str, expected: str, found: object) -> InputError:
        return InputError(f"deadline rule '{self}': {key} should be {expected}, found {found}.")

    def eligible(self, workload: Workload) -> NDArray[np.bool_]:
        """The jobs that the filters leave, before the random share."""
        mask = np.ones(len(workload), np.bool_)
        for kind, wanted, column in (
            ("queue", self.queues, workload.queue),
            ("user", self.users, workload.user),
        ):
            present = np.unique(column)
            for one in wanted:
                if one not in present:
                    known = ", ".join(map(str, present[:20]))
                    more = ", ..." if len(present) > 20 else ""
                    raise InputError(
                        f"deadline rule '{self}': '{workload.name}' has no job of {kind} {one}. It has: "
                        f"{known}{more}."
                    )
            if wanted:
                mask &= np.isin(column, wanted)
        if not mask.any():
            raise InputError(
                f"deadline rule '{self}': no job of '{workload.name}' is of these queues and of these "
                "users at once. Choose others."
            )
        return mask

    def pick(self, workload: Workload, eligible: NDArray[np.bool_]) -> Ints:
        """Positions of exactly floor(share x eligible) jobs, ascending.

        They are drawn by job id, so that a shaken copy of the workload has the same ones.
        """
        rows = np.flatnonzero(eligible)
        rows = rows[np.argsort(workload.id[rows])]
        share = Fraction(1) if self.share is None else self.share
        drawn = np.random.default_rng(self.seed).permutation(rows)
        return np.sort(drawn[: share.numerator * len(rows) // share.denominator])

    @property
    def text(self) -> str:
        """All of the rule, as it is read."""
        return str(self)

    @property
    def content(self) -> str:
        """What decides the deadlines."""
        return str(self)

    def _common(self) -> list[str]:
        return [
            f"{key}={text}"
            for key, text in (
                ("share", "" if self.share is None else _percent(self.share)),
                ("seed", "" if self.seed == 1 else str(self.seed)),
                ("queue", "+".join(map(str, self.queues))),
                ("user", "+".join(map(str, self.users))),
            )
            if text
        ]


@dataclass(frozen=True, kw_only=True)
class Slack(Chosen):
    """Submission plus max(least, factor x limit).

    T. N'Takpé, F. Suter, "Don't Hurry Be Happy: a Deadline-based Backfilling Approach", JSSPP 2017,
    section 5, with 24 h and 10.
    """

    least: int = 86400
    factor: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.least <= LARGEST:
            raise self._wrong("least", "from 1 s to 2^40 s", self.least)
        if not 0 < self.factor <= LARGEST:
            raise self._wrong("factor", "a number above 0 and up to 2^40", self.factor)

    def times(self, workload: Workload) -> Ints:
        """The deadline of every job, if it gets one."""
        span = np.maximum(np.rint(self.factor * workload.requested_time), self.least)
        late = workload.submit + span > LARGEST
        if late.any():
            i = int(np.argmax(late))
            raise InputError(
                f"deadline rule '{self}': the deadline of job {workload.id[i]}, with a limit of "
                f"{workload.requested_time[i]} s, would lie beyond 2^40 s. Choose a smaller factor or "
                "least."
            )
        found: Ints = workload.submit + span.astype(np.int64)
        return found

    def __str__(self) -> str:
        own = [] if self.least == 86400 else [f"least={self.least}"]
        own += [] if self.factor == 10 else [f"factor={repr(self.factor).removesuffix('.0')}"]
        return _call("slack", self._common() + own)


@dataclass(frozen=True, kw_only=True)
class Clock(Chosen):
    """The first such hour, of that day of the week if there is one, by which a job can end."""

    hour: int = 8
    day: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.hour <= 23:
            raise self._wrong("hour", "a whole number from 0 to 23", self.hour)
        if self.day is not None and not 0 <= self.day < len(DAYS):
            raise self._wrong("day", "from 0, Monday, to 6, Sunday", self.day)

    def times(self, workload: Workload) -> Ints:
        """The deadline of every job, if it gets one."""
        ready = workload.submit + workload.requested_time
        found = next_times(workload, ready, self.hour, self.day)
        if (found > LARGEST).any():
            raise InputError(
                f"deadline rule '{self}': the deadline of job {workload.id[np.argmax(found)]} would lie "
                "beyond 2^40 s. Leave the job out."
            )
        return found

    def __str__(self) -> str:
        own = [f"day={DAYS[self.day % len(DAYS)]}"] if self.day else []
        own += [] if self.hour == 8 else [f"hour={self.hour}"]
        return _call("morning" if self.day is None else "week", self._common() + own)


DeadlineRule = Slack | Clock | Column


def with_share(rule: DeadlineRule, share: Fraction) -> DeadlineRule:
    """The rule for that share of its jobs."""
    if isinstance(rule, Column):
        raise InputError(f"deadline rule '{rule}': it takes no share.")
    return replace(rule, share=share)


def contradiction(one: DeadlineRule, other: DeadlineRule, workload: Workload, i: int) -> InputError:
    """The error for a job that two rules are for."""
    return InputError(
        f"deadline rules '{one}' and '{other}' contradict each other: job {workload.id[i]} of "
        f"'{workload.name}' is eligible for both. Give each rule jobs of its own by queue or user, as in "
        "slack(queue=3)."
    )


def no_deadlines(workload: Workload) -> Ints:
    """A column of regular jobs."""
    return np.full(len(workload), NO_DEADLINE, np.int64)


def _call(name: str, parameters: list[str]) -> str:
    return f"{name}({','.join(parameters)})" if parameters else name


def _percent(share: Fraction) -> str:
    """Exactly, as the parser reads it."""
    whole, rest = divmod(100 * share.numerator, share.denominator)
    digits = ""
    while rest and len(digits) < 20:
        digit, rest = divmod(10 * rest, share.denominator)
        digits += str(digit)
    return f"{whole}.{digits}%" if digits else f"{whole}%"
