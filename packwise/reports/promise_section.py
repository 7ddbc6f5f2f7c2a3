"""The section about promises: who was told a start, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from packwise.readable import duration
from packwise.reports.chart import Chart
from packwise.reports.chart_place import numbers_html, place_html
from packwise.reports.material import Case
from packwise.reports.promise_words import promise_words
from packwise.reports.promises import Kinds, Promised
from packwise.reports.readings import MINUS, NARROW
from packwise.reports.tables import scrolling

_COLUMNS = (
    ("promised", "jobs that were told a start"),
    ("at once", "started when they were submitted"),
    ("earlier", "waited, but not as long as promised"),
    ("as promised", "to the second"),
    ("broken", "started later than promised"),
    ("gain", "mean of promised start less start"),
)


def promises_html(
    cases: Sequence[tuple[Case, Mapping[str, Kinds]]], chart: Chart, *, wide: bool
) -> str:
    """A table of all cases that have promises, and a place for the figure of the chosen case."""
    there = [(case, found) for case, found in cases if found]
    words = "".join(f"<p>{escape(part)}</p>" for part in promise_words([one for _, one in there]))
    table = _table(there, grouped=len(cases) > 1)
    if len(there) > 1:
        table = numbers_html(table)
    return (
        f'<section id="promises"><h2>Promises kept</h2><div class="prose">{words}</div>{table}'
        f'<div class="grid">{place_html(chart, wide=wide)}</div></section>'
    )


def _table(there: Sequence[tuple[Case, Mapping[str, Kinds]]], *, grouped: bool) -> str:
    head = "".join(
        f'<th scope="col"><span class="name">{name}</span><span class="sub">{text}</span></th>'
        for name, text in _COLUMNS
    )
    bodies = []
    for case, found in there:
        rows = [
            _row(label, kind, one) for label, kinds in found.items() for kind, one in kinds.items()
        ]
        bodies.append(f"<tbody>{_group(case) if grouped else ''}{''.join(rows)}</tbody>")
    what = there[0][0].compared.capitalize()
    return scrolling(
        "Promises",
        f'<table class="heat"><thead><tr><th scope="col" class="corner">{what}</th>{head}</tr></thead>'
        f"{''.join(bodies)}</table>",
    )


def _group(case: Case) -> str:
    wide = 1 + len(_COLUMNS)
    return f'<tr class="group"><th scope="rowgroup" colspan="{wide}">{escape(case.title)}</th></tr>'


def _row(label: str, kind: str, one: Promised) -> str:
    parts = [(one.told, one.jobs)]
    parts += [(part, one.told) for part in (one.at_once, one.earlier, one.exact, one.late)]
    cells = "".join(
        f'<td><span class="value">{part:,}</span><span class="change">{_percent(part, whole)}</span>'
        "</td>"
        for part, whole in parts
    )
    gain = f"{MINUS}{duration(-one.gain)}" if one.gain < 0 else duration(one.gain)
    return (
        f'<tr><th scope="row">{escape(label)}<span class="sub">{kind}</span></th>{cells}'
        f'<td><span class="value">{gain}</span></td></tr>'
    )


def _percent(part: int, whole: int) -> str:
    if not whole:
        return "–"
    share = 100 * part / whole
    text = f"{share:.1f}" if not part or share >= 0.05 else "< 0.1"
    return f"{text}{NARROW}%"
