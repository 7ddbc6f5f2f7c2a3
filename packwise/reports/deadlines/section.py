"""The section about deadlines: words, numbers, and places for the figures."""

from __future__ import annotations

from dataclasses import dataclass

from packwise.reports.charts.chart import Chart
from packwise.reports.charts.place import ChartPlace, place_of
from packwise.reports.deadlines.charts import DeadlineFigures
from packwise.reports.deadlines.quantities import (
    MISSES_DAY,
    MISSES_LONGER,
    STRETCH,
    USAGE,
    WAIT_ALL,
    WAIT_REGULAR,
    Quantity,
)
from packwise.reports.deadlines.tables import case_quantities, quantity_table
from packwise.reports.deadlines.words import lead_words
from packwise.reports.heat.table import HeatTable

#: What is in the table of a figure, by the figure's name.
_TABLES: dict[str, tuple[Quantity, ...]] = {
    **{f"deadline-{one.key}": (one,) for one in (WAIT_REGULAR, WAIT_ALL, STRETCH, USAGE)},
    "deadline-misses": (MISSES_DAY, MISSES_LONGER),
}


@dataclass(frozen=True)
class DeadlineSection:
    """Cases of a sweep have their numbers below the figures, others a table of their own."""

    lead: str
    tables: tuple[tuple[str, HeatTable], ...]
    places: tuple[ChartPlace, ...]


def deadline_section(found: DeadlineFigures) -> DeadlineSection:
    alone = [one for place in found.places if not place.swept for one in place.cases]
    several = len(found.places) > 1
    return DeadlineSection(
        lead_words(found.places),
        tuple((one.case.title if several else "", case_quantities(one)) for one in alone),
        tuple(_place(chart, found) for chart in found.charts),
    )


def _place(chart: Chart, found: DeadlineFigures) -> ChartPlace:
    swept = [place for place in found.places if place.swept]
    quantities = _TABLES.get(chart.name, ()) if swept else ()
    tables = tuple(
        (one.title if len(quantities) > 1 else "", quantity_table(swept, one)) for one in quantities
    )
    wide = len(chart.panels) > 1 or chart.name == "deadline-misses"
    return place_of(chart, wide=wide, tables=tables)
