"""The report: one HTML file that opens without a network."""

from __future__ import annotations

import os
from collections.abc import Callable
from html import escape
from importlib import resources
from typing import Final

from packwise.files.output import atomic_output
from packwise.model.errors import InputError
from packwise.reports.coding import packed
from packwise.reports.document import body_html
from packwise.reports.figures import Figures, compute
from packwise.reports.material import Material
from packwise.reports.payload import payload
from packwise.reports.tables import heat_css

#: The scripts, in the order in which they need each other.
SCRIPTS: Final = (
    "unpack.js",
    "theme.js",
    "chart.js",
    "charts.js",
    "gantt_layout.js",
    "gantt_paint.js",
    "gantt_axes.js",
    "gantt_input.js",
    "gantt.js",
    "start.js",
)


def write_report(
    material: Material,
    path: str | os.PathLike[str],
    *,
    progress: Callable[[str], None] | None = None,
    figures: Figures | None = None,
) -> None:
    """Write the report of ``material`` to ``path``; the same material gives the same bytes.

    ``progress`` is called with a label as each run is read. ``figures`` (from ``compute``) saves
    the reading where static figures are made as well. Needs the extra ``report`` (Plotly).
    """
    plotly = _plotly()
    if figures is None:
        figures = compute(material, progress)
    if progress:
        progress("writing the page")
    blocks = [("plotly", packed(plotly.encode())), ("figures", packed(payload(material, figures)))]
    blocks += [(f"gantt-{k}", case.gantt.packed()) for k, case in enumerate(figures.cases)]
    stored = "\n".join(
        f'<script type="application/gzip" id="data-{name}">{text}</script>' for name, text in blocks
    )
    scripts = "\n".join(_asset(name) for name in SCRIPTS)
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Packwise">
<title>{escape(material.title)}</title>
<style>
{_asset("page.css")}
{_asset("print.css")}
{heat_css()}
</style>
</head>
<body>
<noscript><p class="notice">Charts need JavaScript. The words and tables below do not.</p></noscript>
<p class="notice" id="notice" hidden></p>
<main>
{body_html(material, figures)}
</main>
<footer><p>Made by Packwise. This page is one file and loads nothing from the network.</p></footer>
{stored}
<script>
(() => {{
"use strict";
{scripts}
}})();
</script>
</body>
</html>
"""
    with atomic_output(path) as stream:
        stream.write(page.encode("utf-8", "replace"))


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise InputError(
            "reports need plotly, which is not installed. Run: pip install 'packwise[report]'."
        ) from error
    return str(get_plotlyjs())


def _asset(name: str) -> str:
    return resources.files("packwise.reports").joinpath("assets", name).read_text("utf-8").strip()
