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
def test_one_log(shared, tmp_path):
    given = (shared / "traces", shared / "published", tmp_path / "store")
    _, _, verdicts = compared("cp-vs-backfilling-table2.csv", *given, log="KTH-SP2")
    judged = [verdict for verdict in verdicts if verdict.outcome is not Outcome.NOT_IN_STUDY]
    assert unexpected(judged) == []
    assert {verdict.workload for verdict in judged} == {"KTH-SP2"}
    assert sum(verdict.outcome is Outcome.AGREES for verdict in judged) == 22


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
