"""Claims beside results as rows, as CSV and as a part of a page."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from packwise.experiments.claim import Claim, Falls, Flat, Largest
from packwise.experiments.tables.claim_checks import Checked, Held
from packwise.experiments.tables.claims import ClaimVerdict, Finding
from packwise.experiments.tables.part import part_words
from packwise.experiments.tables.results import StudyResults
from packwise.experiments.tables.text import markdown_escape
from packwise.metrics.catalogue import metric
from packwise.readable import NONE, duration, number

_ORDER = (Held.FAILS, Held.EXPLAINED, Held.NOT_RUN, Held.EMPTY)
_WORDS = {
    Held.FAILS: ("does not", "do not"),
    Held.EXPLAINED: ("does not, for a reason that is known", "do not, for reasons that are known"),
    Held.NOT_RUN: ("without all results yet",) * 2,
    Held.EMPTY: ("without anything to judge",) * 2,
}


def claim_rows(verdicts: Iterable[ClaimVerdict]) -> list[dict[str, Any]]:
    """Each claim with its findings, for JSON."""
    return [
        {
            "says": claim.says,
            "source": claim.source,
            "metric": claim.metric,
            "part_of": claim.part_of,
            "policy": claim.policy,
            "against": claim.against,
            "estimate": claim.estimate,
            "unfiltered": claim.unfiltered,
            "together": claim.together,
            "explained": claim.explained,
            "expected": str(claim.check),
            "verdict": verdict.held.value,
            "line": claim.line,
            "findings": [
                {
                    "place": finding.place,
                    "machine": finding.machine,
                    "estimate": finding.estimate,
                    "values": finding.values,
                    "measured": finding.checked.measured,
                    "why": finding.checked.why,
                    "verdict": finding.checked.held.value,
                }
                for finding in verdict.findings
            ],
        }
        for verdict in verdicts
        for claim in (verdict.claim,)
    ]


def claims_csv(verdicts: Sequence[ClaimVerdict]) -> str:
    """One line per claim and workload: the value there, and what it was judged by."""
    heads = (
        "claim", "says", "source", "quantity", "expected", "place", "machine", "estimate", "workload",
        "value", "measured", "verdict", "claim_verdict",
    )  # fmt: skip
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    for i, verdict in enumerate(verdicts, 1):
        claim = verdict.claim
        facts = (i, claim.says, claim.source, claim.quantity, str(claim.check))
        for finding in verdict.findings:
            place = (finding.place, finding.machine, finding.estimate)
            judged = (finding.checked.measured, finding.checked.held.value, verdict.held.value)
            for workload, value in finding.values.items():
                shown = value if value is not None and isfinite(value) else None
                writer.writerow((*facts, *place, workload, shown, *judged))
    return text.getvalue()


def measured_text(verdict: ClaimVerdict) -> str:
    """What decides about a claim, from the least to the most of its findings."""
    claim = verdict.claim
    known = sorted(f.checked.measured for f in verdict.findings if f.checked.measured is not None)
    if not known:
        return NONE
    if isinstance(claim.check, Largest) and len(verdict.findings) == 1:
        return checked_text(claim, verdict.findings[0].checked)
    ends = list(dict.fromkeys((known[0], known[-1])))
    if isinstance(claim.check, Flat):
        return f"{' to '.join(f'{100 * end:.1f}' for end in ends)} % off"
    if isinstance(claim.check, Falls):
        return f"R² {' to '.join(f'{end:.3f}' for end in ends)}"
    return " to ".join(dict.fromkeys(value_text(claim, end) for end in ends))


def checked_text(claim: Claim, checked: Checked) -> str:
    """The number that decides, with what it is."""
    if checked.measured is None:
        return checked.why or NONE
    if isinstance(claim.check, Flat):
        return f"{100 * checked.measured:.1f} % off"
    if isinstance(claim.check, Falls):
        return f"R² {checked.measured:.3f}"
    shown = value_text(claim, checked.measured)
    return f"{shown} {checked.why}".rstrip() if isinstance(claim.check, Largest) else shown


def values_text(claim: Claim, finding: Finding) -> str:
    """All values of a finding, in the order of the sweep."""
    return ", ".join(value_text(claim, value) for value in finding.values.values())


def value_text(claim: Claim, value: float | None) -> str:
    """A value of the claim's quantity in a unit that suits it."""
    if value is None or not isfinite(value):
        return NONE if value is None or value != value else "infinite"
    if claim.against is not None:
        return number(value)
    if claim.part_of is not None:
        return f"{100 * value:.3g} %"
    unit = metric(claim.metric).unit
    return duration(value) if unit == "s" else f"{number(value)} {unit}".rstrip()


def counted_claims(verdicts: Sequence[ClaimVerdict]) -> str:
    """'9 of 12 claims hold, 3 do not.'"""
    counts = Counter(verdict.held for verdict in verdicts)
    total = len(verdicts)
    verb = "holds" if total == 1 else "hold"
    words = f"{counts[Held.HOLDS]:,} of {total:,} claim{'' if total == 1 else 's'} {verb}"
    others = [f"{counts[one]:,} {_WORDS[one][counts[one] > 1]}" for one in _ORDER if counts[one]]
    return ", ".join([words, *others]) + "."


def claims_page(results: StudyResults, verdicts: Sequence[ClaimVerdict]) -> str:
    """A page of its own: what was checked, and how it ended."""
    study = results.study
    source = study.file.name if study.file else "STUDY"
    parts = [
        f"# {markdown_escape(study.name)}",
        f"Written by `packwise study compare {source} --markdown PAGE`; do not edit by hand.",
        study.description.strip(),
        claims_section(results, verdicts),
        markdown_escape(results.chance_words()),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def claims_section(results: StudyResults, verdicts: Sequence[ClaimVerdict]) -> str:
    """The claims as a table, and those that do not hold place by place."""
    lines = ["| claim | source | expected | measured | verdict |", "|---|---|---|---|---|"]
    for verdict in verdicts:
        claim = verdict.claim
        held = verdict.held.value
        cells = (
            f"{markdown_escape(claim.says)} ({markdown_escape(claim.quantity)})",
            markdown_escape(claim.source),
            markdown_escape(str(claim.check)),
            markdown_escape(measured_text(verdict)),
            f"**{held}**" if verdict.held is Held.FAILS else held,
        )
        lines.append(f"| {' | '.join(cells)} |")
    parts = [
        "## Claims",
        f"**{counted_claims(verdicts)}** {part_words(results.study, results.filtered)}".rstrip(),
        "\n".join(lines),
    ]
    failed = [one for one in verdicts if one.held in (Held.FAILS, Held.EXPLAINED)]
    if failed:
        parts.append("\n".join(["Where claims do not hold:", "", *_failures(failed)]))
    return "\n\n".join(parts)


def _failures(verdicts: Sequence[ClaimVerdict]) -> list[str]:
    lines = []
    for verdict in verdicts:
        claim = verdict.claim
        wrong = [f for f in verdict.findings if f.checked.held is Held.FAILS]
        places = "; ".join(f"{finding}: {finding_text(claim, finding)}" for finding in wrong)
        why = f" {markdown_escape(claim.explained)}" if claim.explained else ""
        lines.append(f"- {markdown_escape(claim.says)}: {markdown_escape(places)}.{why}")
    return lines


def finding_text(claim: Claim, finding: Finding) -> str:
    """What was found at one place."""
    decides = checked_text(claim, finding.checked)
    if not isinstance(claim.check, Flat | Falls):
        return decides
    why = f", {finding.checked.why}" if finding.checked.why and finding.checked.measured else ""
    return f"{values_text(claim, finding)} ({decides}{why})"
