"""Pictures of plans: written whole, the same bytes for the same plans, for small and large machines."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.model.errors import InputError
from packwise.pictures.plan import Queue, plot_plans
from tests.ink import drawn_figures, panel_ink, read_png, shows


def ints(*values):
    return np.array(values, np.int64)


def a_queue(**changes):
    """Job 1 holds 7 of 10 processors until 100; at 20 three jobs wait."""
    facts = {
        "title": "five at 20",
        "now": 20,
        "procs": 10,
        "running_demand": ints(7),
        "expected_end": ints(100),
        "id": ints(2, 3, 4),
        "demand": ints(10, 2, 1),
        "estimate": ints(50, 200, 30),
    }
    return Queue(**{**facts, **changes})


PLANS = [("list-reg", ints(100, 150, 20)), ("list-saf costs $5", ints(220, 20, 20))]


def words(path):
    """All texts of a picture, which an SVG has as comments."""
    return [
        line.strip()[5:-4].strip()
        for line in path.read_text().splitlines()
        if line.strip().startswith("<!--")
    ]


def test_what_is_written_in_it(tmp_path):
    plot_plans(a_queue(), PLANS, tmp_path / "p.svg")
    shown = words(tmp_path / "p.svg")
    for text in ("five at 20", "list-reg", "minutes from now", "processors", "starts now"):
        assert text in shown
    assert shown.count("2") >= 2  # job 2 in both panels
    plot_plans(a_queue(), PLANS, tmp_path / "again.svg")
    assert (tmp_path / "p.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()


def boxes(axes):
    """Left, right, bottom and top of the boxes of a panel; frames around those that start now come after."""
    found = []
    for collection in axes.collections:
        corners = [path.vertices for path in collection.get_paths()]
        found.append(
            [
                (*c.min(axis=0)[:1], *c.max(axis=0)[:1], c[:, 1].min(), c[:, 1].max())
                for c in corners
            ]
        )
    return found


def test_every_job_has_its_box_and_colour(tmp_path):
    """In minutes from now. Running: 7 processors until 80 s. Then jobs 2, 3 and 4 of both plans."""
    with drawn_figures() as figures:
        plot_plans(a_queue(), PLANS, tmp_path / "p.png")
    (figure,) = figures
    assert all(covered > 20_000 for covered in panel_ink(figure))
    first, second = (boxes(axes) for axes in figure.axes)
    filled, framed = first
    assert len(filled) == 1 + 3
    assert filled[0][1:] == pytest.approx((80 / 60, 0, 7))
    assert filled[1] == pytest.approx((80 / 60, 130 / 60, 0, 10))
    assert filled[2] == pytest.approx((130 / 60, 330 / 60, 0, 2))
    assert filled[3] == pytest.approx((0, 30 / 60, 7, 8))
    assert framed == [filled[3]]
    assert [len(part) for part in second] == [4, 2]
    pixels = read_png(tmp_path / "p.png")
    for wanted in ("#d5d9e0", "#0072B2", "#E69F00", "#009E73"):  # running, and three jobs
        assert shows(pixels, wanted) > 0.005, wanted


def test_one_job_on_an_empty_machine(tmp_path):
    queue = a_queue(
        running_demand=ints(),
        expected_end=ints(),
        id=ints(1),
        demand=ints(1),
        estimate=ints(1),
    )
    with drawn_figures() as figures:
        plot_plans(queue, [("only", ints(20))], tmp_path / "p.png")
    assert panel_ink(figures[0])[0] > 20_000


def test_a_large_machine(tmp_path):
    """200 running and 100 waiting jobs on 100,000 processors; each waiting job behind the last one."""
    n = np.arange(100)
    queue = a_queue(
        procs=100_000,
        running_demand=np.full(200, 500),
        expected_end=3600 + 60 * np.arange(200),
        id=n + 300_000,
        demand=np.full(100, 100_000),
        estimate=np.full(100, 600),
    )
    with drawn_figures() as figures:
        plot_plans(queue, [("in order", 20_000 + 600 * n)], tmp_path / "p.svg")
    assert len(boxes(figures[0].axes[0])[0]) == 200 + 100
    assert panel_ink(figures[0])[0] > 100_000
    assert "100,000" in words(tmp_path / "p.svg")


def test_a_few_late_jobs_do_not_squeeze_the_others(tmp_path):
    """Nine jobs end after 100 s, the tenth starts after a day: the first minutes are shown."""
    queue = a_queue(
        running_demand=ints(5, 4),
        expected_end=ints(10**6, 40),
        id=np.arange(10),
        demand=np.full(10, 1),
        estimate=np.full(10, 10),
    )
    start = np.append(20 + 10 * np.arange(9), 86_420)
    plot_plans(queue, [("late", start)], tmp_path / "p.svg")
    shown = words(tmp_path / "p.svg")
    assert "late; 1 more further right" in shown
    assert "seconds from now" in shown
    assert "0" in shown  # on the axis of times; processors 0 to 4 are held and left out
    assert "10" in shown


def test_refusals(tmp_path):
    with pytest.raises(InputError, match=r"should end in \.png"):
        plot_plans(a_queue(), PLANS, tmp_path / "p.bmp")
    with pytest.raises(InputError, match="needs 10 processors"):
        plot_plans(a_queue(), [("too much", ints(20, 20, 20))], tmp_path / "p.png")
