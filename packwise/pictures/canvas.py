"""The canvas: one look for all pictures, written whole or not at all, the same bytes every time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from packwise.extras import extra
from packwise.files.output import atomic_output
from packwise.model.errors import InputError

FORMATS: Final = ("png", "svg", "pdf")
DAY: Final = 86400
INK, GREY, RULE = "#22272f", "#6b7280", "#e6e9ee"
STYLE: Final[dict[str, Any]] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8a919c",
    "axes.labelcolor": INK,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": RULE,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "text.parse_math": False,  # a name with dollars in it is no formula
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.hashsalt": "packwise",
}


@contextmanager
def picture(path: str | os.PathLike[str], size: tuple[float, float]) -> Iterator[Any]:
    """A figure that is written to ``path`` once it is drawn."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InputError(f"{path}: a picture should end in .png, .svg or .pdf, found '.{suffix}'.")
    with extra("pictures need", "matplotlib", "plot"):
        import matplotlib
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    nameless = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Creator": None},
    }
    with matplotlib.rc_context(dict[Any, Any](STYLE)):
        spacing = ConstrainedLayoutEngine(w_pad=0.14, h_pad=0.12, hspace=0.05, wspace=0.03)
        figure = Figure(figsize=size, dpi=130, layout=spacing)
        yield figure
        drawn = BytesIO()
        figure.savefig(drawn, format=suffix, metadata=nameless[suffix])
    with atomic_output(path) as stream:
        stream.write(drawn.getvalue())
