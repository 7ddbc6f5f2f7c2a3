"""What the page of benchmarks says in words is what its tables say."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks-optimise.md"


def rows_of(section):
    """The cells of the tables in a section of the page that is written by a script."""
    text = PAGE.read_text(encoding="utf-8")
    text = text[text.index(f"<!-- begin {section} -->") : text.index(f"<!-- end {section} -->")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]


def test_a_thousand_orders_beat_a_second_of_cp_sat():
    above = {}
    compared = 0
    for row in rows_of("rounds"):
        if row[:1] == ["metric"]:
            above = {}
        if len(row) == 10 and row[3].endswith("%"):
            metric, _, plan, value, *_ = row
            above[metric, plan] = float(value.rstrip(" %"))
            if plan == "CP-SAT from the best list, 1 s":
                assert above[metric, "search, 1000"] < above[metric, plan]
                compared += 1
    assert compared == 2 * 3  # logs, metrics
