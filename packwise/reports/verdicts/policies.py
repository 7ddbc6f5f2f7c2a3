"""What each policy of a case means for people: how long jobs wait, who gains, who loses, and its price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from packwise.metrics.against_easy import USERS_BETTER, USERS_WORSE, WORST_SIZE
from packwise.metrics.catalogue import metric
from packwise.metrics.chance import Change
from packwise.metrics.comparison import Comparison, Entry
from packwise.metrics.definition import Metric
from packwise.metrics.group_changes import group_words, noticed
from packwise.metrics.response_time import WAIT
from packwise.readable import number, percent
from packwise.reports.material import Case, ReportRun
from packwise.reports.prose import listed
from packwise.reports.readings import durations, typeset
from packwise.reports.verdicts.waits import Waits
from packwise.reports.verdicts.words import compared, complete

#: Of EASY itself these say nothing.
AGAINST_EASY: Final = (USERS_WORSE.name, USERS_BETTER.name, WORST_SIZE.name)
#: Of more policies than these the opening tells the shortest and the longest wait only.
_MOST_TOLD: Final = 6


class PolicyWords(NamedTuple):
    """A policy, sentences about the waits under it, and one about what else it changes."""

    label: str
    waits: tuple[str, ...]
    price: str


def opening(case: Case, waits: Mapping[str, Waits]) -> str:
    """How long jobs wait under each policy, in one sentence; empty where there is nothing to compare."""
    if not waits or case.withheld:
        return ""
    base = case.runs[case.baseline]
    before = next(iter(waits.values())).overall.before
    told = {base.label: before} | {label: one.overall.after for label, one in waits.items()}
    ranked = sorted(told, key=lambda label: told[label])
    shown = list(told) if len(told) <= _MOST_TOLD else [ranked[0], ranked[-1]]
    runs = [run for run in case.runs if run.label in shown]
    parts = []
    for run, wait in zip(runs, durations([told[one.label] for one in runs]), strict=True):
        where = "as it really happened" if run.is_history else f"under {run.label}"
        parts.append(f"{wait} {where}")
    begin = "In the first replica a job waits" if case.replicas > 1 else "A job waits"
    if base.whole is not None:
        begin = f"Over all jobs, {begin[0].lower()}{begin[1:]}"
    few = " (the shortest and the longest)" if len(shown) < len(told) else ""
    return typeset(f"{begin} on average {listed(parts)}{few}.")


def policy_words(
    case: Case,
    waits: Mapping[str, Waits],
    metrics: Sequence[str],
    confidence: float,
) -> list[PolicyWords]:
    """Of each policy but the baseline, whose place among the others is told by all of these."""
    if case.withheld:
        return []
    base = case.runs[case.baseline]
    known = [one for one in map(metric, metrics) if complete(case, one.name)]
    comparison = compared(case, known, confidence)
    found = []
    for run, entry in zip(case.runs, comparison.entries, strict=True):
        if run is base:
            continue
        told = [one for one in known if not (run.policy == "easy" and one.name in AGAINST_EASY)]
        longer = run.label in waits and not case.untested and _some_lose(waits[run.label])
        tested = [one for one in told if case.may_lead(one.name)]
        price = "" if case.untested else _prices(comparison, entry, tested, called(base), longer)
        rest = [one for one in told if one not in tested and comparison.verdict(entry, one)]
        if rest and not case.untested:
            named = listed([_by(comparison, entry, one) for one in rest])
            price = f"{price} Over the whole log, without a test for chance: {named}.".lstrip()
        said = _of_waits(run, base, waits[run.label], case) if run.label in waits else []
        found.append(PolicyWords(run.label, tuple(map(typeset, said)), typeset(price)))
    return found


def called(run: ReportRun) -> str:
    """What a run is called in a sentence."""
    return "what really happened" if run.is_history else run.label


def _of_waits(run: ReportRun, base: ReportRun, waits: Waits, case: Case) -> list[str]:
    change = waits.overall
    first = "In the first replica, jobs" if case.replicas > 1 else "Jobs"
    before, after = durations([change.before, change.after])
    means = f"{after} on average, against {before}"
    means += " really" if base.is_history else f" under {base.label}"
    by = "" if change.percent is None else f" ({percent(change.percent)})"
    if not noticed(change):
        overall = f"{first} wait about as long: {means}."
    elif case.untested or not _sure(run, change):
        overall = f"{first} wait {means}{by}, which may be chance."
    else:
        way = "less" if change.after < change.before else "longer"
        overall = f"{first} wait {way}: {means}{by}."
    if case.untested:
        return [overall]
    groups = [group_words(kind, found) for kind, found in waits.groups.items()]
    return [overall, *filter(None, groups)]


def _sure(run: ReportRun, change: Change) -> bool:
    """By the same test as in the table, where there is one."""
    cell = run.cells.get(WAIT.name)
    told = None if cell is None else cell.significant
    return change.sure if told is None else told


def _some_lose(waits: Waits) -> bool:
    """Whether a group waits longer, for certain."""
    return any(
        one.change.sure and noticed(one.change) and one.change.after > one.change.before
        for groups in waits.groups.values()
        for one in groups
    )


def _prices(
    comparison: Comparison, entry: Entry, known: Sequence[Metric], base: str, longer: bool
) -> str:
    """What gets better and what gets worse by the metrics, beyond the noise; ``longer``: for some, waits do."""
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
        but = ", but some wait longer, as told above" if longer else ""
        parts.append(f"The price: no metric here gets worse for certain{but}.")
    if same:
        parts.append(f"Not to be told from {base} by {listed(same)}.")
    return " ".join(parts)


def _by(comparison: Comparison, entry: Entry, one: Metric) -> str:
    change = comparison.change(entry, one)
    if change is None:
        return f"{one.name} ({number(entry.values[one.name])} {one.unit}".rstrip() + ")"
    return f"{one.name} ({percent(change)})"
