"""Pictures of plans: written whole, the same bytes for the same plans, for small and large machines."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.model.errors import InputError
from packwise.pictures.plan import Queue, plot_plans


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


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_formats_and_determinism(tmp_path, suffix, magic):
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        plot_plans(a_queue(), PLANS, file)
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(magic)
    assert first == second


def test_what_is_written_in_it(tmp_path):
    plot_plans(a_queue(), PLANS, tmp_path / "p.svg")
    shown = words(tmp_path / "p.svg")
    for text in ("five at 20", "list-reg", "minutes from now", "processors", "starts now"):
        assert text in shown
    assert shown.count("2") >= 2  # job 2 in both panels


def test_one_job_on_an_empty_machine(tmp_path):
    queue = a_queue(
        running_demand=ints(),
        expected_end=ints(),
        id=ints(1),
        demand=ints(1),
        estimate=ints(1),
    )
    plot_plans(queue, [("only", ints(20))], tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 5_000


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
    plot_plans(queue, [("in order", 20_000 + 600 * n)], tmp_path / "p.svg")
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
