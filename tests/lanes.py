"""Lanes: tests that need machines, or take long by nature, and what puts a test into one.

A test is in the lane of its marker, or of a fixture that needs what the lane is about. All tests that are in
none, and those that are marked ``smoke``, are ``quick``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import is_hypothesis_test

LANES = ("slow", "slurm", "database", "browser", "dask", "kills", "bounds", "papers")

#: Fixtures that start something which all tests of a process share.
STARTED_ONCE = {"real_slurm": "slurm", "real_accounts": "database", "browser": "browser"}


def broad(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """Cases of one thing, of which ``make test`` tries the first; the others are slow."""
    first, *_ = cases = list(cases)
    several = isinstance(first, tuple) and not hasattr(first, "marks")
    made = [
        one if hasattr(one, "marks") else pytest.param(*(one if several else (one,)))
        for one in cases
    ]
    return [
        one
        if k < quick
        else pytest.param(*one.values, marks=[*one.marks, pytest.mark.slow], id=one.id)
        for k, one in enumerate(made)
    ]


def sort(items: Iterable[pytest.Item]) -> None:
    """Mark what the tests tell by themselves."""
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if lane := STARTED_ONCE.get(fixture):
                item.add_marker(lane)
                item.add_marker(pytest.mark.xdist_group(lane))
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("draws")
        if item.get_closest_marker("smoke") or not any(map(item.get_closest_marker, LANES)):
            item.add_marker("quick")
