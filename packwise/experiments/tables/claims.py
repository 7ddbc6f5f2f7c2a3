"""The claims of a study beside its results: which hold, and where they do not."""

from __future__ import annotations

from dataclasses import dataclass

from packwise.experiments.claim import Between, Claim, Flat, Largest
from packwise.experiments.tables.claim_checks import Checked, Held, falls, flat, largest, within
from packwise.experiments.tables.claim_values import quantity, together
from packwise.experiments.tables.results import Point, StudyResults

#: The place of a finding that is about several workloads at once.
TOGETHER = "all together"


@dataclass(frozen=True)
class Finding:
    """A part of a claim that is judged by itself: a workload, a series of them, or all of them.

    ``values`` are what it is judged by, by workload.
    """

    place: str
    machine: str
    estimate: str
    values: dict[str, float | None]
    checked: Checked

    def __str__(self) -> str:
        return " / ".join(filter(None, (self.place, self.machine, self.estimate)))


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim and what was found. It holds if it holds everywhere where there is something to judge."""

    claim: Claim
    findings: tuple[Finding, ...]

    @property
    def held(self) -> Held:
        found = {finding.checked.held for finding in self.findings}
        for outcome in (Held.FAILS, Held.NOT_RUN, Held.HOLDS):
            if outcome in found:
                explained = outcome is Held.FAILS and self.claim.explained
                return Held.EXPLAINED if explained else outcome
        return Held.EMPTY


def judge_claims(results: StudyResults) -> list[ClaimVerdict]:
    """A verdict for each claim, in the order of the study file."""
    return [_judged(claim, results) for claim in results.study.claims]


def _judged(claim: Claim, results: StudyResults) -> ClaimVerdict:
    if claim.unfiltered:
        results = results.whole
    groups: dict[tuple[str, str], dict[str, Point]] = {}
    for point in results.points:
        if (
            point.policy == claim.policy
            and point.workload in claim.workloads
            and claim.estimate in (None, point.estimate)
        ):
            groups.setdefault((point.machine, point.estimate), {})[point.workload] = point
    findings = []
    several = len({estimate for _, estimate in groups}) > 1
    for (machine, estimate), points in groups.items():
        if claim.together:
            values = {TOGETHER: together(claim, results, points)}
        else:
            values = {name: quantity(claim, results, point) for name, point in points.items()}
        told = estimate if several else ""
        for place, part, checked in _parts(claim, values, results):
            findings.append(Finding(place, machine, told, part, checked))
    return ClaimVerdict(claim, tuple(findings))


def _parts(
    claim: Claim, values: dict[str, float | None], results: StudyResults
) -> list[tuple[str, dict[str, float | None], Checked]]:
    """Places with their values, each judged."""
    check = claim.check
    if isinstance(check, Between):
        return [(name, {name: value}, within(check, value)) for name, value in values.items()]
    if isinstance(check, Largest):
        return [(check.name, values, largest(check, values))]
    swept = results.study.swept
    series: dict[str, list[str]] = {}
    for name in values:
        series.setdefault(swept[name].series, []).append(name)
    found = []
    for place, names in series.items():
        names.sort(key=lambda name: swept[name].value)
        part = {name: values[name] for name in names}
        if isinstance(check, Flat):
            checked = flat(check, list(part.values()))
        else:
            checked = falls(check, [swept[name].value for name in names], list(part.values()))
        found.append((place, part, checked))
    return found
