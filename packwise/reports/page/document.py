"""What the page says around the figures, section by section, as plain values for the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from packwise.metrics.catalogue import metric
from packwise.reports.charts.place import ChartPlace, place_of
from packwise.reports.deadlines.section import deadline_section
from packwise.reports.figures import CaseFigures, Figures
from packwise.reports.groups.section import group_tables
from packwise.reports.heat.shades import SHADES
from packwise.reports.heat.table import overview_table, shade_name
from packwise.reports.material import Case, Material
from packwise.reports.nodes.node_map import MAP, MAP_LEAD, MAP_SELECTS, MAP_TITLE
from packwise.reports.page.downloads import downloads
from packwise.reports.promises.section import PromiseSection, promise_section
from packwise.reports.prose import metric_titles
from packwise.reports.readings import typeset
from packwise.reports.verdicts.policies import PolicyWords, opening, policy_words
from packwise.reports.verdicts.waits import Waits
from packwise.reports.verdicts.words import caution, over_all, summary

if TYPE_CHECKING:
    from markupsafe import Markup


def sections(material: Material, figures: Figures) -> dict[str, Any]:
    """By the names that the templates know. Charts are empty places that the scripts fill."""
    material = replace(material, cases=tuple(one.case for one in figures.cases) or material.cases)
    found: dict[str, Any] = {
        "header": _header(material, figures),
        "missing": material.missing,
        "summary": _summary(material, figures),
        "comparison": _comparison(material, figures),
        "groups": [(one.case, group_tables(one.case, one.waits)) for one in figures.cases],
        "charts": _charts(material, figures),
        "deadlines": deadline_section(figures.deadlines) if figures.deadlines else None,
        "promises": _promises(material, figures) if figures.promises else None,
        "records": [_records(case) for case in material.cases],
        "glossary": material.glossary,
        "provenance": material.provenance,
    }
    return found | {
        "contents": _contents(found),
        "downloads": downloads(material, figures) if figures.cases else [],
    }


def _contents(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(id, words) of the sections that there are."""
    comparison, charts = found["comparison"], found["charts"]
    there = [
        ("summary", "Summary", True),
        ("comparison", f"{comparison['what']} and metrics" if comparison else "", comparison),
        ("groups", "Who waits how long", any(tables for _, tables in found["groups"])),
        ("charts", "Charts", charts),
        ("sweeps", "Sweeps", charts and charts["sweeps"]),
        ("deadlines", "Deadlines", found["deadlines"]),
        ("promises", "Promises kept", found["promises"]),
        ("gantt", "Which job ran when", charts),
        ("records", "Which jobs are here", found["records"]),
        ("labels", "What the policies do", found["glossary"]),
        ("provenance", "Where it comes from", True),
    ]
    return [(name, words) for name, words, is_there in there if is_there]


def _header(material: Material, figures: Figures) -> dict[str, Any]:
    cases = material.cases
    several = {run.label for case in cases for run in case.runs}
    facts = [("Jobs", _range([case.jobs for case in cases]))]
    told = [one.facts for one in figures.cases]
    if len(cases) == 1 and told:
        dates = told[0].dates
        facts.append(("Submitted", dates) if dates else ("Over", told[0].lasted))
        facts.append(("Machine", told[0].machine))
        facts += [(name, f"{count:,}") for name, count in told[0].counts]
    else:
        guessed = sum(bool(case.guess) for case in cases)
        some = f" ({guessed:,} guessed)" if guessed else ""
        facts.append(("Processors", _range([case.procs for case in cases]) + some))
    facts.append((_what(material), f"{len(several):,}"))
    if len(cases) > 1:
        facts.append(("Cases", f"{len(cases):,}"))
    replicas = [case.replicas for case in cases]
    if max(replicas, default=1) > 1:
        facts.append(("Replicas", _range(replicas)))
    paragraphs = [part for part in material.description.split("\n\n") if part.strip()]
    return {
        "title": material.title,
        "site": _site(material),
        "paragraphs": paragraphs,
        "doubts": [(case, _unbroken(case.sizing.lead)) for case in cases if case.withheld],
        "several": len(cases) > 1,
        "facts": facts,
    }


def _unbroken(words: str) -> str:
    """With options that stay in one line."""
    return words.replace("--", 2 * "\N{NON-BREAKING HYPHEN}")


def _site(material: Material) -> str:
    """Whose machine it is: what was given, or what all logs say."""
    if material.site:
        return material.site
    told = {", ".join(filter(None, case.origin)) for case in material.cases}
    return told.pop() if len(told) == 1 else ""


def _records(case: Case) -> dict[str, Any]:
    """What became of the records of a log, and what else there is to know of its jobs."""
    said = {f"{label}: {count:,}" for label, count in case.counts}
    return {
        "case": case,
        "counts": [(label, f"{count:,}") for label, count in case.counts if count],
        "remarks": [one for one in case.remarks if one not in said],
    }


def _what(material: Material) -> str:
    """What the rows of the tables are."""
    compared = material.cases[0].compared if material.cases else "policy"
    return {"estimate": "Estimates", "machine": "Machines"}.get(compared, "Policies")


def _range(values: list[int]) -> str:
    if not values:
        return "0"
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} – {high:,}"


def _summary(material: Material, figures: Figures) -> dict[str, Any]:
    labels = {run.label for case in material.cases for run in case.runs}
    html = metric_titles(labels, material.metrics)
    overall = over_all(material.cases, material.metrics, material.confidence)
    said: list[tuple[Case, list[Markup], list[tuple[str, list[Markup]]]]] = []
    for case, found in zip_longest(material.cases, figures.cases):
        parts = summary(case, material.metrics, material.confidence)
        if found is None:
            said.append((case, [html(part) for part in parts], []))
            continue
        policies = policy_words(case, found.waits, material.metrics, material.confidence)
        names = metric_titles(labels | _mentioned(found.waits, policies), ())
        told = [
            (one.label, [*map(names, one.waits), *([html(one.price)] if one.price else [])])
            for one in policies
        ]
        opened = [names(one) for one in (opening(case, found.waits),) if one]
        notes = [names(typeset(one)) for one in found.notes if one]
        said.append((case, [*opened, *map(html, parts), *notes], told))
    return {
        "overall": [html(part) for part in overall],
        "cases": said,
        "caution": caution(material.cases),
        "history": any(run.is_history for case in material.cases for run in case.runs),
    }


def _mentioned(waits: Mapping[str, Waits], policies: Sequence[PolicyWords]) -> set[str]:
    """Names of groups in these sentences that a line could end within."""
    text = " ".join(sentence for one in policies for sentence in one.waits)
    groups = {
        group.name
        for one in waits.values()
        for some in one.groups.values()
        for group in some
        if "-" in group.name
    }
    return {name for name in groups if name in text}


def _comparison(material: Material, figures: Figures) -> dict[str, Any] | None:
    if not figures.cases:
        return None
    tables = [found.table for found in figures.cases]
    several = len(material.cases) > 1
    return {
        "what": _what(material),
        "withheld": all(case.withheld for case in material.cases),
        "shades": [shade_name(step) for step in SHADES],
        "replicas": any(case.replicas > 1 for case in material.cases),
        "metrics": [metric(name) for name in material.metrics],
        "noise": any(table.has_noise for table in tables),
        "overviews": [(metric(name), overview_table(material, name)) for name in material.metrics]
        if several
        else [],
        "tables": list(zip(material.cases, tables, strict=True)),
    }


def _charts(material: Material, figures: Figures) -> dict[str, Any] | None:
    if not figures.cases:
        return None
    return {
        "titles": [case.title for case in material.cases],
        "places": _places(figures.cases[0], nodes=figures.nodes),
        "sweeps": [place_of(chart, wide=True) for chart in figures.sweeps],
    }


def _places(first: CaseFigures, *, nodes: bool) -> list[ChartPlace]:
    """Those of a case; the scripts change their words when another one is chosen."""
    waits, slowdowns, queue, busy, area, classes, density = first.charts
    resources, stranded = first.node_charts
    of_nodes = [
        place_of(resources, wide=True),
        place_of(stranded, wide=True),
        ChartPlace(MAP, MAP_TITLE, MAP_LEAD, wide=True, selects=MAP_SELECTS),
    ]
    axes = (("Across", "pareto-x"), ("Up", "pareto-y"))
    return [
        place_of(first.pareto.chart(), wide=True, selects=axes),
        place_of(waits),
        place_of(slowdowns),
        place_of(queue, wide=True),
        place_of(busy, wide=True),
        place_of(density, wide=True),
        place_of(area, tall=True),
        place_of(classes, tall=True),
        place_of(first.users, wide=True, selects=((first.users.prompt, "user-policy"),)),
        *(of_nodes if nodes else []),
    ]


def _promises(material: Material, figures: Figures) -> PromiseSection:
    found = [one.promises for one in figures.cases]
    charts = [one.promised_waits for one in figures.cases]
    wide = any(len(one.panels) > 1 for one in charts)
    return promise_section(list(zip(material.cases, found, strict=True)), charts[0], wide=wide)
