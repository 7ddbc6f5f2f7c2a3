"""An empty place for a chart, which the scripts fill; its words are there without them."""

from __future__ import annotations

from dataclasses import dataclass

from packwise.reports.charts.chart import Chart, Choice
from packwise.reports.heat.table import HeatTable


@dataclass(frozen=True)
class ChartPlace:
    """``selects`` are (prompt, id) of the controls above it, ``tables`` the numbers behind it with headings."""

    name: str
    title: str
    caption: str
    wide: bool = False
    tall: bool = False
    selects: tuple[tuple[str, str], ...] = ()
    tables: tuple[tuple[str, HeatTable], ...] = ()


def place_of(
    chart: Chart | Choice,
    *,
    wide: bool = False,
    tall: bool = False,
    selects: tuple[tuple[str, str], ...] = (),
    tables: tuple[tuple[str, HeatTable], ...] = (),
) -> ChartPlace:
    """The place of one chart, or of one at a time."""
    note = chart.note if isinstance(chart, Chart) else ""
    caption = f"{chart.caption} {note}".rstrip()
    return ChartPlace(chart.name, chart.title, caption, wide, tall, selects, tables)
