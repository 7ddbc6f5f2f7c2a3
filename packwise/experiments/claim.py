"""A claim: what a paper states in words, in a form that a study can check.

It has a quantity and a check. The quantity is a metric of a policy, divided by another number of the same
replay (``part_of``) and by the same of another policy (``against``) where these are given. The check says what
its values over the workloads should be like.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

#: What ``part_of`` can name besides metrics: how many jobs of the workload have a deadline.
DEADLINE_JOBS = "deadline_jobs"


class Swept(NamedTuple):
    """Where a workload stands in a sweep over a number: in which series, and at which value."""

    series: str
    value: float


@dataclass(frozen=True)
class Flat:
    """Along a sweep, every value is within ``share`` of their mean."""

    share: float

    def __str__(self) -> str:
        return f"each within {100 * self.share:g} % of the mean of its series"


@dataclass(frozen=True)
class Falls:
    """Along a sweep, each value is below the one before; a straight line fits with R² of ``fit`` or more."""

    fit: float

    def __str__(self) -> str:
        line = f", R² of a line {self.fit:g} or more" if self.fit else ""
        return f"falls along its series{line}"


@dataclass(frozen=True)
class Between:
    """Every value is ``least`` or more and ``most`` or less, as far as these are given."""

    least: float | None
    most: float | None

    def __str__(self) -> str:
        if self.least is None:
            return f"at most {self.most:g}"
        return (
            f"at least {self.least:g}" if self.most is None else f"{self.least:g} to {self.most:g}"
        )


@dataclass(frozen=True)
class Largest:
    """The largest value is at one of these workloads; ``name`` is what the study file calls them."""

    name: str
    workloads: tuple[str, ...]

    def __str__(self) -> str:
        return f"largest at {self.name}"


Check = Flat | Falls | Between | Largest


@dataclass(frozen=True)
class Claim:
    """What is said (``says``), where (``source``), and what that means for the values of ``workloads``.

    ``estimate``: which it is about, None for all. ``unfiltered`` claims are about all jobs, though the study
    leaves some out. ``together``: there is one value, the mean over the workloads, each counting as many
    times as it has jobs with a deadline. ``explained`` says why it does not hold, where that is known.
    """

    says: str
    metric: str
    policy: str
    check: Check
    workloads: tuple[str, ...]
    against: str | None = None
    estimate: str | None = None
    part_of: str | None = None
    source: str = ""
    unfiltered: bool = False
    together: bool = False
    explained: str = ""
    line: int = 0

    @property
    def quantity(self) -> str:
        """What is measured, in words."""
        part = f" / {self.part_of}" if self.part_of else ""
        against = f", against {self.against}" if self.against else ""
        estimate = f", with {self.estimate}" if self.estimate else ""
        whole = ", all jobs" if self.unfiltered else ""
        once = ", all workloads together" if self.together else ""
        return f"{self.metric}{part} of {self.policy}{against}{estimate}{whole}{once}"
