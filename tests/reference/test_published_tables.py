"""The shipped studies give what was published, cell by cell, for five traces."""

from __future__ import annotations

import pytest

from packwise.experiments.tables.agreement import Outcome
from scripts.reproduce import compared, unexpected

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One store for all studies, which share scenarios."""
    return tmp_path_factory.mktemp("reproduction") / "store"


@pytest.mark.papers
@pytest.mark.parametrize(
    ("table", "agree"),
    [
        ("cp-vs-backfilling-table2.csv", 106),
        ("packing-and-fairness-table2.csv", 394),
        ("packing-and-fairness-table3.csv", 104),
        ("packing-and-fairness-table4.csv", 106),
    ],
)
def test_every_cell(shared, store, table, agree):
    _, _, verdicts = compared(table, shared / "traces", shared / "published", store)
    assert unexpected(verdicts) == []
    assert sum(verdict.outcome is Outcome.AGREES for verdict in verdicts) == agree
