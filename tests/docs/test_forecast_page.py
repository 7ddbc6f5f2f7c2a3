"""What the page of forecasts says in words is what its tables say."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks-forecast.md"
#: Those who wait on Thunder do so on few days: the page says that its shares are off.
FEW_DAYS = "LLNL-Thunder"


def tables():
    """The rows of each table by the headings above it, as dictionaries."""
    found, heading, head = {}, "", None
    for line in PAGE.read_text(encoding="utf-8").split("\n"):
        if line.startswith("#"):
            heading, head = line.lstrip("# "), None
        elif line.startswith("|") and not line.startswith("|--"):
            cells = [cell.strip(" *") for cell in line.split("|")[1:-1]]
            if head is None:
                head = cells
            else:
                found.setdefault(heading, []).append(dict(zip(head, cells, strict=True)))
    return found


def percent(cell):
    return float(cell.rstrip(" %"))


def test_quantiles_hold_within_five_points():
    found = tables()
    rows = [row for row in found["Judged"] + found["Chosen on"] if row["log"] != FEW_DAYS]
    assert len(rows) == 12
    off = [
        (row["log"], row["truth"], level)
        for row in rows
        for level in (10, 50, 90)
        if abs(percent(row[f"by P{level}"]) - level) > 5
    ]
    assert off == [("SDSC-DS", "easy", 50)]  # as the page says


def test_where_the_policy_is_known_the_median_error_is_small():
    found = tables()
    rows = found["Judged, median error"] + found["Chosen on, median error"]
    known = [row for row in rows if row["truth"] == "easy"]
    assert len(known) == 7
    assert all(float(row["P50 to best rival"]) <= 0.5 for row in known)


def test_what_the_page_admits():
    ratio = {
        (row["log"], row["truth"]): float(row["P50 to best rival"])
        for row in tables()["Judged, mean error"]
    }
    assert ratio.pop(("HPC2N", "easy")) > 1
    for (_, truth), value in ratio.items():
        assert value <= (0.75 if truth == "easy" else 1.05)
