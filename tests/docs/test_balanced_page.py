"""The page of the balanced policy: verdicts by hand, tables, counts, the picture, and what goes where."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.balanced_page import (
    METRICS,
    Change,
    apart,
    changes_table,
    counted,
    logs_of,
    parts_of,
    plot,
    read_changes,
    users_table,
)
from scripts.page import filled

PAGE = Path(__file__).resolve().parents[2] / "docs" / "balanced.md"
HEAD = (
    "workload,machine,estimate,policy,metric,unit,value,half_width,change_percent,change_half_width,"
    "significant,replicas,pairs,reproducible\n"
)


@pytest.fixture
def changes(tmp_path):
    """Two logs: AF better, BSLD worse on one of them, the rest within the noise."""
    rows = []
    for log in ("KTH-SP2", "HPC2N"):
        for estimate in ("requested", "last2"):
            for policy in ("easy-sjbf", "list-reg", "packwise"):
                for name in METRICS:
                    change = {"AF": -10.0, "BSLD": 8.0 if log == "HPC2N" else 1.0}.get(name, 0.2)
                    rows.append(f"{log},,{estimate},{policy},{name},s,5,1,{change},2,yes,10,10,yes")
                values = {"users_worse": 3.0, "users_better": 40.0, "worst_size": -1.5}
                rows += [
                    f"{log},,{estimate},{policy},{name},%,{value},1,,,no,10,10,yes"
                    for name, value in values.items()
                    if log != "HPC2N" or name == "worst_size"
                ]
    (tmp_path / "table.csv").write_text(HEAD + "\n".join(rows) + "\n")
    return read_changes(tmp_path / "table.csv")


@pytest.mark.parametrize(
    ("percent", "half_width", "verdict"),
    [(-3.0, 1.0, -1), (3.0, 1.0, 1), (3.0, 3.5, 0), (0.4, 0.1, 0), (-0.4, 0.0, 0)],
)
def test_verdicts(percent, half_width, verdict):
    assert Change(1.0, percent, half_width).verdict == verdict


def test_tables(changes):
    assert logs_of(changes) == (["KTH-SP2"], ["HPC2N"])
    table = changes_table(changes, ["HPC2N"], ("AF", "BSLD", "P2SF"), "requested").splitlines()
    assert table[0] == "| log | AF | BSLD | P2SF |"
    assert table[2] == "| HPC2N | −10.0 ± 2.0 | **+8.0 ± 2.0** | ≈ +0.2 ± 2.0 |"
    users = users_table(changes, ["KTH-SP2", "HPC2N"]).splitlines()
    assert users[2].endswith("| 3 % / 40 % / −2 % |")
    assert users[3].endswith("| no users / −2 % |")


def test_what_is_counted(changes):
    assert counted(changes, ["KTH-SP2", "HPC2N"], ("AF", "BSLD"), "requested", "EASY") == (
        "Against EASY: of 4 cells, 2 are better, 1 cannot be told from it, and 1 are worse: BSLD on HPC2N +8 %."
    )
    assert counted(changes, ["KTH-SP2"], ("AF",), "requested", "EASY").endswith("0 are worse.")


def test_labels_do_not_cover_each_other():
    assert apart([(3.0, "b"), (2.0, "a"), (40.0, "c")], least=5.0) == [
        (2.0, "a"),
        (7.0, "b"),
        (40.0, "c"),
    ]


def test_the_page_has_a_place_for_everything(changes):
    page = filled(PAGE.read_text(), parts_of(changes, changes, changes))
    assert "BSLD on HPC2N +8 %" in page
    assert "<!-- begin speed -->" in page


@pytest.mark.slow
def test_the_picture(changes, tmp_path):
    plot(changes, tmp_path / "balanced.png")
    assert (tmp_path / "balanced.png").stat().st_size > 10_000
