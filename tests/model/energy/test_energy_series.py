"""Series, days and years: values by hand, clocks that change, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.model.energy.daily import Daily, midnights_around
from packwise.model.energy.repeated_year import RepeatedYear
from packwise.model.energy.series import Constant, Series
from packwise.model.errors import InputError

PARIS = ZoneInfo("Europe/Paris")


def unix(*parts: int, zone=UTC) -> int:
    return int(datetime(*parts, tzinfo=zone).timestamp())


def test_over_cuts_and_holds() -> None:
    series = Series(np.array([0, 10, 20]), np.array([1.0, 2.0, 3.0]), 30, "u")
    part = series.over(5, 25, UTC)
    assert part.times.tolist() == [5, 10, 20]
    assert part.values.tolist() == [1, 2, 3]
    assert part.end == 25
    assert series.over(10, 20, UTC).values.tolist() == [2]
    assert series.at(np.array([0, 9, 10, 29])).tolist() == [1, 1, 2, 3]
    assert series.integral(np.array([0, 5, 10, 15, 30])).tolist() == [0, 5, 10, 20, 60]
    assert series.moved(100).times.tolist() == [100, 110, 120]


@pytest.mark.parametrize(
    ("times", "values", "end", "words"),
    [
        ([0, 0], [1, 2], 9, "1970-01-01 00:00:00+00:00 twice"),
        ([5, 3], [1, 2], 9, "00:00:03+00:00 after 1970-01-01 00:00:05"),
        ([0, 3], [1, np.nan], 9, "found nan at 1970-01-01 00:00:03"),
        ([0, 3], [np.inf, 1], 9, "found inf at 1970-01-01 00:00:00"),
        ([0, 3], [1, 1], 3, "should end after its last time"),
        ([], [], 3, "one at least"),
        ([0], [1, 2], 3, "one value for each time"),
        ([0.5], [1], 3, "whole seconds"),
    ],
)
def test_what_is_no_series_is_refused(times, values, end, words) -> None:
    dtype = float if times and isinstance(times[0], float) else np.int64
    with pytest.raises(InputError, match=words.replace("+", r"\+")):
        Series(np.array(times, dtype), np.array(values, float), end, "u", name="price")


@pytest.mark.parametrize(
    ("begin", "end", "at"), [(-5, 5, "1969-12-31 23:59:55"), (5, 12, "00:00:10")]
)
def test_moments_that_are_not_covered_are_named(begin, end, at) -> None:
    series = Series(np.array([0]), np.array([1.0]), 10, "u", name="price")
    with pytest.raises(InputError, match=at) as told:
        series.over(begin, end, UTC)
    assert "--shift-to" in str(told.value)


def test_zones_are_checked() -> None:
    with pytest.raises(InputError, match="time zone such as Europe/Stockholm"):
        Series(np.array([0]), np.array([1.0]), 9, "u", zone="Mars/Olympus")
    with pytest.raises(InputError, match="found 'Mars'"):
        Daily((1.0,) * 24, "u", zone="Mars")


def test_days_follow_the_clock_on_the_wall() -> None:
    """Cheap until 6. In Paris that is 5 hours after midnight on the day the clock skips one, 7 on the other."""
    daily = Daily((1.0,) * 6 + (2.0,) * 18, "u")
    for day, length in (((2024, 3, 30), 6), ((2024, 3, 31), 5), ((2024, 10, 27), 7)):
        midnight = unix(*day, zone=PARIS)
        part = daily.over(midnight, midnight + 12 * 3600, PARIS)
        assert part.times.tolist() == [midnight, midnight + length * 3600]
        assert part.values.tolist() == [1, 2]


def test_the_hour_that_is_skipped_has_no_value_and_the_one_that_comes_twice_has_it_for_both() -> (
    None
):
    daily = Daily(tuple(float(hour) for hour in range(24)), "u", zone="Europe/Paris")
    spring = unix(2024, 3, 31, zone=PARIS)
    assert daily.over(spring, spring + 4 * 3600, UTC).values.tolist() == [0, 1, 3, 4]
    autumn = unix(2024, 10, 27, zone=PARIS)
    part = daily.over(autumn, autumn + 5 * 3600, UTC)
    assert part.values.tolist() == [0, 1, 2, 3]
    assert np.diff(part.bounds).tolist() == [3600, 3600, 7200, 3600]


def test_weekends() -> None:
    daily = Daily((5.0,) * 24, "u", weekend=(1.0,) * 24)
    friday = unix(2024, 3, 1)
    part = daily.over(friday, friday + 4 * 86400, UTC)
    assert part.values.tolist() == [5, 1, 5]
    assert (part.times - friday).tolist() == [0, 86400, 3 * 86400]


@given(
    st.integers(0, 2**31),
    st.integers(1, 40 * 86400),
    st.sampled_from(["UTC", "Europe/Paris", "America/St_Johns", "Pacific/Apia"]),
)
def test_days_have_the_value_of_the_hour_that_the_clock_shows(begin, length, name) -> None:
    zone = ZoneInfo(name)
    daily = Daily(tuple(float(hour) for hour in range(24)), "u")
    part = daily.over(begin, begin + length, zone)
    assert part.times[0] == begin
    assert part.end == begin + length
    probes = np.unique(np.linspace(begin, begin + length - 1, 50).astype(np.int64))
    for probe, value in zip(probes.tolist(), part.at(probes).tolist(), strict=True):
        assert value == datetime.fromtimestamp(probe, zone).hour


def test_midnights_surround() -> None:
    marks, days = midnights_around(unix(2024, 3, 30, 12), unix(2024, 4, 1, 1), PARIS)
    assert [str(day) for day in days] == ["2024-03-30", "2024-03-31", "2024-04-01"]
    assert np.diff(marks).tolist() == [86400, 82800, 86400]
    with pytest.raises(InputError, match="inside the calendar"):
        midnights_around(2**40, 2**40 + 5, UTC)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hours": (1.0,) * 23}, "24 values, one for each hour of the day, found 23"),
        ({"weekend": (1.0,) * 25}, "weekend should have 24 values"),
        ({"hours": (1.0,) * 9 + (float("nan"),) * 15}, "found nan at 9:00"),
    ],
)
def test_days_of_24_hours(changes, words) -> None:
    with pytest.raises(InputError, match=words):
        Daily(**{"hours": (1.0,) * 24, "unit": "u", **changes})


def year_of(year: int, zone: str = "UTC") -> Series:
    """Each hour has its place in the year as its value."""
    begin = unix(year, 1, 1, zone=ZoneInfo(zone))
    hours = (unix(year + 1, 1, 1, zone=ZoneInfo(zone)) - begin) // 3600
    times = begin + 3600 * np.arange(hours)
    return Series(times, np.arange(hours, dtype=float), int(times[-1]) + 3600, "u", zone, "price")


@given(st.integers(1975, 2060), st.integers(0, 365 * 24 - 1), st.sampled_from([2023, 2024]))
def test_a_year_repeated_has_the_same_month_day_and_hour(year, hour, of) -> None:
    repeated = RepeatedYear(year_of(of))
    when = datetime(year, 1, 1, tzinfo=UTC) + timedelta(hours=hour)
    begin = int(when.timestamp())
    found = repeated.over(begin, begin + 1800, UTC).values
    day = 28 if (when.month, when.day) == (2, 29) and of == 2023 else when.day
    same = datetime(of, when.month, day, when.hour, tzinfo=UTC)
    assert found.tolist() == [(same - datetime(of, 1, 1, tzinfo=UTC)) / timedelta(hours=1)]


def test_a_year_repeated_goes_on_over_the_end_of_years() -> None:
    repeated = RepeatedYear(year_of(2023))
    part = repeated.over(unix(2000, 12, 31, 23), unix(2001, 1, 1, 2), UTC)
    assert part.values.tolist() == [8759, 0, 1]
    leap = repeated.over(unix(2000, 2, 28), unix(2000, 3, 1, 1), UTC)
    assert leap.values.tolist() == [*range(58 * 24, 59 * 24), *range(58 * 24, 59 * 24), 59 * 24]
    assert np.diff(leap.bounds).tolist() == [3600] * 49


def test_a_year_of_a_zone_is_the_year_of_its_clock() -> None:
    """A file of a year in Paris begins at 23:00 UTC of the year before."""
    repeated = RepeatedYear(year_of(2023, "Europe/Paris"))
    begin = unix(2015, 1, 1, zone=PARIS)
    assert repeated.over(begin, begin + 3600, UTC).values.tolist() == [0]
    assert repeated.year == 2023


def test_less_than_a_year_cannot_be_repeated() -> None:
    whole = year_of(2023)
    with pytest.raises(InputError, match="2023 has no value at 2023-12-31 23:00:00"):
        RepeatedYear(Series(whole.times[:-1], whole.values[:-1], int(whole.times[-1]), "u"))


def test_units_change_everywhere() -> None:
    for signal in (
        Constant(2.0, "u"),
        Daily((2.0,) * 24, "u", (4.0,) * 24),
        year_of(2023),
        RepeatedYear(year_of(2023)),
    ):
        changed = signal.converted("v", 10.0, 1.0)
        assert changed.unit == "v"
        before = signal.over(unix(2023, 5, 5), unix(2023, 5, 9), UTC).values
        after = changed.over(unix(2023, 5, 5), unix(2023, 5, 9), UTC).values
        assert after == pytest.approx(before * 10 + 1)
    with pytest.raises(InputError, match="found nan"):
        Constant(float("nan"), "u")
