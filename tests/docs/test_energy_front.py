"""The page on cost and waiting says what was measured."""

from __future__ import annotations

import pytest

from benchmarks.dispatchers_store import Store
from benchmarks.energy_front import STORE, cases, key_of
from scripts.energy_front import PAGE, at_wait, beaten, parts
from scripts.page import filled

KNOWN = Store(STORE).known


def test_everything_is_measured() -> None:
    assert {
        key_of(log, believed, family, chosen.name) for log, believed, family, chosen in cases()
    } == set(KNOWN)


def test_the_page_is_what_the_store_says() -> None:
    page = PAGE.read_text()
    assert filled(page, parts(KNOWN)) == page


def test_between_the_points_of_a_front() -> None:
    front = [(1.0, 0.0), (2.0, 10.0)]
    assert at_wait(front, 1.5) == pytest.approx(5.0)
    assert at_wait(front, 0.5) is None
    assert at_wait(front, 2.5) is None


def test_who_beats_whom() -> None:
    """EASY waits an hour and pays 100; ours saves 10 % at 2 h. A rule with 5 % at 2 h loses, one with 20 %
    wins.
    """

    def one(wait: float, cost: float) -> dict[str, float]:
        return {"wait": wait * 3600, "energy_cost": cost}

    known = {
        "KTH-SP2|exact|base|easy": one(1, 100),
        "KTH-SP2|exact|ours|a": one(1, 100),
        "KTH-SP2|exact|ours|b": one(2, 90),
        "KTH-SP2|exact|cheapest|c": one(2, 95),
        "KTH-SP2|exact|night|d": one(2, 80),
        "KTH-SP2|exact|night|e": one(3, 91),
    }
    assert beaten(known, "KTH-SP2") == (2, 3)
