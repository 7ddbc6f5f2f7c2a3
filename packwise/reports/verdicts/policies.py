"""What each policy of a case means for people: how long jobs wait, who gains, who loses, and its price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from packwise.metrics.catalogue import metric
from packwise.metrics.comparison import Comparison, Entry
from packwise.metrics.definition import Metric
from packwise.metrics.group_changes import group_words, noticed
from packwise.readable import duration, number, percent
from packwise.reports.material import Case, ReportRun
from packwise.reports.prose import listed
from packwise.reports.readings import typeset
from packwise.reports.verdicts.waits import Waits
from packwise.reports.verdicts.words import compared, complete

#: Of more policies than these the opening tells the shortest and the longest wait only.
_MOST_TOLD: Final = 6


class PolicyWords(NamedTuple):
    """A policy, sentences about the waits under it, and one about what else it changes."""

    label: str
    waits: tuple[str, ...]
    price: str


def opening(case: Case, waits: Mapping[str, Waits]) -> str:
    """How long jobs wait under each policy, in one sentence; empty where there is nothing to compare."""
    if not waits:
        return ""
    base = case.runs[case.baseline]
    before = next(iter(waits.values())).overall.before
    told = {base.label: before} | {label: one.overall.after for label, one in waits.items()}
    ranked = sorted(told, key=lambda label: told[label])
    shown = list(told) if len(told) <= _MOST_TOLD else [ranked[0], ranked[-1]]
    parts = []
    for run in case.runs:
        if run.label in shown:
            where = "as it really happened" if run.is_history else f"under {run.label}"
            parts.append(f"{duration(told[run.label])} {where}")
    begin = "In the first replica a job waits" if case.replicas > 1 else "A job waits"
    few = " (the shortest and the longest)" if len(shown) < len(told) else ""
    return typeset(f"{begin} on average {listed(parts)}{few}.")


def policy_words(
    case: Case, waits: Mapping[str, Waits], metrics: Sequence[str], confidence: float
) -> list[PolicyWords]:
    """Of each policy but the baseline, whose place among the others is told by all of these."""
    base = case.runs[case.baseline]
    known = [one for one in map(metric, metrics) if complete(case, one.name)]
    comparison = compared(case, known, confidence)
    found = []
    for run, entry in zip(case.runs, comparison.entries, strict=True):
        if run is base:
            continue
        price = "" if case.untested else _prices(comparison, entry, known, called(base))
        said = _of_waits(run, base, waits[run.label], case) if run.label in waits else []
        found.append(PolicyWords(run.label, tuple(map(typeset, said)), typeset(price)))
    return found


def called(run: ReportRun) -> str:
    """What a run is called in a sentence."""
    return "what really happened" if run.is_history else run.label


def _of_waits(run: ReportRun, base: ReportRun, waits: Waits, case: Case) -> list[str]:
    change = waits.overall
    cell = run.cells.get("wait")
    noise = case.untested or (cell is not None and cell.significant is False)
    sure = change.sure and not noise
    first = "In the first replica, jobs" if case.replicas > 1 else "Jobs"
    means = f"{duration(change.after)} on average, against {duration(change.before)}"
    means += " really" if base.is_history else f" under {base.label}"
    by = "" if change.percent is None else f" ({percent(change.percent)})"
    if not noticed(change):
        overall = f"{first} wait about as long: {means}."
    elif not sure:
        overall = f"{first} wait {means}{by}, which may be chance."
    else:
        way = "less" if change.after < change.before else "longer"
        overall = f"{first} wait {way}: {means}{by}."
    groups = [group_words(kind, found) for kind, found in waits.groups.items()]
    return [overall, *filter(None, groups)]


def _prices(comparison: Comparison, entry: Entry, known: Sequence[Metric], base: str) -> str:
    """What gets better and what gets worse by the metrics, beyond the noise."""
    verdicts = {one.name: comparison.verdict(entry, one) for one in known}
    parts = []
    better = [_by(comparison, entry, one) for one in known if verdicts[one.name] > 0]
    worse = [_by(comparison, entry, one) for one in known if verdicts[one.name] < 0]
    same = [one.name for one in known if verdicts[one.name] == 0]
    if better:
        parts.append(f"Better than {base} by {listed(better)}.")
    if worse:
        parts.append(f"The price: worse by {listed(worse)}.")
    elif better:
        parts.append("The price: no metric here gets worse for certain.")
    if same:
        parts.append(f"Not to be told from {base} by {listed(same)}.")
    return " ".join(parts)


def _by(comparison: Comparison, entry: Entry, one: Metric) -> str:
    change = comparison.change(entry, one)
    if change is None:
        return f"{one.name} ({number(entry.values[one.name])} {one.unit}".rstrip() + ")"
    return f"{one.name} ({percent(change)})"
