"""A comparison with published values as CSV and as a page of documentation."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import prod
from pathlib import Path

from packwise.experiments.names import Names
from packwise.experiments.study import PublishedRules, Tolerance
from packwise.experiments.tables.agreement import Outcome, Verdict, reference_of
from packwise.experiments.tables.part import part_words
from packwise.experiments.tables.published import Kind, Published
from packwise.experiments.tables.results import StudyResults
from packwise.experiments.tables.text import markdown_escape
from packwise.readable import number

_AXES = ("workload", "policy", "estimate", "metric")
#: Of a cell that is known to differ.
_MARK = "†"


def verdict_rows(verdicts: Iterable[Verdict]) -> list[dict[str, object]]:
    """One row per published cell."""
    return [
        {
            "metric": verdict.published.metric,
            "estimate": verdict.estimate,
            "policy": verdict.published.policy,
            "workload": verdict.workload,
            "machine": verdict.machine,
            "ours": verdict.ours,
            "published": verdict.published.value,
            "difference": verdict.difference,
            "allowed": verdict.allowed,
            "verdict": verdict.outcome.value,
            "reason": verdict.reason,
            "line": verdict.published.line,
        }
        for verdict in verdicts
    ]


def verdicts_csv(verdicts: Iterable[Verdict]) -> str:
    """The same as CSV."""
    text = io.StringIO()
    rows = verdict_rows(verdicts)
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def verdict_text(verdict: Verdict) -> tuple[str, str, str]:
    """Ours, published and the difference, with a digit more than was printed, and as many as make sense."""
    value = verdict.published.value
    digits = max(2 if 0 < abs(value) < 1 else 1, verdict.published.decimals + 1)
    published = f"{value:,.10g}" if value == round(value, 2) else number(value)
    if verdict.ours is None or verdict.difference is None:
        return "–", published, "–"
    difference = round(verdict.difference, digits)
    return (
        f"{round(verdict.ours, digits) + 0.0:,.{digits}f}",
        published,
        f"{difference:+,.{digits}f}" if difference else f"{0:.{digits}f}",
    )


def meaning(published: Published, results: StudyResults) -> str:
    """What the numbers are, in words."""
    if published.reference is None:
        return "Each cell is the value of the metric"
    baseline = reference_of(published, Names(results.study), results)
    same = "estimate" if baseline.policy is not None else "policy"
    ours, theirs = str(baseline), published.reference.replace("_", "-")
    called = "" if ours.lower() == theirs.lower() else f" (`{ours}` in the study)"
    what = "change of a metric" if published.kind is Kind.CHANGE else "value of a metric"
    relation = "against" if published.kind is Kind.CHANGE else "relative to"
    return f"Each cell is the {what} {relation} {theirs}{called} with the same {same}, in per cent"


def counted(verdicts: Sequence[Verdict], kind: Kind) -> str:
    """'394 of 400 cells agree', what differs and by how much, and what could not be compared."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    judged = sum(counts[one] for one in (Outcome.AGREES, Outcome.DIFFERS, Outcome.EXPLAINED))
    words = f"{counts[Outcome.AGREES]:,} of {judged:,} cells agree"
    if counts[Outcome.EXPLAINED]:
        words += f"; {counts[Outcome.EXPLAINED]:,} known to differ, for a reason"
    if counts[Outcome.DIFFERS]:
        off = [v.difference for v in verdicts if v.outcome is Outcome.DIFFERS]
        most = max(abs(difference) for difference in off if difference is not None)
        verb = "differs" if len(off) == 1 else "differ"
        by = number(most) if kind is Kind.VALUE else f"{most:,.1f} points"
        words += f"; {len(off):,} {verb}, by at most {by}"
    others = [
        f"{counts[outcome]:,} {what}"
        for outcome, what in (
            (Outcome.UNCERTAIN, "uncertain in the source and not judged"),
            (Outcome.NOT_RUN, "without a result yet"),
            (Outcome.NOT_IN_STUDY, "not in the study"),
        )
        if counts[outcome]
    ]
    return " ".join(f"{part}." for part in (words, "; ".join(others)) if part)


def left_out(verdicts: Sequence[Verdict]) -> str:
    """Published names of which no cell is in the study."""
    parts = []
    for axis, plural in (
        ("metric", "metrics"),
        ("policy", "policies"),
        ("estimate", "estimates"),
        ("trace", "traces"),
        ("machine", "machines"),
    ):
        found: dict[str, bool] = {}
        for verdict in verdicts:
            name = getattr(verdict.published, axis)
            if name is not None:
                there = verdict.outcome is not Outcome.NOT_IN_STUDY
                found[name] = found.get(name, False) or there
        absent = [name for name, there in found.items() if not there]
        if absent:
            parts.append(f"{plural if len(absent) > 1 else axis} {', '.join(absent)}")
    return f"Not in the study: {'; '.join(parts)}." if parts else ""


def page(results: StudyResults, published: Published, verdicts: Sequence[Verdict]) -> str:
    """The comparison as Markdown: what was compared, how it ended, and a table per metric."""
    study = results.study
    file = Path(published.path).name
    source = study.file.name if study.file else "STUDY"
    command = f"packwise study compare {source} --published {file} --markdown PAGE"
    parts = [
        f"# {markdown_escape(study.name)}",
        f"Written by `{command}`; do not edit by hand.",
        study.description.strip(),
        f"{meaning(published, results)}: ours / published / {_difference(published.kind)}.",
        _rules(study.published, published),
        markdown_escape(part_words(study, results.filtered)),
        f"**{counted(verdicts, published.kind)}** {_marks(verdicts)}".rstrip(),
        *map(markdown_escape, explained(verdicts)),
        markdown_escape(left_out(verdicts)),
        markdown_escape(results.chance_words()),
    ]
    shown = [verdict for verdict in verdicts if verdict.outcome is not Outcome.NOT_IN_STUDY]
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in shown:
        key = verdict.published.metric, verdict.estimate, verdict.machine
        groups.setdefault(key, []).append(verdict)
    for (metric, estimate, machine), part in groups.items():
        where = f" on machine {markdown_escape(machine)}" if machine else ""
        parts.append(f"## {markdown_escape(metric)} with {_believed(estimate)}{where}")
        parts.append(_table(part))
    return "\n\n".join(filter(None, parts)) + "\n"


def _difference(kind: Kind) -> str:
    return "difference" if kind is Kind.VALUE else "difference in points"


def _marks(verdicts: Sequence[Verdict]) -> str:
    found = {verdict.outcome for verdict in verdicts}
    words = ["Cells that differ are bold."] if Outcome.DIFFERS in found else []
    words += [f"{_MARK} marks those explained."] if Outcome.EXPLAINED in found else []
    words += ["Uncertain cells are in italics."] if Outcome.UNCERTAIN in found else []
    return " ".join(words)


def _believed(estimate: str) -> str:
    known = {
        "exact": "exact run times",
        "runtime": "exact run times",
        "requested": "requested limits",
        "timelimit": "requested limits",
    }
    return known.get(estimate.lower(), f"estimate {markdown_escape(estimate)}")


def _table(verdicts: Sequence[Verdict]) -> str:
    columns = list(dict.fromkeys(verdict.workload for verdict in verdicts))
    found = {(v.published.policy, v.workload): v for v in verdicts}
    lines = [
        f"| policy | {' | '.join(map(markdown_escape, columns))} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for policy in dict.fromkeys(verdict.published.policy for verdict in verdicts):
        cells = [_entry(found.get((policy, column))) for column in columns]
        lines.append(f"| {markdown_escape(policy)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _entry(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    text = " / ".join(verdict_text(verdict))
    if verdict.outcome is Outcome.DIFFERS:
        return f"**{text}**"
    if verdict.outcome is Outcome.EXPLAINED:
        return f"{text} {_MARK}"
    return f"*{text}*" if verdict.outcome is Outcome.UNCERTAIN else text


def explained(verdicts: Iterable[Verdict]) -> list[str]:
    """Why cells are known to differ: a paragraph for each reason."""
    by_reason: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.outcome is Outcome.EXPLAINED:
            cell = verdict.published
            ours, published, _ = verdict_text(verdict)
            where = f"{cell.policy} with {verdict.estimate} on {verdict.workload}"
            said = f"{cell.metric} of {where} ({ours}, published {published})"
            by_reason.setdefault(verdict.reason, []).append(said)
    return [
        f"{_MARK} {'; '.join(cells)}: {reason.rstrip('.')}." for reason, cells in by_reason.items()
    ]


def _rules(rules: PublishedRules, published: Published) -> str:
    """When a cell agrees."""
    if not rules.tolerances:
        return _rounding(rules.rounded or (published.decimals,))
    everywhere = any(all(getattr(t, axis) == "*" for axis in _AXES) for t in rules.tolerances)
    told = _tolerances(rules.tolerances, published.kind)
    return told if everywhere else f"{_rounding(rules.rounded or (published.decimals,))} {told}"


def _rounding(decimals: Sequence[int]) -> str:
    """To what a value has to round."""
    if len(decimals) == 1:
        return "A cell agrees if it rounds to what was printed."
    steps = " and then ".join(f"to {10.0**-count:g}" for count in decimals)
    return f"A cell agrees if it comes to what was printed when it is rounded {steps}, as the table was."


def _tolerances(tolerances: Sequence[Tolerance], kind: Kind) -> str:
    """All of them, those for everything first, each with its reason."""
    everywhere = [t for t in tolerances if all(getattr(t, axis) == "*" for axis in _AXES)]
    first = "Tolerances:"
    if everywhere:
        general = everywhere[-1]
        only_share = kind is Kind.VALUE and not general.value
        first = f"Tolerance: {_limits(general, kind)}"
        first += "" if only_share else ", whichever is larger"
        first += f" ({general.reason})." if general.reason else "."
    lines = []
    special = [t for t in tolerances if t not in everywhere]
    for _, group in groupby(special, key=lambda t: (t.points, t.value, t.share, t.reason)):
        lines += _special(list(group), kind)
    if not lines:
        return first
    others = f"{first} Other tolerances:" if everywhere else first
    return "\n".join([others, "", *(f"- {line}" for line in lines)])


def _special(group: list[Tolerance], kind: Kind) -> list[str]:
    """A list of names in a study file is a tolerance for each: told as one where it was one."""
    axes = {axis: list(dict.fromkeys(getattr(t, axis) for t in group)) for axis in _AXES}
    if prod(map(len, axes.values())) != len(group):
        return [line for tolerance in group for line in _special([tolerance], kind)]
    where = "; ".join(
        f"{axis} {', '.join(map(markdown_escape, names))}"
        for axis, names in axes.items()
        if names != ["*"]
    )
    reason = f": {group[0].reason.rstrip('.')}" if group[0].reason else ""
    return [f"{where}: {_limits(group[0], kind)}{reason}."]


def _limits(tolerance: Tolerance, kind: Kind) -> str:
    share = f"{100 * tolerance.share:g} % of the published value"
    if kind is Kind.VALUE:
        return f"{tolerance.value:g} or {share}" if tolerance.value else share
    return f"{tolerance.points:g} {'point' if tolerance.points == 1 else 'points'} or {share}"
