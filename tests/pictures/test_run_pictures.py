"""Pictures of runs: written whole, the same bytes for the same runs, refused suffixes."""

from __future__ import annotations

import pytest

from packwise import Cluster, ListPolicy, Workload, simulate
from packwise.model.errors import InputError
from packwise.pictures.comparison import METRICS, plot_comparison
from packwise.pictures.replay import plot_replay
from tests.ink import colour, drawn_figures, ink, panel_ink, points, read_png

#: No formula, and no tags.
NAME = r"cost $\bad{$ 5 a_b^c $x$ <&>'" + '"'
JOBS = Workload.of([(0, 3, 40, 40), (10, 4, 20, 90), (20, 1, 300, 500), (60, 2, 10, 10)], NAME)


@pytest.fixture(scope="module")
def runs():
    policies = (ListPolicy(name="a"), ListPolicy(name=NAME, depth=1))
    return [simulate(JOBS, Cluster.pool(4), policy) for policy in policies]


@pytest.mark.slow
def test_the_same_bytes_each_time(runs, tmp_path):
    files = [tmp_path / f"{name}.svg" for name in "abcd"]
    plot_comparison(runs, 0, files[0])
    plot_comparison(runs, 0, files[1])
    plot_replay(runs[0], files[2])
    plot_replay(runs[0], files[3])
    content = [file.read_bytes() for file in files]
    assert content[0] == content[1]
    assert content[2] == content[3]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_comparison_shows_all_runs(runs, tmp_path):
    with drawn_figures() as figures:
        plot_comparison(runs, 0, tmp_path / "c.png")
    (figure,) = figures
    table, waits, queue = figure.axes
    assert len(table.patches) == len(METRICS) * len(runs)
    shown = [text.get_text() for text in table.texts]
    assert {*METRICS, "a", NAME} <= set(shown)
    assert NAME in figure.get_suptitle()
    assert all(count > 1 for axes in (waits, queue) for count in points(axes))
    assert [len(axes.lines) for axes in (waits, queue)] == [2, 2]
    assert all(covered > 500 for covered in panel_ink(figure))
    assert ink(read_png(tmp_path / "c.png")) > 0.02


def test_a_replay_shows_queue_and_processors(runs, tmp_path):
    with drawn_figures() as figures:
        plot_replay(runs[0], tmp_path / "r.png")
    (figure,) = figures
    assert NAME in figure.get_suptitle()
    queue, busy = figure.axes
    heights = [axes.collections[0].get_paths()[0].vertices[:, 1].max() for axes in (queue, busy)]
    assert heights == [2, 100]  # jobs 2 and 3 wait for job 1; then all processors are busy
    assert panel_ink(figure)[0] > 1_000
    assert panel_ink(figure)[1] > 50_000
    pixels = read_png(tmp_path / "r.png")
    assert ink(pixels) > 0.05
    assert colour(pixels) > 0.05


def test_refusals(runs, tmp_path):
    with pytest.raises(InputError, match=r"should end in \.png, \.svg or \.pdf"):
        plot_replay(runs[0], tmp_path / "picture.bmp")
    with pytest.raises(InputError, match="one of the 2 runs, found 2"):
        plot_comparison(runs, 2, tmp_path / "picture.png")
