"""The shipped studies give what was published, cell by cell, for five traces."""

from __future__ import annotations

import pytest

from packwise.experiments.tables.agreement import Outcome
from scripts.reproduce import compared, unexpected

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One store for both studies, which share scenarios."""
    return tmp_path_factory.mktemp("reproduction") / "store"


@pytest.mark.parametrize(
    ("name", "agree"), [("packing-and-fairness", 394), ("list-scheduling", 106)]
)
def test_every_cell(shared, store, name, agree):
    _, _, verdicts = compared(name, shared / "traces", shared / "published", store)
    assert unexpected(verdicts) == []
    assert sum(verdict.outcome is Outcome.AGREES for verdict in verdicts) == agree
