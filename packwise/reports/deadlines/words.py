"""What the figures about deadlines show, in words: who is best, what the share changes, who misses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Final, Literal

from packwise.metrics.comparison import change_percent
from packwise.readable import number
from packwise.reports.charts.staircase import Staircase
from packwise.reports.charts.waiting import share_at
from packwise.reports.deadlines.case import CaseDeadlines
from packwise.reports.deadlines.places import Place
from packwise.reports.deadlines.quantities import MISSES_DAY, MISSES_LONGER, WAIT_ALL, Quantity
from packwise.reports.prose import listed
from packwise.reports.readings import reading, signed, typeset

#: More names make a sentence that nobody reads: the table has them all.
_MOST_NAMES: Final = 4
_HOUR: Final = 3600.0


def lead_words(found: Sequence[Place]) -> str:
    """How many jobs have a deadline, and how many the means leave out."""
    cases = [one for place in found for one in place.cases]
    jobs = [one.regular + one.driven for one in cases]
    if len(cases) == 1:
        (one,) = cases
        said = (
            f"{one.driven:,} of {jobs[0]:,} jobs have a deadline ({_percent(one.driven, jobs[0])}); "
            "the others are regular."
        )
        if one.left_out:
            said += (
                f" Regular jobs that start at once under everything that is compared ({one.left_out:,}) are "
                "left out of means and distributions of regular jobs."
            )
        return typeset(said)
    shares = [100 * one.driven / count for one, count in zip(cases, jobs, strict=True)]
    span = _span(shares, lambda share: f"{share:.0f}")
    return typeset(
        f"In {len(cases)} cases {span} % of the jobs have a deadline; the others are regular. Regular "
        "jobs that start at once under everything that is compared "
        f"({_span([100 * one.left_out / max(one.regular, 1) for one in cases], lambda v: f'{v:.0f}')} "
        "% of them) are left out of means and distributions of regular jobs."
    )


def line_words(quantity: Quantity, swept: Sequence[Place]) -> str:
    """Who is lowest in how many cases, and what a larger share changes."""
    labels = list(dict.fromkeys(label for place in swept for label in place.labels))
    said = [_lowest(quantity, swept, labels), _trend(quantity, swept, labels)]
    return typeset(" ".join(part for part in said if part))


def _lowest(quantity: Quantity, swept: Sequence[Place], labels: Sequence[str]) -> str:
    """Who wins how many cases. A tie is nobody's win, and cases in which all tie are left out."""
    led = dict.fromkeys(labels, 0)
    counted = tied = 0
    for one in (one for place in swept for one in place.cases):
        known = [label for label in labels if math.isfinite(one.value(label, quantity))]
        leads = one.leading(known, quantity)
        first = [label for label, lead in zip(known, leads, strict=True) if lead]
        if len(first) == len(known):
            continue
        counted += 1
        if len(first) == 1:
            led[first[0]] += 1
        else:
            tied += 1
    if not counted:
        return ""
    ranked = sorted((label for label in labels if led[label]), key=lambda one: -led[one])
    told = [f"{label} in {led[label]}" for label in ranked[:_MOST_NAMES]]
    told += [f"tied in {tied}"] if tied else []
    told[0] += f" of {counted} case{'s' if counted > 1 else ''}"
    return f"Lowest: {listed(told)}."


def _trend(quantity: Quantity, swept: Sequence[Place], labels: Sequence[str]) -> str:
    changes: dict[str, list[float]] = {}
    ends: dict[str, tuple[float, float]] = {}
    for place in swept:
        for label in labels:
            first, last = (place.cases[k].value(label, quantity) for k in (0, -1))
            change = change_percent(last, first)
            if change is not None:
                changes.setdefault(label, []).append(change)
                ends[label] = (first, last)
    if not changes:
        return ""
    ranked = sorted(changes, key=lambda label: median(changes[label]))[:_MOST_NAMES]
    if len(swept) == 1:
        low, high = swept[0].percents[0], swept[0].percents[-1]
        goes, stays = [], []
        for label in ranked:
            before, after = (_told(quantity, value) for value in ends[label])
            if before != after:
                goes.append(f"from {before} to {after} under {label}")
            else:
                stays.append(f"{before} under {label}")
        moved = [f"it goes {listed(goes)}"] if goes else []
        moved += [f"it stays at {listed(stays)}"] if stays else []
        return f"As the share grows from {low:g} % to {high:g} %, {'; '.join(moved)}."
    told = [f"{signed(median(changes[label]))} under {label}" for label in ranked]
    return f"From the smallest share to the largest, median over workloads: {listed(told)}."


def wait_words(cases: Sequence[CaseDeadlines]) -> str:
    """How many start at once and within an hour; the range over the cases where there are several."""
    lines = [one.waits for one in cases]
    at_once = _shares(lines, 0.0)
    within = _shares(lines, _HOUR)
    if not at_once:
        return ""
    of = " (lowest and highest of all panels)" if len(cases) > 1 else ""
    return typeset(f"At once{of}: {at_once}. Within an hour: {within}.")


def usage_words(cases: Sequence[CaseDeadlines]) -> str:
    """How many come close to the deadline."""
    close = _shares([one.usage for one in cases], 80.0, beyond=True)
    of = " (lowest and highest of all panels)" if len(cases) > 1 else ""
    return typeset(f"More than 80 % of the time was used{of} by {close}.") if close else ""


def miss_words(found: Sequence[Place]) -> str:
    """The sums over all cases, the lowest first."""
    cases = [one for place in found for one in place.cases]
    sums: dict[str, float] = {}
    for one in cases:
        for run in one.case.runs:
            both = one.value(run.label, MISSES_DAY) + one.value(run.label, MISSES_LONGER)
            if math.isfinite(both):
                sums[run.label] = sums.get(run.label, 0.0) + both
    if not sums:
        return ""
    if not any(sums.values()):
        return "No deadline was missed."
    ranked = sorted(sums, key=lambda label: sums[label])
    most = ranked if len(ranked) <= _MOST_NAMES else [*ranked[: _MOST_NAMES - 1], ranked[-1]]
    where = f"Over all {len(cases)} cases: " if len(cases) > 1 else "Missed: "
    told = [f"{_count(sums[label])} under {label}" for label in most]
    return typeset(f"{where}{listed(told)}.")


def replica_words(found: Sequence[Place], kind: Literal["mean", "shown"]) -> str:
    """What a value or a distribution is of, where there are replicas."""
    most = max((one.case.replicas for place in found for one in place.cases), default=1)
    if most < 2:
        return ""
    if kind == "mean":
        return f" Each value is the mean over up to {most} replicas."
    return f" Shown is one of the {most} replicas."


def _shares(lines: Sequence[Mapping[str, Staircase]], at: float, *, beyond: bool = False) -> str:
    """'41 % under dbf and 30 % under easy', the best first."""
    found: dict[str, list[float]] = {}
    for one in lines:
        for label, stairs in one.items():
            share = 100 * share_at(stairs, at)
            found.setdefault(label, []).append(100 - share if beyond else share)
    sign = 1 if beyond else -1
    ranked = sorted(found, key=lambda label: sign * median(found[label]))[:_MOST_NAMES]
    told = [f"{_span(found[label], _rounded)} % under {label}" for label in ranked]
    return listed(told) if told else ""


def _rounded(share: float) -> str:
    """Whole per cents, finer below 10 and where 100 would not be true."""
    if 0 < share < 0.05:
        return "< 0.1"
    if 99.5 <= share < 100:
        return f"{min(share, 99.9):.1f}"
    return f"{share:.1f}" if 0 < share < 9.95 else f"{share:.0f}"


def _span(values: Sequence[float], told: Callable[[float], str]) -> str:
    low, high = told(min(values)), told(max(values))
    return low if low == high else f"{low} to {high}"


def _told(quantity: Quantity, value: float) -> str:
    if quantity is WAIT_ALL:
        return f"{number(value / 60)} min"
    return reading(value, quantity.metric)


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"
