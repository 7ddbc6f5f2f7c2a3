"""Ink: how much of a picture is drawn upon. One that came out blank has none, whatever its size in bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

#: Rows, columns, and red, green, blue from 0 to 255.
Pixels = NDArray[np.int64]
#: Colours differ if one of their parts does by more than this; grey is what differs less within.
_SLIGHT = 24


class Sheet(NamedTuple):
    """A page of a PDF: the words on it, and how it looks."""

    words: str
    pixels: Pixels


def read_png(source: Path | bytes) -> Pixels:
    """A picture in a file, or as the bytes of one."""
    from matplotlib.image import imread

    content = BytesIO(source if isinstance(source, bytes) else source.read_bytes())
    return np.round(255 * imread(content, format="png")[:, :, :3]).astype(np.int64)


def read_pdf(path: Path) -> list[Sheet]:
    """All pages, as a printer would have them."""
    pdfium = pytest.importorskip("pypdfium2", reason="needs pypdfium2")
    document = pdfium.PdfDocument(path)
    try:
        return [
            Sheet(
                page.get_textpage().get_text_range(),
                page.render(scale=1.0, rev_byteorder=True).to_numpy()[:, :, :3].astype(np.int64),
            )
            for page in document
        ]
    finally:
        document.close()


def ink(pixels: Pixels) -> float:
    """The share of the pixels that differ from the commonest colour: the paper."""
    number = (pixels << (16, 8, 0)).sum(axis=2)
    paper = int(np.argmax(np.bincount(number.ravel())))
    parts = np.array([paper >> 16, paper >> 8 & 255, paper & 255])
    return float((np.abs(pixels - parts).max(axis=2) > _SLIGHT).mean())


def colour(pixels: Pixels) -> float:
    """The share of the pixels that are neither white nor grey nor black: axes and words are."""
    return float((np.ptp(pixels, axis=2) > _SLIGHT).mean())


def shows(pixels: Pixels, wanted: str) -> float:
    """The share of the pixels that have about this colour, '#rrggbb'."""
    parts = np.array([int(wanted[at : at + 2], 16) for at in (1, 3, 5)])
    return float((np.abs(pixels - parts).max(axis=2) <= _SLIGHT).mean())


@contextmanager
def drawn_figures() -> Iterator[list[Any]]:
    """The figures that Matplotlib writes in this block, in order."""
    from matplotlib.figure import Figure

    found: list[Any] = []
    write = Figure.savefig

    def keep(figure: Any, *arguments: Any, **options: Any) -> None:
        found.append(figure)
        write(figure, *arguments, **options)
        figure.set_layout_engine("none")  # all is in its place

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", keep)
        yield found


def panel_ink(figure: Any) -> list[int]:
    """Of each panel, how many pixels its data cover: what goes if they are hidden.

    Axes, grids, titles and legends are not data; a colour bar is no panel.
    """
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # nothing moves when something is hidden
    panels = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    data = [
        artist
        for axes in panels
        for artist in (*axes.lines, *axes.collections, *axes.patches, *axes.images, *axes.texts)
        if artist.get_visible()
    ]
    kept = {figure.patch, *panels, *(axes.patch for axes in panels), *data}
    parts = [part for owner in (figure, *panels) for part in owner.get_children()]
    others = [part for part in parts if part not in kept and part.get_visible()]
    _show(others, False)
    whole = _painted(figure)
    _show(data, False)
    changed = np.abs(whole - _painted(figure)).max(axis=2) > _SLIGHT
    _show([*others, *data], True)
    found = []
    for axes in panels:
        box = axes.get_window_extent()
        height = len(changed)
        top, bottom = max(int(height - box.y1), 0), int(np.ceil(height - box.y0))
        left, right = max(int(box.x0), 0), int(np.ceil(box.x1))
        found.append(int(changed[top:bottom, left:right].sum()))
    return found


def points(axes: Any) -> list[int]:
    """How many points each line of a panel has."""
    return [len(line.get_xdata()) for line in axes.lines]


def _show(artists: Sequence[Any], visible: bool) -> None:
    for artist in artists:
        artist.set_visible(visible)


def _painted(figure: Any) -> Pixels:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].astype(np.int64)
