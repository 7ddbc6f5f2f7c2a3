"""What the page of deadline-based backfilling says in words is what its tables say."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "deadline-backfilling.md"
LOGS = ("SDSC-BLUE", "SDSC-DS", "HPC2N")


def rows_of(log):
    """The numbers of each policy by column, from the table of a log."""
    text = PAGE.read_text(encoding="utf-8")
    part = text.partition(f"<!-- begin policies {log} -->")[2].partition("<!-- end")[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.split("\n")]
    head, _, *rows = [row for row in cells if row]
    return {
        row[0].strip("`"): dict(zip(head[1:], map(float, row[1:]), strict=True)) for row in rows
    }


def ratios(policy, other, column):
    tables = [rows_of(log) for log in LOGS]
    return [table[policy][column] / table[other][column] for table in tables]


def test_the_optimising_policy_beside_dbf():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert "wait 27 to 47 % less at a share of 20 % and 8 to 18 % less at 80 %" in text
    for share, most, least in (("20 %", 47, 27), ("80 %", 18, 8)):
        found = ratios("packwise(objective=AF)", "dbf", f"regular, {share}")
        assert [round(100 - 100 * one) for one in (min(found), max(found))] == [most, least]
        assert max(ratios("packwise(objective=AF)", "dbf", f"with deadline, {share}")) < 1
        missed = [(rows_of(log)["packwise(objective=AF)"], rows_of(log)["dbf"]) for log in LOGS]
        assert all(
            ours[f"missed, {share}"] <= theirs[f"missed, {share}"] for ours, theirs in missed
        )


def test_what_ignoring_deadlines_costs():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert "wait 15 to 20 % longer at 20 %, and 1.8 to 3.4 times as long at 80 %" in text
    ignoring, hard = "packwise(objective=AF,deadlines=ignore)", "packwise(objective=AF)"
    at_20 = ratios(ignoring, hard, "regular, 20 %")
    assert [round(min(at_20), 2), round(max(at_20), 2)] == [1.15, 1.2]
    at_80 = ratios(ignoring, hard, "regular, 80 %")
    assert [round(min(at_80), 1), round(max(at_80), 1)] == [1.8, 3.4]
