from __future__ import annotations

import math
from datetime import datetime

import pytest

from packwise.cli.terminal import print_json
from packwise.model.errors import InputError
from packwise.readable import clock, counted, duration, number, parse_duration, percent


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3600", 3600), ("90m", 5400), ("1.5h", 5400), ("7d", 604800), ("2w", 1209600), ("5s", 5)],
)
def test_durations_from_people(text, seconds):
    assert parse_duration(text, "--from") == seconds


@pytest.mark.parametrize("text", ["", "d", "-1", "1y", "nan", "inf", "1e99"])
def test_durations_that_are_none(text):
    with pytest.raises(InputError, match="--from"):
        parse_duration(text, "--from")


def test_durations_for_people():
    assert [duration(x) for x in (0, 0.25, 45, 750, 26280, 276480)] == [
        "0 s",
        "0.2 s",
        "45 s",
        "12.5 min",
        "7.3 h",
        "3.2 d",
    ]


def test_moments_have_as_much_of_a_date_as_it_takes():
    now = int(datetime(2026, 6, 16, 22, 30).timestamp())
    hour, day = 3600, 86400
    assert clock(now + 90, now) == "22:31:30"
    assert clock(now + 2 * hour, now) == "00:30:00"
    assert clock(now + 2 * hour, now, precise=hour) == "00:30"
    assert clock(now + day, now) == "Wed 17 Jun 22:30"
    assert clock(now - day, now) == "Mon 15 Jun 22:30"
    assert clock(now + 365 * day, now) == "Wed 16 Jun 2027 22:30"
    assert clock(10**15, now) == "years away"
    assert clock(0, now) == "years ago"


def test_the_first_of_january_is_near_on_new_years_eve():
    now = int(datetime(2026, 12, 31, 23, 0).timestamp())
    assert clock(now + 7200, now) == "01:00:00"
    assert clock(now + 86400, now) == "Fri 01 Jan 2027 23:00"


def test_things_are_counted():
    assert [counted(k, "core") for k in (0, 1, 2, 1234)] == [
        "0 cores",
        "1 core",
        "2 cores",
        "1,234 cores",
    ]


def test_numbers_for_people():
    values = (0, 28489, 123.44, 1.618, 0.0031, 0.00002)
    assert [number(x) for x in values] == ["0", "28,489", "123.4", "1.62", "0.0031", "2.00e-05"]


def test_what_is_not_a_number_is_a_dash():
    for value in (math.nan, math.inf, -math.inf):
        assert (number(value), duration(value), percent(value)) == ("–", "–", "–")


def test_json_has_no_nan(capsys):
    print_json({"a": float("nan"), "b": [float("inf"), 1.5], "c": {"d": "é"}})
    text = capsys.readouterr().out
    assert "NaN" not in text
    assert "Infinity" not in text
    assert '"é"' in text
