"""What the numbers of a case say, in words: who wins, at whose cost, and what is only noise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from packwise.experiments.tables.cells import Cell
from packwise.metrics.catalogue import metric
from packwise.metrics.comparison import NEGLIGIBLE, Comparison, Entry
from packwise.metrics.definition import Metric
from packwise.reports.material import Case
from packwise.reports.prose import listed
from packwise.reports.readings import typeset


@dataclass(frozen=True)
class _Replicated(Comparison):
    """A comparison that takes changes from the cells, where they are paired by replica."""

    cells: Mapping[str, Mapping[str, Cell]] = field(default_factory=dict)

    def change(self, entry: Entry, metric: Metric) -> float | None:
        cell = self.cells[entry.label][metric.name]
        base = self.entries[self.baseline].label
        elsewhere = self.cells[base][metric.name].change  # a study may compare across cases
        if cell.change is None or elsewhere:
            return super().change(entry, metric)
        return cell.change

    def verdict(self, entry: Entry, metric: Metric) -> int:
        return 0 if self.is_noise(entry, metric) else super().verdict(entry, metric)

    def is_noise(self, entry: Entry, metric: Metric) -> bool:
        """Whether a change that looks like one is within the noise of the replicas."""
        cell = self.cells[entry.label][metric.name]
        worth_a_word = cell.change is not None and abs(cell.change) >= NEGLIGIBLE
        return cell.significant is False and worth_a_word


def summary(case: Case, metrics: tuple[str, ...], confidence: float) -> list[str]:
    """Sentences about one case, as paragraphs of plain text."""
    if len(case.runs) < 2:
        return ["There is one policy here, and so nothing to compare it with."]
    known = [one for one in map(metric, metrics) if _complete(case, one.name)]
    whole = _compared(case, known)
    noisy = [one for one in known if _only_noise(whole, one)]
    clear = tuple(one for one in known if one not in noisy)
    comparison = replace(whole, metrics=clear)
    base = case.runs[case.baseline].label
    said = [comparison.words()] if clear else []
    doubts = _doubtful_leads(comparison)
    if doubts:
        leads = listed([f"{label} in {name}" for label, name in doubts])
        said.append(f"Within the noise of the {case.replicas} replicas: the lead of {leads}.")
    if noisy:
        names = listed([one.name for one in noisy])
        said.append(
            f"{names}: no policy differs from {base} by more than the noise of the "
            f"{case.replicas} replicas, at {100 * confidence:.3g} % confidence."
        )
    missing = [name for name in metrics if not _complete(case, metric(name).name)]
    if missing:
        said.append(f"Not compared, for want of results: {listed(missing)}.")
    return [typeset(part) for part in said if part]


def over_all(cases: Sequence[Case], metrics: Sequence[str]) -> list[str]:
    """A paragraph about who leads in most cases, by metric; none if there are not two cases.

    Policies with equal values all lead. Nobody leads where the differences are negligible or noise.
    """
    several = [case for case in cases if len(case.runs) > 1]
    if len(several) < 2:
        return []
    led: dict[tuple[str, ...], list[str]] = {}
    undecided: list[str] = []
    unclear = False
    for one in map(metric, metrics):
        leads = [_leaders(case, one) for case in several]
        unclear = unclear or not all(leads)
        counts = Counter(label for labels in leads for label in labels)
        most = max(counts.values(), default=0)
        first = tuple(label for label, count in counts.items() if count == most)
        if len(first) in (1, 2):
            led.setdefault(first, []).append(f"{one.name} in {most}{' each' * (len(first) - 1)}")
        else:
            undecided.append(one.name)
    ranked = sorted(led, key=lambda labels: -len(led[labels]))
    parts = [
        listed(list(labels))
        + ("" if k else " is best" if len(labels) == 1 else " are best")
        + f" by {listed(led[labels])}"
        for k, labels in enumerate(ranked)
    ]
    said = ["; ".join(parts) + "."] if parts else []
    if undecided:
        no = "No" if said else "no"
        said.append(f"{no} {several[0].compared} stands out by {listed(undecided)}.")
    if unclear:
        said.append("Cases in which a metric shows no clear difference count for none.")
    which = "all" if len(several) == len(cases) else "the"
    compared = "" if len(several) == len(cases) else " with something to compare"
    opening = f"Over {which} {len(several)} cases{compared}: "
    return [opening + " ".join(said)] if led or undecided else []


def _leaders(case: Case, one: Metric) -> list[str]:
    if not _complete(case, one.name):
        return []
    comparison = _compared(case, [one])
    differs = any(comparison.verdict(entry, one) for entry in comparison.entries)
    if not differs or _doubtful_leads(comparison):
        return []
    return [entry.label for entry in comparison.best(one)]


def _compared(case: Case, metrics: Sequence[Metric]) -> _Replicated:
    entries = tuple(
        Entry(run.label, {one.name: run.cells[one.name].value for one in metrics})
        for run in case.runs
    )
    cells = {run.label: run.cells for run in case.runs}
    return _Replicated(tuple(metrics), entries, case.baseline, cells=cells)


def _complete(case: Case, name: str) -> bool:
    cells = [run.cells.get(name) for run in case.runs]
    return all(cell is not None and math.isfinite(cell.value) for cell in cells)


def _only_noise(comparison: _Replicated, one: Metric) -> bool:
    entries = comparison.entries
    verdicts = any(comparison.verdict(entry, one) for entry in entries)
    return not verdicts and any(comparison.is_noise(entry, one) for entry in entries)


def _doubtful_leads(comparison: _Replicated) -> list[tuple[str, str]]:
    """Winners that ``words`` names although they do not differ from the baseline for certain."""
    base = comparison.entries[comparison.baseline]
    found = []
    for one in comparison.metrics:
        best = comparison.best(one)
        winner = base if base in best else best[0]
        if winner is not base and comparison.is_noise(winner, one):
            found.append((winner.label, one.name))
    return found
