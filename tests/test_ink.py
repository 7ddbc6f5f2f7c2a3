"""The measure of ink itself: blank pictures have none, however much is around them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ink import colour, drawn_figures, ink, panel_ink, points, read_png, shows


def figure_with(draw):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    figure.suptitle("A title")
    for axes in (left, right):
        axes.set(title="A panel", xlabel="x", ylabel="y", xlim=(0, 1), ylim=(0, 1))
        axes.grid(True)
    draw(right)
    return figure


@pytest.mark.slow
def test_axes_and_titles_are_no_data():
    assert panel_ink(figure_with(lambda axes: None)) == [0, 0]
    assert panel_ink(figure_with(lambda axes: axes.plot([], [], label="none"))) == [0, 0]
    assert panel_ink(figure_with(lambda axes: axes.plot([5, 6], [5, 6]))) == [0, 0]  # outside


@pytest.mark.parametrize(
    "draw",
    [
        lambda axes: axes.plot([0, 1], [0, 1]),
        lambda axes: axes.bar([0.5], [0.5]),
        lambda axes: axes.scatter([0.5], [0.5]),
        lambda axes: axes.pcolormesh([0, 0.5, 1], [0, 1], [[1, 2]]),
        lambda axes: axes.text(0.2, 0.5, "words"),
    ],
)
def test_data_are(draw):
    empty, drawn = panel_ink(figure_with(draw))
    assert empty == 0
    assert drawn > 20


def test_hiding_leaves_the_figure_as_it_was(tmp_path):
    figure = figure_with(lambda axes: axes.plot([0, 1], [0, 1]))
    assert panel_ink(figure) == panel_ink(figure)
    assert [points(axes) for axes in figure.axes] == [[], [2]]


def test_pixels(tmp_path):
    with drawn_figures() as figures:
        figure_with(lambda axes: axes.axvspan(0, 1, color="#0072b2")).savefig(tmp_path / "a.png")
        figure_with(lambda axes: None).savefig(tmp_path / "b.png")
    assert len(figures) == 2
    full, bare = (read_png(tmp_path / name) for name in ("a.png", "b.png"))
    assert ink(full) > 0.2 > ink(bare) > 0
    assert colour(full) > 0.2
    assert colour(bare) == shows(bare, "#0072b2") == 0
    assert shows(full, "#0072b2") > 0.2
    assert ink(np.full((4, 4, 3), 255)) == 0
