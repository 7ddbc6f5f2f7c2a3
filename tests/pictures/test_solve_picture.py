"""The picture of what the off-line optimiser reached: the line, the bound, and other schedules."""

from __future__ import annotations

import math

import pytest

from packwise.model.errors import InputError
from packwise.pictures.solve import Convergence, plot_convergence
from tests.ink import colour, drawn_figures, panel_ink, points, read_png, shows


def found(**changes):
    facts = {
        "title": "log: 40 jobs, cost $5",
        "metric": "AF",
        "seconds": [0.0, 1.0, 3.0, 10.0],
        "values": [1000.0, 900.0, 850.0, 840.0],
        "bound": 800.0,
        "gap": 40 / 840,
        "others": {"easy": 1100.0, "far": 5000.0},
    }
    return Convergence(**{**facts, **changes})


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_formats_and_determinism(tmp_path, suffix, magic):
    """All pictures are written by the same canvas."""
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        plot_convergence(found(), file)
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(magic)
    assert first == second


def test_the_line_the_bound_and_what_is_near(tmp_path):
    with drawn_figures() as figures:
        plot_convergence(found(), tmp_path / "s.png")
    (axes,) = figures[0].axes
    assert points(axes) == [4, 2, 2]  # the steps, easy, the bound; the other is too far off
    assert [line.get_ydata()[0] for line in axes.lines] == [1000, 1100, 800]
    assert {text.get_text() for text in axes.texts} == {"reached  840", "easy", "bound  800"}
    assert "16.00 % below" in axes.get_title(loc="left")
    assert panel_ink(figures[0])[0] > 2_000
    pixels = read_png(tmp_path / "s.png")
    assert shows(pixels, "#0072B2") > 0.001
    assert shows(pixels, "#009E73") > 0.0005


def test_one_value_and_no_bound(tmp_path):
    one = found(seconds=[2.0], values=[7.0], bound=math.nan, gap=math.nan, others={})
    with drawn_figures() as figures:
        plot_convergence(one, tmp_path / "s.png")
    assert points(figures[0].axes[0]) == [2]
    assert panel_ink(figures[0])[0] > 500
    assert colour(read_png(tmp_path / "s.png")) > 0.001


def test_refusals(tmp_path):
    with pytest.raises(InputError, match=r"should end in \.png"):
        plot_convergence(found(), tmp_path / "s.bmp")
