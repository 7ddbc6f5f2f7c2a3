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


def broad(cases: Iterable[Any], quick: int = 1, lane: str = "slow") -> list[Any]:
    """Cases of one thing, of which ``make test`` tries the first; the others are in a lane."""
    marks = [[], [getattr(pytest.mark, lane)]]
    return [_param(case, marks[k >= quick]) for k, case in enumerate(cases)]


def by_kind(names: Iterable[str]) -> list[Any]:
    """Policies, of which ``make test`` tries one of each kind."""
    kinds = ("easy", "saf-easy", "list-saf", "laf-aggressive", "cbf", "dbf", "packwise", "slurm")
    known = sorted(names, key=lambda name: (name not in kinds, name))
    return broad(known, quick=sum(name in kinds for name in known))


def _param(case: Any, marks: list[pytest.MarkDecorator]) -> Any:
    if hasattr(case, "marks"):  # one already
        return pytest.param(*case.values, marks=[*case.marks, *marks], id=case.id)
    return pytest.param(*(case if type(case) is tuple else (case,)), marks=marks)


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
