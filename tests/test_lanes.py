"""Lanes are told of where markers are, and each random case is drawn by the one setting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import draws
from tests.lanes import LANES

TESTS = Path(__file__).parent


def test_every_lane_is_a_marker_that_says_what_it_is(pytestconfig):
    said = dict(line.split(": ", 1) for line in pytestconfig.getini("markers") if ": " in line)
    assert {name for name, words in said.items() if words.startswith("a lane")} == set(LANES)


@pytest.mark.parametrize(
    ("asked", "found"), [("few", (8, 3)), ("all", (60, 3)), ("tenfold", (600, 30))]
)
def test_one_setting_says_how_much_is_drawn(monkeypatch, asked, found):
    monkeypatch.setattr(draws, "_asked", asked)
    assert (draws.draws(60), draws.draws(3)) == found


def test_no_test_draws_by_a_number_of_its_own():
    own = re.compile(r"max_examples=(?!draws)")
    found = [str(path) for path in TESTS.rglob("*.py") if own.search(path.read_text("utf-8"))]
    assert found == [__file__]  # where the words stand, too
