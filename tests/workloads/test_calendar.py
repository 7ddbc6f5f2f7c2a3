"""Dates for times of a log, by the clock of its site."""

from __future__ import annotations

import pytest

from packwise.model.errors import InputError
from packwise.model.workload import Workload
from packwise.workloads.calendar import parse_when, time_of
from packwise.workloads.window import Window

BERLIN = "Europe/Berlin"
#: 26 October 2024 00:00 in Berlin; in the night to the 27th clocks go back.
START = 1729893600
JOBS = Workload.of([(3600 * k, 1, 10, 10) for k in range(72)]).replace(
    start_time=START, time_zone=BERLIN
)


def test_what_is_a_date() -> None:
    assert parse_when("7d", "--from") == 7 * 86400
    assert parse_when("3600", "--from") == 3600
    assert parse_when("2024-01-05", "--from") == "2024-01-05T00:00:00"
    assert parse_when("2024-01-05T12:00", "--from") == "2024-01-05T12:00:00"
    assert parse_when(" 2024-01-05 12:00:01 ", "--from") == "2024-01-05T12:00:01"
    for wrong in ("2024-13-05", "2024-01-05T25:00", "2024-1", "next week"):
        with pytest.raises(InputError, match="--from: expected"):
            parse_when(wrong, "--from")


def test_days_that_span_a_change_of_clock() -> None:
    """The 27th has 25 hours."""
    assert time_of(JOBS, "2024-10-27T00:00:00") == 86400
    assert time_of(JOBS, "2024-10-28T00:00:00") == 86400 + 25 * 3600
    assert time_of(JOBS, "2024-10-26T22:00:00+00:00") == 86400
    day = Window(start="2024-10-27T00:00:00", end="2024-10-28T00:00:00").apply(JOBS, 1)
    assert len(day) == 25
    assert day.submit[0] == 86400
    assert (
        "from 2024-10-27 00:00:00 until 2024-10-28 00:00:00"
        in Window(start="2024-10-27T00:00:00", end="2024-10-28T00:00:00").words()[0]
    )


def test_a_log_without_dates() -> None:
    with pytest.raises(InputError, match="does not tell its dates"):
        Window(start="2024-10-27T00:00:00").apply(JOBS.replace(start_time=0), 1)


def test_a_date_before_the_first_job() -> None:
    assert len(Window(start="2024-10-01T00:00:00").apply(JOBS, 1)) == len(JOBS)
    with pytest.raises(InputError, match="a time window"):
        Window(end="2024-10-01T00:00:00").apply(JOBS, 1)
