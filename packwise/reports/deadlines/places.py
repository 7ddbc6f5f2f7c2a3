"""The cases with deadlines by workload and machine, in the order of their share of such jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packwise.reports.deadlines.case import CaseDeadlines

#: Workload, machine, estimate.
Parts = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Place:
    """Cases that differ in nothing but the share of jobs with a deadline: a line goes through them."""

    title: str
    cases: tuple[CaseDeadlines, ...]

    @property
    def swept(self) -> bool:
        return len(self.cases) > 1

    @property
    def percents(self) -> tuple[float, ...]:
        """The shares, where there are several."""
        return tuple(one.case.share.percent for one in self.cases if one.case.share is not None)

    @property
    def of_all(self) -> bool:
        """Whether the shares are of all jobs."""
        return all(one.case.share is None or one.case.share.of_all for one in self.cases)

    @property
    def labels(self) -> tuple[str, ...]:
        """What is compared, in the order of the report."""
        return tuple(dict.fromkeys(run.label for one in self.cases for run in one.case.runs))

    def named(self, percent: float | None) -> str:
        """One of the cases, in few words."""
        return self.title if percent is None else f"{self.title}, {percent:g} %"


def places(found: Sequence[CaseDeadlines]) -> tuple[Place, ...]:
    """Titles leave out what is the same everywhere. A case without a share is a place of its own."""
    groups: dict[tuple[Parts, int], list[CaseDeadlines]] = {}
    for k, one in enumerate(found):
        case = one.case
        name, number = (case.workload, k) if case.share is None else (case.share.of, -1)
        groups.setdefault(((name, case.machine, case.estimate), number), []).append(one)
    differs = [len({parts[k] for parts, _ in groups}) > 1 for k in range(3)]
    return tuple(
        Place(_title(parts, differs), tuple(sorted(cases, key=_percent)))
        for (parts, _), cases in groups.items()
    )


def _title(parts: Parts, differs: Sequence[bool]) -> str:
    kept = [part for part, other in zip(parts, differs, strict=True) if other and part]
    return " / ".join(kept) or parts[0]


def _percent(one: CaseDeadlines) -> float:
    return 0.0 if one.case.share is None else one.case.share.percent
