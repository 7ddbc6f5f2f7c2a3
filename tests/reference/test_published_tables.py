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
    ("table", "agree", "explained"),
    [
        ("cp-vs-backfilling-table2.csv", 109, 0),
        ("packing-and-fairness-table2.csv", 400, 0),
        ("packing-and-fairness-table3.csv", 109, 1),
        ("packing-and-fairness-table4.csv", 109, 1),
    ],
)
def test_every_cell(shared, store, table, agree, explained):
    """To the printed digit: the studies set no tolerance."""
    results, _, verdicts = compared(table, shared / "traces", shared / "published", store)
    assert results.study.published.tolerances == ()
    assert unexpected(verdicts) == []
    found = [verdict.outcome for verdict in verdicts]
    assert (found.count(Outcome.AGREES), found.count(Outcome.EXPLAINED)) == (agree, explained)
