"""Moments by the clock of a site, through the nights in which it is changed."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.model.errors import InputError
from packwise.workloads.loading import load_workload
from packwise.workloads.records.times import Clock
from packwise.workloads.records.values import WRONG
from tests.workloads.records import site

BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-01-05T12:00:00", 1704452400),
        ("2024-01-05 12:00:00", 1704452400),
        ("2024-01-05T12:00", 1704452400),
        ("2024-01-05T11:00:00+00:00", 1704452400),
        ("2024-01-05T11:00:00Z", 1704452400),
        ("2024-01-05T12:00:00.75", 1704452400),
        ("1704452400", 1704452400),
        ("1704452400.9", 1704452400),
        ("Unknown", -1),
        ("", -1),
        ("0000-00-00T00:00:00", WRONG),
        ("soon", WRONG),
        ("1" * 30, WRONG),
    ],
)
def test_one_moment(text: str, expected: int) -> None:
    import polars as pl

    clock = Clock(ZoneInfo(BERLIN), BERLIN)
    assert clock.unix(pl.Series([text])).tolist() == [expected]


@given(
    st.lists(st.integers(0, 2**31), min_size=1, max_size=20),
    st.sampled_from([BERLIN, "America/St_Johns", "UTC"]),
)
def test_there_and_back(moments: list[int], zone: str) -> None:
    """But for the hour that comes twice, of which the first is taken."""
    import polars as pl

    texts = [site.clock(moment, zone) for moment in moments]
    found = Clock(ZoneInfo(zone), zone).unix(pl.Series(texts)).tolist()
    for moment, back in zip(moments, found, strict=True):
        first = datetime.fromtimestamp(moment, ZoneInfo(zone)).replace(fold=0).timestamp()
        assert back == first


def test_run_times_tell_the_hour_that_comes_twice(tmp_path: Path) -> None:
    """On 27 October 2024 at 03:00 clocks in Berlin went back to 02:00."""
    change = 1729990800
    job = site.jobs(1)[0]
    moves = [(-7200, -3000), (-600, 600), (600, 1200), (600, 7200)]
    some = [
        site.replace(job, id=k, submit=change - 9000, eligible=change - 9000, start=change + a, end=change + b,
                     limit=86400, task=-1)
        for k, (a, b) in enumerate(moves)
    ]  # fmt: skip
    path = tmp_path / "dump.txt"
    path.write_text(site.sacct(some, zone=BERLIN))
    jobs = load_workload(path, time_zone=BERLIN).workload
    starts = (jobs.start_time + jobs.submit + jobs.extra["wait"]).tolist()
    assert jobs.runtime.tolist() == [b - a for a, b in moves]
    assert starts[:2] == [change + a for a, _ in moves[:2]]
    assert starts[3] == change + 600
    # Both ends in the second hour: nothing tells that, and the first is taken.
    assert starts[2] == change + 600 - 3600
    assert jobs.time_zone == BERLIN


def test_a_change_of_clock_is_noticed_without_a_zone(tmp_path: Path) -> None:
    change = 1729990800
    job = site.replace(site.jobs(1)[0], submit=change - 9000, eligible=change - 9000, start=change - 7200,
                       end=change + 7200, limit=86400)  # fmt: skip
    path = tmp_path / "dump.txt"
    path.write_text(site.sacct([job], zone=BERLIN))
    from packwise.workloads.trace import load_trace
    from packwise.workloads.window import Window

    remarks = load_trace(path, None, Window()).remarks()
    assert any("differ by an hour from end less start: 1" in line for line in remarks)
    assert any("taken as UTC: --time-zone" in line for line in remarks)
    assert not any(
        "UTC" in line for line in load_trace(path, None, Window(time_zone=BERLIN)).remarks()
    )
    with pytest.raises(InputError, match="expected a time zone such as"):
        load_workload(path, time_zone="Mars/Olympus")


def test_a_start_is_not_before_its_submission(tmp_path: Path) -> None:
    """Submitted at 02:50 and started at 02:05 of the second hour: fifteen minutes later."""
    change = 1729990800
    job = site.replace(site.jobs(1)[0], submit=change - 600, eligible=change - 600, start=change + 300,
                       end=change + 900, limit=3600, task=-1)  # fmt: skip
    path = tmp_path / "dump.txt"
    path.write_text(site.sacct([job], zone=BERLIN))
    jobs = load_workload(path, time_zone=BERLIN).workload
    assert jobs.extra["wait"].tolist() == [900]
    assert jobs.runtime.tolist() == [600]
