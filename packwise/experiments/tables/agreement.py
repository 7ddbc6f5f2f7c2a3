"""Ours beside published, cell by cell: a cell agrees if it rounds to what was printed, or is within a tolerance
where the study file gives one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeVar

from packwise.experiments.names import Names
from packwise.experiments.scenario import Labels
from packwise.experiments.study import Baseline, Cells, PublishedRules, Tolerance
from packwise.experiments.tables.published import Kind, Published, PublishedCell
from packwise.experiments.tables.results import Point, StudyResults
from packwise.metrics.catalogue import metric
from packwise.model.errors import InputError, UnknownName

_NAMED = 12
#: What a sum of rounding errors may amount to: a tie is rounded away from 0 though it falls short by this.
_TIE = 1e-9
#: From here on floats have no decimals to round.
_EXACT = 2.0**53

Pattern = TypeVar("Pattern", bound=Cells)


class Outcome(StrEnum):
    """What a comparison says of a cell."""

    AGREES = "agrees"
    DIFFERS = "differs"
    EXPLAINED = "differs, explained"
    UNCERTAIN = "uncertain"
    NOT_RUN = "not run"
    NOT_IN_STUDY = "not in the study"


@dataclass(frozen=True)
class Verdict:
    """One published cell. ``point`` is where it is in the study, ``ours`` what came out there.

    ``allowed`` is how far ours may be from the published value by a tolerance, None where it has to round to
    it. ``reason``: of the tolerance, or why the cell is known to differ.
    """

    published: PublishedCell
    outcome: Outcome
    point: Point | None
    ours: float | None
    allowed: float | None
    reason: str

    @property
    def difference(self) -> float | None:
        return None if self.ours is None else self.ours - self.published.value

    @property
    def estimate(self) -> str:
        """As published, or the study's where the paper has one only."""
        return self.published.estimate or (self.point.estimate if self.point else "")

    @property
    def workload(self) -> str:
        """As the study spells it."""
        return self.point.workload if self.point else self.published.trace

    @property
    def machine(self) -> str:
        """As the study spells it; nothing where the workload's own is meant."""
        return self.point.machine if self.point else self.published.machine or ""


def compare(results: StudyResults, published: Published, rules: PublishedRules) -> list[Verdict]:
    """A verdict for each published cell, in the order of the file.

    With replicas ours is the mean over them. Raises InputError if no cell is in the study.
    """
    names = Names(results.study)
    if published.reference is not None:
        results = results.against(reference_of(published, names, results))
    places: dict[tuple[str, str], list[Point]] = {}
    for each in results.points:
        places.setdefault((each.workload, each.policy), []).append(each)
    verdicts = []
    known = _known_names(results, published)
    decimals = rules.rounded or (published.decimals,)
    for cell in published.cells:
        point = _place(cell, names, places, published.path)
        tolerance = _last_fitting(cell, point, rules.tolerances, known)
        allowed = None if tolerance is None else _allowed(tolerance, cell, published.kind)
        outcome, ours = _judge(cell, point, results, published.kind, allowed, decimals)
        reason = "" if tolerance is None else tolerance.reason
        if outcome is Outcome.DIFFERS:
            explained = _last_fitting(cell, point, rules.explained, known)
            if explained is not None:
                outcome, reason = Outcome.EXPLAINED, explained.reason
        verdicts.append(Verdict(cell, outcome, point, ours, allowed, reason))
    if all(verdict.outcome is Outcome.NOT_IN_STUDY for verdict in verdicts):
        raise InputError(_nothing_in_common(published, results))
    return verdicts


def rounded(value: float, decimals: Sequence[int]) -> float:
    """A value as it is printed, rounded to so many decimals, one time after the other; ties away from 0."""
    for count in decimals:
        scaled = abs(value) * 10.0**count
        if scaled < _EXACT:
            value = math.copysign(math.floor(scaled + 0.5 + _TIE) / 10.0**count, value)
    return value


def _allowed(tolerance: Tolerance, cell: PublishedCell, kind: Kind) -> float:
    least = tolerance.value if kind is Kind.VALUE else tolerance.points
    return max(least, tolerance.share * abs(cell.value))


def reference_of(published: Published, names: Names, results: StudyResults) -> Baseline:
    """What the published values are relative to, in the study: a policy, or an estimate."""
    name = published.reference or ""
    for spelled in (name, name.replace("_", "-")):
        if (policy := names.policy(spelled)) is not None:
            return Baseline(policy=policy)
    for spelled in (name, name.replace("_", "-")):
        if (estimate := names.estimate(spelled)) is not None:
            return Baseline(estimate=estimate)
    study = results.study
    raise InputError(
        f"{published.path}: the values are relative to '{name}', which is neither a policy nor an "
        f"estimate of the study. Policies: {_listed(study.axis('policy'))}. Estimates: "
        f"{_listed(study.axis('estimate'))}. Add it to the study, or give a policy that label."
    )


def _place(
    cell: PublishedCell, names: Names, places: dict[tuple[str, str], list[Point]], path: str
) -> Point | None:
    workload, policy = names.workload(cell.trace), names.policy(cell.policy)
    if workload is None or policy is None:
        return None
    found = places.get((workload, policy), [])
    if cell.estimate is not None:
        estimate = names.estimate(cell.estimate)
        found = [point for point in found if point.estimate == estimate]
    if cell.machine is not None:
        machine = names.machine(cell.machine)
        found = [point for point in found if point.machine == machine]
    if len(found) > 1:
        axis = "machine" if len({point.machine for point in found}) > 1 else "estimate"
        labels = dict.fromkeys(getattr(point, axis) for point in found)
        raise InputError(
            f"{path}, line {cell.line}: the study has {cell.policy} on {cell.trace} with several "
            f"{axis}s ({_listed(list(labels))}), and the file does not say which. Add a column "
            f"'{axis}'."
        )
    return found[0] if found else None


def _judge(
    cell: PublishedCell,
    point: Point | None,
    results: StudyResults,
    kind: Kind,
    allowed: float | None,
    decimals: Sequence[int],
) -> tuple[Outcome, float | None]:
    name = _metric_name(cell.metric, results)
    if point is None or name is None:
        return Outcome.NOT_IN_STUDY, None
    if kind is not Kind.VALUE:
        compared = Point(*results.study.baseline.of(Labels(*point, 0))[:4])
        if compared not in results.points:
            return Outcome.NOT_IN_STUDY, None
    found = results.cell(point, name)
    ours = None if found is None else found.value if kind is Kind.VALUE else found.change
    if ours is None:
        return Outcome.NOT_RUN, None
    if kind is Kind.SHARE:
        ours += 100.0
    if not cell.certain:
        return Outcome.UNCERTAIN, ours
    shown = ours if allowed is not None else rounded(ours, decimals)
    agrees = abs(shown - cell.value) <= (allowed or 0.0) + _TIE
    return Outcome.AGREES if agrees else Outcome.DIFFERS, ours


def _metric_name(name: str, results: StudyResults) -> str | None:
    """Our name of a published metric, if the study measures it."""
    try:
        known = metric(name).name
    except UnknownName:
        known = name
    measured = {one.lower(): one for one in (*results.study.metrics, *results.columns)}
    return measured.get(known.lower())


class _Known(NamedTuple):
    """The names of an axis: the study's labels, and those and the paper's in lower case."""

    labels: frozenset[str]
    names: frozenset[str]


def _known_names(results: StudyResults, published: Published) -> dict[str, _Known]:
    study = results.study
    found = {}
    for axis, theirs in (
        ("workload", "trace"),
        ("policy", "policy"),
        ("estimate", "estimate"),
        ("metric", "metric"),
    ):
        labels = study.metrics if axis == "metric" else study.axis(axis)
        names = frozenset(name.lower() for name in (*labels, *published.names(theirs)))
        found[axis] = _Known(frozenset(labels), names)
    return found


def _last_fitting(
    cell: PublishedCell,
    point: Point | None,
    patterns: Sequence[Pattern],
    known: Mapping[str, _Known],
) -> Pattern | None:
    """The last that fits, by the study's names or by the paper's."""
    axes = {
        "workload": (cell.trace, point and point.workload),
        "policy": (cell.policy, point and point.policy),
        "estimate": (cell.estimate, point and point.estimate),
        "metric": (cell.metric, None),
    }
    for one in reversed(patterns):
        if all(_fits(getattr(one, axis), *axes[axis], known[axis]) for axis in axes):
            return one
    return None


def _fits(pattern: str, theirs: str | None, ours: str | None, known: _Known) -> bool:
    """A pattern that is a name, as 'exact*1.5' may be, stands for that name only."""
    if pattern == "*":
        return True
    if ours is not None and pattern in known.labels:
        return ours == pattern
    wanted, names = pattern.lower(), [name.lower() for name in (theirs, ours) if name]
    if wanted in known.names:
        return wanted in names
    return any(fnmatchcase(name, wanted.replace("[", "[[]")) for name in names)


def _nothing_in_common(published: Published, results: StudyResults) -> str:
    study = results.study
    parts = [
        f"{axis}: {_listed(published.names(ours))} there, {_listed(labels)} in the study"
        for axis, ours, labels in (
            ("metrics", "metric", list(study.metrics)),
            ("policies", "policy", study.axis("policy")),
            ("estimates", "estimate", study.axis("estimate")),
            ("workloads", "trace", study.axis("workload")),
            ("machines", "machine", list(filter(None, study.axis("machine")))),
        )
        if ours != "machine" or published.names(ours)
    ]
    return (
        f"{published.path}: none of the {len(published.cells):,} published values is in the study. "
        f"{'; '.join(parts)}. Give workloads and policies of the study the labels of the paper."
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED]) or "none"
    return shown + (", ..." if len(names) > _NAMED else "")
