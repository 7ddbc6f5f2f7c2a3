"""An empty place for a chart, which the scripts fill; its words are there without them."""

from __future__ import annotations

from html import escape

from packwise.reports.chart import Chart


def place_html(
    chart: Chart, controls: str = "", *, wide: bool = False, tall: bool = False, below: str = ""
) -> str:
    """``below`` is HTML that belongs to the figure, such as its numbers."""
    kind = "chart" + (" wide" if wide else "") + (" tall" if tall else "")
    return (
        f'<figure class="{kind}" id="{chart.name}"><figcaption><h3>{escape(chart.title)}</h3>'
        f'<p class="caption">{escape(chart.caption)}</p></figcaption>{controls}'
        f'<div class="plot needs-script" role="img" aria-label="{escape(chart.title)}"></div>'
        f"{below}</figure>"
    )


def numbers_html(tables: str) -> str:
    """The numbers behind a figure, folded away: who cannot see the figure needs them."""
    return f'<details class="numbers"><summary>The numbers</summary>{tables}</details>'
