"""The page around the figures: header, words, tables, places for charts, provenance."""

from __future__ import annotations

from html import escape

from packwise.metrics.catalogue import metric
from packwise.reports.chart_place import place_html
from packwise.reports.deadline_section import deadlines_html
from packwise.reports.figures import Figures
from packwise.reports.heat import overview_table
from packwise.reports.material import Case, Material
from packwise.reports.promise_section import promises_html
from packwise.reports.prose import metric_titles
from packwise.reports.readings import typeset
from packwise.reports.tables import heat_html, legend_html, pairs_html
from packwise.reports.words import caution, over_all, summary


def body_html(material: Material, figures: Figures) -> str:
    """All sections, in reading order. Charts are empty places that the scripts fill."""
    sections = [
        _header(material),
        _missing(material),
        _summary(material),
        _comparison(material, figures),
        _charts(material, figures),
        _gantt(material),
        _policies(material),
        _glossary(material),
        _provenance(material),
    ]
    return "\n".join(part for part in sections if part)


def _header(material: Material) -> str:
    cases = material.cases
    compared = {run.label for case in cases for run in case.runs}
    facts = [
        ("Jobs", _range([case.jobs for case in cases])),
        ("Processors", _range([case.procs for case in cases])),
        (_what(cases[0].compared if cases else "policy"), f"{len(compared):,}"),
    ]
    if len(cases) > 1:
        facts.append(("Cases", f"{len(cases):,}"))
    replicas = [case.replicas for case in cases]
    if max(replicas, default=1) > 1:
        facts.append(("Replicas", _range(replicas)))
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    text = "".join(
        f"<p>{escape(part)}</p>" for part in material.description.split("\n\n") if part.strip()
    )
    return (
        '<header class="top"><button id="theme" type="button" aria-label="Switch between light and '
        'dark">◐</button><p class="eyebrow">Scheduling report</p>'
        f'<h1>{escape(material.title)}</h1><div class="lead">{text}</div>'
        f'<dl class="facts">{listed}</dl></header>'
    )


def _what(compared: str) -> str:
    """What the rows of the tables are."""
    return {"estimate": "Estimates", "machine": "Machines"}.get(compared, "Policies")


def _range(values: list[int]) -> str:
    if not values:
        return "0"
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} – {high:,}"


def _missing(material: Material) -> str:
    if not material.missing:
        return ""
    count = len(material.missing)
    title = "1 scenario has no result" if count == 1 else f"{count:,} scenarios have no result"
    items = "".join(
        f"<li><b>{escape(name)}</b>: {escape(reason)}</li>" for name, reason in material.missing
    )
    opened = " open" if count <= 8 else ""
    return (
        f'<aside class="warning"><details{opened}><summary>{title}. This report is incomplete.'
        f"</summary><ul>{items}</ul></details></aside>"
    )


def _summary(material: Material) -> str:
    labels = {run.label for case in material.cases for run in case.runs}
    html = metric_titles(labels, material.metrics)
    overall = over_all(material.cases, material.metrics, material.confidence)
    parts = [f"<p>{html(part)}</p>" for part in overall]
    for case in material.cases:
        said = "".join(
            f"<p>{html(part)}</p>" for part in summary(case, material.metrics, material.confidence)
        )
        remarks = "".join(f"<li>{escape(typeset(remark))}</li>" for remark in case.remarks)
        notes = f'<ul class="remarks">{remarks}</ul>' if remarks else ""
        parts.append(f"{_case_title(case)}{said}{notes}")
    if warned := caution(material.cases):
        parts.append(f'<p class="note">{escape(warned)}</p>')
    return _section("summary", "Summary", f'<div class="prose">{"".join(parts)}</div>')


def _case_title(case: Case) -> str:
    facts = f"{case.jobs:,} jobs, {case.procs:,} processors"
    if case.replicas > 1:
        facts += f", {case.replicas:,} replicas"
    return f'<h3>{escape(case.title)} <span class="sub">{facts}</span></h3>'


def _comparison(material: Material, figures: Figures) -> str:
    tables = [found.table for found in figures.cases]
    legend = legend_html(
        any(table.has_noise for table in tables),
        any(case.replicas > 1 for case in material.cases),
    )
    overview = _overview(material) if len(material.cases) > 1 else ""
    several = len(tables) > 1
    parts = [
        (_case_title(case) if several else "") + heat_html(table)
        for case, table in zip(material.cases, tables, strict=True)
    ]
    what = _what(tables[0].compared)
    return _section("comparison", f"{what} and metrics", legend + overview + "".join(parts))


def _overview(material: Material) -> str:
    options = "".join(
        f'<option value="{k}">{escape(name)}: {escape(metric(name).title)}</option>'
        for k, name in enumerate(material.metrics)
    )
    tables = "".join(
        f'<div class="overview" data-metric="{k}"><h4>{escape(name)}</h4>'
        f"{heat_html(overview_table(material, name))}</div>"
        for k, name in enumerate(material.metrics)
    )
    return (
        '<h3>All cases</h3><p class="control needs-script"><label>Metric '
        f'<select id="overview-metric">{options}</select></label></p>{tables}'
    )


def _charts(material: Material, figures: Figures) -> str:
    if not figures.cases:
        return ""
    options = "".join(
        f'<option value="{k}">{escape(case.title)}</option>'
        for k, case in enumerate(material.cases)
    )
    single = " hidden" if len(material.cases) == 1 else ""
    first = figures.cases[0]
    bar = (
        f'<div class="bar needs-script"><label id="case-control"{single}>Case <select id="case">{options}'
        '</select></label><div id="policies" class="policies" role="group" '
        'aria-label="Policies shown in the charts"></div></div>'
    )
    waits, slowdowns, queue, busy, area, classes = first.charts
    places = [
        place_html(first.pareto.chart(), _pareto_controls(), wide=True),
        place_html(waits),
        place_html(slowdowns),
        place_html(queue, wide=True),
        place_html(busy, wide=True),
        place_html(area, tall=True),
        place_html(classes, tall=True),
        f'<figure class="chart wide" id="users"><figcaption><h3>{escape(first.users.title)}</h3>'
        f'<p class="caption">{escape(first.users.caption)}</p></figcaption><p class="control">'
        '<label>Policy <select id="user-policy"></select></label></p>'
        f'<div class="plot" role="img" aria-label="{escape(first.users.title)}"></div></figure>',
    ]
    text = "Click a policy to hide or show it in all charts."
    return (
        '<section id="charts"><div class="needs-script"><h2>Charts</h2>'
        f'<p class="hint">{text}</p></div>{bar}'
        f'<div class="needs-script"><div class="grid">{"".join(places)}</div>{_sweeps(figures)}</div>'
        f"{_deadlines(figures)}{_promises(material, figures)}</section>"
    )


def _deadlines(figures: Figures) -> str:
    return deadlines_html(figures.deadlines) if figures.deadlines else ""


def _promises(material: Material, figures: Figures) -> str:
    if not figures.promises:
        return ""
    found = [one.promises for one in figures.cases]
    pairs = list(zip(material.cases, found, strict=True))
    charts = [one.promised_waits for one in figures.cases]
    return promises_html(pairs, charts[0], wide=any(len(one.panels) > 1 for one in charts))


def _pareto_controls() -> str:
    return (
        '<p class="control"><label>Across <select id="pareto-x"></select></label> '
        '<label>Up <select id="pareto-y"></select></label></p>'
    )


def _sweeps(figures: Figures) -> str:
    """In the same section as the charts, as all that follows in it: they share its legend."""
    places = "".join(place_html(chart, wide=True) for chart in figures.sweeps)
    if not places:
        return ""
    return f'<h2 id="sweeps">Sweeps</h2><div class="grid">{places}</div>'


def _gantt(material: Material) -> str:
    if not material.cases:
        return ""
    colours = "".join(
        f'<option value="{name}">{text}</option>'
        for name, text in (("wait", "wait"), ("user", "user"), ("size", "size"))
    )
    peak = "the moment with most jobs waiting under the baseline"
    keys = (
        "Wheel or pinch zooms, dragging moves, double-click shows everything. With the keyboard: "
        "+ and − zoom, arrows move, Page Up and Page Down zoom the processors, 0 shows everything. "
        f"“Longest queue” goes to {peak}."
    )
    return _section(
        "gantt",
        "Which job ran when",
        f'<h3 id="gantt-case">{escape(material.cases[0].title)}</h3>'
        '<p class="caption">Time runs to the right, processors upwards; each job takes the lowest '
        f'numbers that are free.</p><p class="hint">{keys}</p>'
        '<p class="control"><label>Policy <select id="gantt-policy"></select></label> '
        f'<label>Colour by <select id="gantt-colour">{colours}</select></label> '
        '<span class="buttons"><button type="button" id="gantt-out" aria-label="Zoom out">−'
        '</button><button type="button" id="gantt-in" aria-label="Zoom in">+</button>'
        f'<button type="button" id="gantt-peak" title="Go to {peak}">Longest queue</button>'
        '<button type="button" id="gantt-all">All</button></span></p>'
        '<p class="note" id="gantt-note"></p><div class="gantt" id="gantt-frame">'
        '<canvas id="gantt-jobs" aria-hidden="true"></canvas><canvas id="gantt-canvas" tabindex="0" '
        'role="application" aria-label="Gantt chart of all jobs" aria-describedby="gantt-range">'
        '</canvas><div id="gantt-tip" role="status" hidden></div></div>'
        '<p class="legend" id="gantt-legend"></p>'
        '<p class="hint" id="gantt-range" aria-live="polite"></p>',
        script=True,
    )


def _policies(material: Material) -> str:
    if not material.glossary:
        return ""
    items = "".join(
        f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in material.glossary
    )
    return _section("labels", "What the policies do", f'<dl class="glossary">{items}</dl>')


def _glossary(material: Material) -> str:
    items = "".join(
        f"<dt>{escape(one.name)} <span>{escape(one.title)}, {one.better} is better</span></dt>"
        f"<dd><p>{escape(one.meaning)}</p><p class=formula>{escape(one.formula)}</p></dd>"
        for one in map(metric, material.metrics)
    )
    return _section("metrics", "What the metrics mean", f'<dl class="glossary">{items}</dl>')


def _provenance(material: Material) -> str:
    text = "<p class=caption>Where these numbers come from, so that they can be made again.</p>"
    table = pairs_html(material.provenance, "Provenance") if material.provenance else ""
    return _section("provenance", "Provenance", text + table)


def _section(name: str, title: str, content: str, *, script: bool = False) -> str:
    kind = ' class="needs-script"' if script else ""
    return f'<section id="{name}"{kind}><h2>{title}</h2>{content}</section>'
