"""Pictures of queues: the distribution by hand, both panels or one, the same bytes for the same runs."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, ListPolicy, Workload, simulate
from packwise.model.errors import InputError
from packwise.pictures.lines import line_colours, line_dashes, run_labels
from packwise.pictures.queue import (
    IN_ROUNDS,
    OVER_TIME,
    Queue,
    distribution,
    plot_queues,
    plot_run_queues,
    queues_of,
)
from tests.ink import drawn_figures, panel_ink, read_png, shows

# On four processors: 1 runs 0..40, 2 needs all of them, 3 fits beside 1, 4 waits behind 2.
JOBS = Workload.of([(0, 3, 40, 40), (10, 4, 20, 90), (20, 1, 20, 20), (60, 2, 10, 10)])


@pytest.fixture(scope="module")
def runs():
    policies = (ListPolicy(name="a"), ListPolicy(name="b", depth=1))
    return [simulate(JOBS, Cluster.pool(4), policy) for policy in policies]


def words(path):
    """All texts of a picture, which an SVG has as comments."""
    lines = map(str.strip, path.read_text().splitlines())
    return [line[5:-4].strip() for line in lines if line.startswith("<!--")]


def a_queue(label="a", sizes=(0, 1, 1, 4)):
    days = np.array([0.0, 1.0, 2.0])
    return Queue(label, days, np.array([0.0, 3.0, 0.0]), np.array(sizes, np.int64))


@pytest.mark.parametrize(
    ("sizes", "size", "share"),
    [
        ([0, 1, 1, 4], [0, 1, 4], [25, 75, 100]),
        ([3, 2, 3, 3, 3], [0, 2, 3], [0, 20, 100]),  # nobody ever found the queue empty
        ([0, 0], [0], [100]),
        ([], [0], [100]),
    ],
)
def test_the_distribution_by_hand(sizes, size, share):
    found = distribution(np.array(sizes, np.int64))
    assert found[0].tolist() == size
    assert found[1].tolist() == pytest.approx(share)


def test_the_queue_of_a_run(runs):
    """Job 2 waits from 10 until 40; nobody else does. The rounds: 0, 10, 20, 40 (two ends), 60, 70."""
    queue = queues_of(runs)[0]
    assert queue.label == "a"
    assert queue.sizes.tolist() == [1, 1, 2, 1, 1, 0]
    width = np.diff(queue.days[:2])[0]
    assert queue.days[-1] * 86400 == pytest.approx(40)
    assert (queue.length[:-1] * width * 86400).sum() == pytest.approx(30)


@pytest.mark.slow
def test_the_same_bytes_each_time(runs, tmp_path):
    files = [tmp_path / f"{name}.svg" for name in "ab"]
    for file in files:
        plot_run_queues(runs, 0, file)
    first, second = (file.read_bytes() for file in files)
    assert first == second


def test_lines_are_the_queues(runs, tmp_path):
    with drawn_figures() as figures:
        plot_run_queues(runs, 0, tmp_path / "q.png")
    (figure,) = figures
    over_time, in_rounds = figure.axes
    for line, queue in zip(over_time.lines, queues_of(runs), strict=True):
        assert line.get_xdata().tolist() == queue.days.tolist()
        assert line.get_ydata().tolist() == queue.length.tolist()
    for line, queue in zip(in_rounds.lines, queues_of(runs), strict=True):
        size, share = distribution(queue.sizes)
        assert line.get_xdata()[:-1].tolist() == size.tolist()
        assert line.get_ydata()[:-1].tolist() == share.tolist()
    assert all(covered > 1_000 for covered in panel_ink(figure))
    assert shows(read_png(tmp_path / "q.png"), "#0072B2") > 0.0005  # b, which is not the baseline


@pytest.mark.parametrize("panel", [OVER_TIME, IN_ROUNDS])
def test_one_panel(tmp_path, panel):
    titles = {OVER_TIME: "Jobs waiting over time", IN_ROUNDS: "Rounds by the length of the queue"}
    with drawn_figures() as figures:
        plot_queues("Two logs", [a_queue("x"), a_queue("y")], tmp_path / "q.svg", panels=[panel])
    (covered,) = panel_ink(figures[0])
    assert covered > 1_000
    shown = words(tmp_path / "q.svg")
    assert {"Two logs", "x", "y", titles[panel]} <= set(shown)
    assert titles[OVER_TIME if panel == IN_ROUNDS else IN_ROUNDS] not in shown


def test_many_long_labels(tmp_path):
    queues = [a_queue(f"packwise(objective=P2SF,seed={i})", [0, 10**i]) for i in range(6)]
    plot_queues("Many", queues, tmp_path / "q.svg")
    assert {"10", "100,000", "packwise(objective=P2SF,seed=5)"} <= set(words(tmp_path / "q.svg"))


def test_refusals(tmp_path):
    with pytest.raises(InputError, match="one queue or more"):
        plot_queues("None", [], tmp_path / "q.png")
    with pytest.raises(InputError, match=r"should end in \.png, \.svg or \.pdf"):
        plot_queues("Wrong", [a_queue()], tmp_path / "q.bmp")


def test_labels_and_lines(runs):
    assert run_labels(runs) == ["a", "b"]
    other = simulate(JOBS, Cluster.pool(4), ListPolicy(name="a"), estimate_of_exact())
    assert run_labels([runs[0], other]) == ["a / requested", "a / exact"]
    colours = line_colours(10, 2)
    assert colours[2] not in colours[:2] + colours[3:]
    assert (
        colours[0] == colours[8]
    )  # the seven colours come again after the baseline, with other dashes
    dashes = line_dashes(10)
    assert dashes[0] == dashes[7] != dashes[8]


def estimate_of_exact():
    from packwise.predict import Exact

    return Exact()
