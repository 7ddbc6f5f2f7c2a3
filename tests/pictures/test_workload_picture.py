"""Pictures: the formats, odd workloads, and refusals. How they look is for people to judge."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from packwise.model.errors import InputError, OutputError
from packwise.model.workload import Workload
from packwise.pictures.canvas import picture
from packwise.pictures.workload import plot_workload
from packwise.workloads.lublin import generate
from tests.ink import drawn_figures, panel_ink, read_png, shows
from tests.lanes import broad

NAME = r"cost $\bad{$ 5 a_b^c $x$ <&>"
ONE = Workload.of([(0, 1, 1, 1)])


@pytest.mark.slow
def test_the_same_bytes_each_time(tmp_path: Path) -> None:
    workload = generate(200, 64, 1, load=0.7)
    for name in ("a", "b"):
        plot_workload(workload, 64, tmp_path / f"{name}.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_every_panel_shows_all_jobs(tmp_path: Path) -> None:
    workload = generate(400, 64, 1, load=0.7).replace(name=NAME)
    with drawn_figures() as figures:
        plot_workload(workload, 64, tmp_path / "w.png")
    (figure,) = figures
    assert NAME in figure.get_suptitle()
    panel = {axes.get_title(loc="left").partition(" by ")[0]: axes for axes in figure.axes}
    hours, weekdays, used, times, sizes, load = figure.axes[:6]
    assert len(panel) >= 5
    for axes, bars in ((hours, 24), (weekdays, 7), (used, 20)):
        heights = [bar.get_height() for bar in axes.patches]
        assert len(heights) == bars
        assert sum(heights) == pytest.approx(100)
    assert [max(line.get_ydata()) for line in times.lines] == pytest.approx([100, 100])
    assert sum(bar.get_height() for bar in sizes.patches) == pytest.approx(
        200
    )  # jobs, and their work
    (stairs,) = load.patches
    assert stairs.get_data().values.max() > 0
    assert all(covered > 1_000 for covered in panel_ink(figure))
    pixels = read_png(tmp_path / "w.png")
    assert shows(pixels, "#2f6db5") > 0.05
    assert shows(pixels, "#e07b39") > 0.005


@pytest.mark.parametrize(
    "workload",
    broad(
        [
            ONE,
            Workload.of([(0, 5, 2**39, 2**40), (2**40, 2**40, 1, 1)]),
            generate(50, 1_000_000, 2),
        ]
    ),
    ids=["one job", "extremes", "wide"],
)
def test_odd_workloads(tmp_path: Path, workload: Workload) -> None:
    with drawn_figures() as figures:
        plot_workload(workload, 4, tmp_path / "odd.svg")
    assert all(covered > 100 for covered in panel_ink(figures[0]))


@pytest.mark.parametrize("name", ["x.jpg", "x", "x.swf"])
def test_other_suffixes(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"\.png, \.svg or \.pdf"):
        plot_workload(ONE, 4, tmp_path / name)


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install 'packwise\[plot\]'"):
        plot_workload(ONE, 4, tmp_path / "x.png")


def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(OutputError, match="No space left"),
        picture(tmp_path / "x.png", (1.0, 1.0)),
    ):
        pass
    assert list(tmp_path.iterdir()) == []
