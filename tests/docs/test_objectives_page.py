"""The page of the objectives: distances by hand, tables, counts, and what goes where."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.balanced_page import read_changes
from scripts.objectives_page import (
    ESTIMATES,
    LISTS,
    OBJECTIVES,
    best_list,
    counted,
    distance,
    distances_table,
    known,
    parts_of,
)
from scripts.page import filled
from tests.docs.test_balanced_page import HEAD

PAGE = Path(__file__).resolve().parents[2] / "docs" / "objectives-on-logs.md"


@pytest.fixture
def values(tmp_path):
    """Lists have 10, 11, ... by each metric; ours 5, but BSLD 12 on one log."""
    rows = []
    for log in ("KTH-SP2", "HPC2N"):
        for estimate in ESTIMATES:
            for name in (*OBJECTIVES, "max_wait"):
                day = 86_400 if name == "max_wait" else 1
                cells = {one: 10 + k for k, one in enumerate(LISTS)}
                cells |= {
                    f'"packwise(objective={one})"': 12 if (log, name) == ("HPC2N", "BSLD") else 5
                    for one in OBJECTIVES
                }
                rows += [
                    f"{log},,{estimate},{one},{name},s,{value * day},,,,no,2,2,yes"
                    for one, value in cells.items()
                ]
    (tmp_path / "table.csv").write_text(HEAD + "\n".join(rows) + "\n")
    return read_changes(tmp_path / "table.csv")


def test_distances(values):
    assert best_list(values, "HPC2N", "exact", "BSLD") == ("list-reg", 10.0)
    assert distance(values, "HPC2N", "exact", "BSLD") == pytest.approx(20.0)
    assert distance(values, "HPC2N", "exact", "AF") == pytest.approx(-50.0)


def test_a_log_with_a_result_missing_is_left_out(values):
    assert known(values, ["KTH-SP2", "HPC2N"]) == ["KTH-SP2", "HPC2N"]
    del values["HPC2N", "exact", "easy", "AF"]
    assert known(values, ["KTH-SP2", "HPC2N"]) == ["KTH-SP2"]


def test_tables(values):
    row = distances_table(values, ["HPC2N"], "exact").splitlines()[2]
    assert row == "| HPC2N | −50.0 (REG) | −50.0 (REG) | **+20.0 (REG)** | −50.0 (REG) | 5 / 10 |"
    said = counted(values, ["HPC2N"]).splitlines()
    assert (
        said[4] == "- BSLD, exact: 0 of 1 within 1 % or better, +20 % in the mean; not HPC2N +20 %."
    )
    assert said[0] == "- AF, exact: 1 of 1 within 1 % or better, −50 % in the mean."


def test_the_page_has_a_place_for_every_part(values):
    text = filled(PAGE.read_text(), parts_of(values))
    assert "not HPC2N +20 %" in text
