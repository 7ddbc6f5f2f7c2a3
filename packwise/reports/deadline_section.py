"""The section about deadlines: words, numbers, and places for the figures."""

from __future__ import annotations

from html import escape

from packwise.reports.chart import Chart
from packwise.reports.chart_place import numbers_html, place_html
from packwise.reports.deadline_charts import DeadlineFigures
from packwise.reports.deadline_quantities import (
    MISSES_DAY,
    MISSES_LONGER,
    STRETCH,
    USAGE,
    WAIT_ALL,
    WAIT_REGULAR,
    Quantity,
)
from packwise.reports.deadline_tables import case_quantities, quantity_table
from packwise.reports.deadline_words import lead_words
from packwise.reports.tables import heat_html

#: What is in the table of a figure, by the figure's name.
_TABLES: dict[str, tuple[Quantity, ...]] = {
    **{f"deadline-{one.key}": (one,) for one in (WAIT_REGULAR, WAIT_ALL, STRETCH, USAGE)},
    "deadline-misses": (MISSES_DAY, MISSES_LONGER),
}


def deadlines_html(found: DeadlineFigures) -> str:
    """All of it; cases of a sweep have their numbers below the figures, others a table of their own."""
    alone = [one for place in found.places if not place.swept for one in place.cases]
    several = len(found.places) > 1
    tables = "".join(
        (f"<h3>{escape(one.case.title)}</h3>" if several else "") + heat_html(case_quantities(one))
        for one in alone
    )
    figures = "".join(_figure(chart, found) for chart in found.charts)
    return (
        f'<section id="deadlines"><h2>Deadlines</h2><p class="prose">'
        f'{escape(lead_words(found.places))}</p>{tables}<div class="grid">{figures}</div></section>'
    )


def _figure(chart: Chart, found: DeadlineFigures) -> str:
    swept = [place for place in found.places if place.swept]
    quantities = _TABLES.get(chart.name, ()) if swept else ()
    shown = "".join(
        (f"<h4>{escape(one.title)}</h4>" if len(quantities) > 1 else "")
        + heat_html(quantity_table(swept, one))
        for one in quantities
    )
    wide = len(chart.panels) > 1 or chart.name == "deadline-misses"
    return place_html(chart, wide=wide, below=numbers_html(shown) if shown else "")
