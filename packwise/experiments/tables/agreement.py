"""Ours beside published: cell by cell, with a tolerance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple

from packwise.experiments.names import Names
from packwise.experiments.scenario import Labels
from packwise.experiments.study import Baseline, Tolerance
from packwise.experiments.tables.published import Kind, Published, PublishedCell
from packwise.experiments.tables.results import Point, StudyResults
from packwise.metrics.catalogue import metric
from packwise.model.errors import InputError, UnknownName

_NAMED = 12


class Outcome(StrEnum):
    """What a comparison says of a cell."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNCERTAIN = "uncertain"
    NOT_RUN = "not run"
    NOT_IN_STUDY = "not in the study"


@dataclass(frozen=True)
class Verdict:
    """One published cell. ``point`` is where it is in the study, ``ours`` what came out there.

    ``allowed`` is how far ours may be from the published value by the ``tolerance``.
    """

    published: PublishedCell
    outcome: Outcome
    point: Point | None
    ours: float | None
    tolerance: Tolerance
    allowed: float

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


def compare(
    results: StudyResults, published: Published, tolerances: Sequence[Tolerance]
) -> list[Verdict]:
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
    for cell in published.cells:
        point = _place(cell, names, places, published.path)
        tolerance = _tolerance(cell, point, tolerances, known)
        least = tolerance.value if published.kind is Kind.VALUE else tolerance.points
        allowed = max(least, tolerance.share * abs(cell.value))
        outcome, ours = _judge(cell, point, results, published.kind, allowed)
        verdicts.append(Verdict(cell, outcome, point, ours, tolerance, allowed))
    if all(verdict.outcome is Outcome.NOT_IN_STUDY for verdict in verdicts):
        raise InputError(_nothing_in_common(published, results))
    return verdicts


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
    cell: PublishedCell, point: Point | None, results: StudyResults, kind: Kind, allowed: float
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
    agrees = abs(ours - cell.value) <= allowed + 1e-9
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


def _tolerance(
    cell: PublishedCell,
    point: Point | None,
    tolerances: Sequence[Tolerance],
    known: Mapping[str, _Known],
) -> Tolerance:
    """The last that fits, by the study's names or by the paper's."""
    chosen = Tolerance()
    axes = {
        "workload": (cell.trace, point and point.workload),
        "policy": (cell.policy, point and point.policy),
        "estimate": (cell.estimate, point and point.estimate),
        "metric": (cell.metric, None),
    }
    for tolerance in tolerances:
        if all(_fits(getattr(tolerance, axis), *axes[axis], known[axis]) for axis in axes):
            chosen = tolerance
    return chosen


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
