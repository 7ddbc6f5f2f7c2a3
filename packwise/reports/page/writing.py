"""The report: one HTML file that opens without a network."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from typing import Final

from packwise.extras import extra
from packwise.files.output import atomic_output
from packwise.reports.coding import packed
from packwise.reports.figures import Figures, compute
from packwise.reports.heat.shades import shade_css
from packwise.reports.material import Material
from packwise.reports.page.document import sections
from packwise.reports.page.payload import payload
from packwise.reports.page.rendering import rendered

#: The scripts, in the order in which they need each other.
SCRIPTS: Final = (
    "unpack.js",
    "theme.js",
    "clock.js",
    "chart.js",
    "node_map.js",
    "charts.js",
    "gantt_layout.js",
    "gantt_paint.js",
    "gantt_axes.js",
    "gantt_input.js",
    "gantt.js",
    "paper.js",
    "jobs_csv.js",
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
    the reading where static figures are made as well. Needs the extra ``report`` (Plotly, Jinja).
    """
    plotly = _plotly()
    if figures is None:
        figures = compute(material, progress)
    if progress:
        progress("writing the page")
    page = _page(material, figures, plotly)
    with atomic_output(path) as stream:
        stream.write(page.encode("utf-8", "replace"))


def _page(material: Material, figures: Figures, plotly: str) -> str:
    with extra("reports need", "jinja2", "report"):
        from markupsafe import Markup
    blocks = [("plotly", _packed_library(plotly)), ("figures", packed(payload(material, figures)))]
    blocks += [(f"gantt-{k}", case.gantt.packed()) for k, case in enumerate(figures.cases)]
    style = "\n".join((_asset("page.css"), _asset("print.css"), shade_css()))
    script = _script()
    return rendered(
        "page.html",
        **sections(material, figures),
        allowed=_allowed(script, plotly),
        blocks=blocks,
        style=Markup(style),
        script=Markup(script),
    )


@lru_cache(maxsize=1)  # of all reports the same, and most of the time that writing one takes
def _packed_library(text: str) -> str:
    return packed(text.encode())


def _script() -> str:
    """All of them in one function: what they name is theirs alone."""
    inside = "\n".join(_asset(name) for name in SCRIPTS)
    return f'\n(() => {{\n"use strict";\n{inside}\n}})();\n'


def _allowed(*scripts: str) -> str:
    """What the browser may do: run these scripts, and nothing that has got into the page by other ways."""
    known = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {known}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")


def _plotly() -> str:
    with extra("reports need", "plotly", "report"):
        from plotly.offline import get_plotlyjs
    return str(get_plotlyjs())


def _asset(name: str) -> str:
    folder = resources.files("packwise.reports.page").joinpath("assets")
    return folder.joinpath(name).read_text("utf-8").strip()
