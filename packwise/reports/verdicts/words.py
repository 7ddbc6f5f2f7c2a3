"""What the numbers of a case say, in words: who wins, and what means nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from packwise.experiments.tables.leaders import Sample, leading
from packwise.metrics.catalogue import metric
from packwise.metrics.comparison import NEGLIGIBLE, Comparison, Entry
from packwise.metrics.definition import Metric
from packwise.reports.material import Case, ReportRun
from packwise.reports.prose import listed
from packwise.reports.readings import readings, typeset


@dataclass(frozen=True)
class _Measured(Comparison):
    """A comparison that knows the noise: changes are paired, and what is within it is none."""

    runs: Mapping[str, ReportRun] = field(default_factory=dict)
    scales: Mapping[str, Sample] = field(default_factory=dict)
    replicas: int = 1
    in_parts: bool = False
    untested: bool = False
    confidence: float = 0.95

    def change(self, entry: Entry, metric: Metric) -> float | None:
        if self.withheld:
            return None
        cell = self.runs[entry.label].cells[metric.name]
        base = self.entries[self.baseline].label
        elsewhere = self.runs[base].cells[metric.name].change  # a study may compare across cases
        if cell.change is None or elsewhere:
            return super().change(entry, metric)
        return cell.change

    def verdict(self, entry: Entry, metric: Metric) -> int:
        noise = self.runs[entry.label].cells[metric.name].significant is False
        return 0 if noise else super().verdict(entry, metric)

    def leaders(self, metric: Metric) -> list[Entry]:
        if self.withheld:
            return []
        runs = [self.runs[entry.label] for entry in self.entries]
        leads = leading(
            [run.cells[metric.name] for run in runs],
            [run.sample(metric.name) for run in runs],
            self.scales.get(metric.name, ()),
            metric,
            self.confidence,
            readings,
        )
        return [entry for entry, leads in zip(self.entries, leads, strict=True) if leads]

    def words(self) -> str:
        """What has no test for chance is told apart from what has, where parts of the log make that test."""
        if self.untested or self.withheld:
            return ""
        told = [one for one in self.metrics if self.scales.get(one.name)]
        if not self.in_parts or len(told) == len(self.metrics):
            return super().words()
        rest = [one for one in self.metrics if not self.scales.get(one.name)]
        sure = replace(self, metrics=tuple(told)).words()
        unsure = replace(self, metrics=tuple(rest), in_parts=False).words()
        if not unsure:
            return sure
        if unsure.startswith(("Tied", "No ")):
            unsure = unsure[0].lower() + unsure[1:]
        return f"{sure} Over the whole log, without a test for chance: {unsure}".lstrip()

    def level(self, metric: Metric) -> bool:
        """Noise against the baseline does not make all level: two others may differ for certain."""
        some = any(super(_Measured, self).verdict(entry, metric) for entry in self.entries)
        return not some or len(self.leaders(metric)) == len(self.entries)

    def _prices(self, winners: list[Entry]) -> list[str]:
        """Not here: ``policies`` tells the price of each."""
        return []

    def _level_words(self, names: list[str]) -> str:
        if self.in_parts:
            return (
                f"No difference that means anything by {listed(names)}: it may be chance, or is less than "
                f"{NEGLIGIBLE} %."
            )
        if self.replicas < 2:
            return (
                f"No difference that means anything by {listed(names)}: less than {NEGLIGIBLE} % apart, or "
                "equal in the table."
            )
        return (
            f"No difference that means anything by {listed(names)}: tied within the noise of the "
            f"{self.replicas} replicas at {100 * self.confidence:.3g} % confidence, or less than "
            f"{NEGLIGIBLE} % apart."
        )


def summary(case: Case, metrics: tuple[str, ...], confidence: float) -> list[str]:
    """Sentences about one case, as paragraphs of plain text."""
    if len(case.runs) < 2:
        return ["There is one policy here, and so nothing to compare it with."]
    known = [one for one in map(metric, metrics) if complete(case, one.name)]
    said = [compared(case, known, confidence).words()]
    missing = [name for name in metrics if not complete(case, metric(name).name)]
    if missing:
        said.append(f"Not compared, for want of results: {listed(missing)}.")
    return [typeset(part) for part in said if part]


def caution(cases: Sequence[Case]) -> str:
    """What a reader of single runs should know; empty where all have replicas or nothing to compare."""
    several = [case for case in cases if len(case.runs) > 1 and not case.withheld]
    single = [case for case in several if case.replicas < 2]
    if not single:
        return ""
    where = "Each" if len(single) == len(several) else "In the cases without replicas, each"
    in_parts = [case for case in single if case.in_parts]
    too_few = [case for case in single if case.untested]
    said = []
    if in_parts:
        said.append(
            f"How sure is this? {where} {single[0].compared} was replayed once, with the jobs that came. To "
            f"tell what may be chance, the log was cut into {_parts(in_parts)} parts by time, and everything "
            "was measured again without each of them: a difference that rests on a few of these is marked ≈, "
            "and makes nobody a winner. Metrics of the machine as a whole, such as its utilization, and of "
            "single jobs, such as the longest wait, have no such test."
        )
    if too_few:
        every = len(too_few) == len(several)
        where_not = "" if every else f"In {listed([case.title for case in too_few])} there are"
        begin = where_not or "How sure is this? Not at all: there are"
        said.append(
            f"{begin} too few jobs, or too few days beside the waits, to tell what is more than chance. The "
            "numbers are those of these jobs; nobody is called better."
        )
    if len(in_parts) + len(too_few) < len(single):
        said.append(
            f"{where} {single[0].compared} ran once. One run has no interval: which of these differences would "
            "show again with other jobs, only replicas can tell."
        )
    return " ".join(said)


def _parts(cases: Sequence[Case]) -> str:
    found = sorted({len(one) for case in cases for run in case.runs for one in run.parts.values()})
    return f"{found[0]}" if len(found) == 1 else f"{found[0]} to {found[-1]}"


class _Lead(NamedTuple):
    """Who is first by a metric in a case: one wins, several tie, all are level; nobody if unknown."""

    first: tuple[str, ...]
    level: bool


def over_all(cases: Sequence[Case], metrics: Sequence[str], confidence: float) -> list[str]:
    """A paragraph about who leads in most cases, by metric; none if there are not two cases.

    A tie is nobody's win, and neither is a difference that means nothing.
    """
    several = [case for case in cases if len(case.runs) > 1]
    if len(several) < 2:
        return []
    led: dict[tuple[str, ...], list[str]] = {}
    undecided, tied, level = [], [], []
    for one in map(metric, metrics):
        leads = [_lead(case, one, confidence) for case in several]
        wins = Counter(lead.first[0] for lead in leads if len(lead.first) == 1 and not lead.level)
        ties = sum(len(lead.first) > 1 and not lead.level for lead in leads)
        same = sum(lead.level for lead in leads)
        most = max(wins.values(), default=0)
        first = tuple(label for label, count in wins.items() if count == most)
        if len(first) in (1, 2):
            led.setdefault(first, []).append(f"{one.name} in {most}{' each' * (len(first) - 1)}")
        elif first:
            undecided.append(one.name)
        tied += [f"{one.name} in {ties}"] if ties else []
        level += [f"{one.name} in {same}"] if same else []
    said = [_best(led)] if led else []
    if undecided:
        said.append(f"No {several[0].compared} stands out by {listed(undecided)}.")
    if tied:
        said.append(f"Tied at the top, and nobody's win: {listed(tied)}.")
    if level:
        said.append(f"No difference that means anything: {listed(level)}.")
    which = "all" if len(several) == len(cases) else "the"
    compared = "" if len(several) == len(cases) else " with something to compare"
    opening = f"Over {which} {len(several)} cases{compared}: "
    return [opening + _lowered(" ".join(said), led)] if said else []


def _best(led: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    ranked = sorted(led, key=lambda labels: -len(led[labels]))
    parts = [
        listed(list(labels))
        + ("" if k else " is best" if len(labels) == 1 else " are best")
        + f" by {listed(led[labels])}"
        for k, labels in enumerate(ranked)
    ]
    return "; ".join(parts) + "."


def _lowered(said: str, led: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    """Behind a colon a sentence begins small, but a name stays as it is."""
    return said if led else said[0].lower() + said[1:]


def _lead(case: Case, one: Metric, confidence: float) -> _Lead:
    if not complete(case, one.name) or not case.may_lead(one.name):
        return _Lead((), False)
    comparison = compared(case, [one], confidence)
    return _Lead(tuple(entry.label for entry in comparison.leaders(one)), comparison.level(one))


def compared(case: Case, metrics: Sequence[Metric], confidence: float) -> Comparison:
    """The runs of a case side by side, by metrics that all of them have."""
    entries = tuple(
        Entry(run.label, {one.name: run.cells[one.name].value for one in metrics})
        for run in case.runs
    )
    return _Measured(
        tuple(metrics),
        entries,
        case.baseline,
        withheld=case.withheld,
        runs={run.label: run for run in case.runs},
        scales={one.name: case.scale(one.name) for one in metrics},
        replicas=case.replicas,
        in_parts=case.in_parts,
        untested=case.untested,
        confidence=confidence,
    )


def complete(case: Case, name: str) -> bool:
    """Whether all runs of a case have a value of a metric."""
    cells = [run.cells.get(name) for run in case.runs]
    return all(cell is not None and math.isfinite(cell.value) for cell in cells)
