"""Series as data portals export them, and everything that is wrong with such files."""

from __future__ import annotations

import gzip
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.energy.series_file import read_series
from packwise.model.errors import InputError, PackwiseError
from packwise.model.time_zone import moment


def written(tmp_path, text: str, name: str = "file.csv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def whens(series) -> list[str]:
    return [moment(int(time))[:16] for time in series.times]


def test_a_plain_file(tmp_path) -> None:
    path = written(tmp_path, "time,price (EUR/MWh)\n2024-01-01T00:00Z,50\n2024-01-01T01:00Z,-3.5\n")
    found = read_series(path, "price")
    assert found.series.values.tolist() == [50, -3.5]
    assert whens(found.series) == ["2024-01-01 00:00", "2024-01-01 01:00"]
    assert found.series.end - found.series.times[-1] == 3600
    assert found.series.unit == "EUR/MWh"


def test_day_ahead_prices_with_intervals_of_local_time(tmp_path) -> None:
    """The night on which the clock goes back has 25 hours, two of which are 02:00 to 03:00."""
    begin = datetime(2024, 10, 26, 22, tzinfo=UTC)  # local midnight
    clock = [0, 1, 2, 2, *range(3, 24)]
    rows = ['"MTU (CET/CEST)","Day-ahead Price [EUR/MWh]","Currency","BZN|DE-LU"']
    for i, hour in enumerate(clock):
        end = f"{hour + 1:02}:00" if hour < 23 else "00:00"
        day = "27.10.2024" if hour < 23 else "28.10.2024"
        rows.append(f'"27.10.2024 {hour:02}:00 - {day} {end}","{i}.5","EUR",""')
    series = read_series(written(tmp_path, "\n".join(rows)), "price").series
    expected = [int((begin + timedelta(hours=i)).timestamp()) for i in range(25)]
    assert series.times.tolist() == expected
    assert series.end == expected[-1] + 3600
    assert series.zone == "Europe/Brussels"


def test_day_ahead_prices_with_slashes_and_seconds_in_utc(tmp_path) -> None:
    rows = ['"MTU (UTC)","Area","Day-ahead Price (EUR/MWh)"']
    rows += [
        f'"31/03/2024 {h:02}:00:00 - 31/03/2024 {h + 1:02}:00:00","BZN|X","{h}"' for h in range(5)
    ]
    series = read_series(written(tmp_path, "\n".join(rows)), "price").series
    assert whens(series)[0] == "2024-03-31 00:00"
    assert series.values.tolist() == [0, 1, 2, 3, 4]


def test_carbon_with_two_columns_that_would_do(tmp_path) -> None:
    text = (
        "Datetime (UTC),Country,Carbon intensity gCO₂eq/kWh (direct),Carbon intensity gCO₂eq/kWh (Life cycle)\n"
        "2024-01-01 00:00:00,France,50.1,70\n2024-01-01 01:00:00,France,52,71\n"
    )
    path = written(tmp_path, text)
    found = read_series(path, "carbon")
    assert found.series.values.tolist() == [50.1, 52]
    assert "(Life cycle)' would do, too" in found.notes[0]
    other = read_series(path, "carbon", column="Carbon intensity gCO₂eq/kWh (Life cycle)")
    assert other.series.values.tolist() == [70, 71]


def test_weather_with_lines_about_the_place_first(tmp_path) -> None:
    text = (
        "latitude,longitude,elevation,utc_offset_seconds,timezone,timezone_abbreviation\n"
        "52.5,13.4,38.0,7200,Europe/Berlin,CEST\n\ntime,temperature_2m (°C),rain (mm)\n"
        "2024-07-01T00:00,17.5,0\n2024-07-01T01:00,17.0,0\n"
    )
    path = written(tmp_path, text)
    series = read_series(path, "temperature", zone="Europe/Berlin").series
    assert series.values.tolist() == [17.5, 17]
    assert whens(series)[0] == "2024-06-30 22:00"
    with pytest.raises(InputError, match=r"line 5: .*offset or a Z.*zone = \"Europe/Paris\""):
        read_series(path, "temperature")


def test_semicolons_decimal_commas_and_gzip(tmp_path) -> None:
    path = tmp_path / "preis.csv.gz"
    path.write_bytes(
        gzip.compress(b"Zeit;Preis\n2024-01-01 00:00+01:00;12,5\n2024-01-01 00:15+01:00;-1,25\n")
    )
    series = read_series(path, "price", time="Zeit", column="Preis", unit="ct/kWh").series
    assert series.values.tolist() == [12.5, -1.25]
    assert series.end - series.times[-1] == 900


def test_a_head_tells_its_zone_before_the_scenario_does(tmp_path) -> None:
    rows = "2024-01-01 00:00,1\n2024-01-01 01:00,2\n"
    path = written(tmp_path, "Datetime (UTC),price (EUR/MWh)\n" + rows)
    assert read_series(path, "price", usual_zone="America/New_York").series.times[0] == 1704067200
    assert (
        read_series(path, "price", zone="America/New_York").series.times[0] == 1704067200 + 5 * 3600
    )
    plain = written(tmp_path, HEAD + rows, "plain.csv")
    assert (
        read_series(plain, "price", usual_zone="America/New_York").series.times[0]
        == 1704067200 + 5 * 3600
    )


def test_a_semicolon_file_with_commas_in_its_head(tmp_path) -> None:
    text = "made, by, somebody, else\ntime;price, net (EUR/MWh)\n2024-01-01T00:00Z;1,5\n2024-01-01T01:00Z;2,5\n"
    assert read_series(written(tmp_path, text), "price").series.values.tolist() == [1.5, 2.5]


def test_a_column_of_hourly_prices_is_one_of_prices(tmp_path) -> None:
    text = "time,Hourly price (EUR/MWh)\n2024-01-01T00:00Z,1\n2024-01-01T01:00Z,2\n"
    assert read_series(written(tmp_path, text), "price").series.values.tolist() == [1, 2]


def test_missing_values_at_the_end_are_held_too(tmp_path) -> None:
    rows = "".join(
        f"2024-01-01T{h:02}:00Z,{v}\n" for h, v in ((0, "1"), (1, "2"), (2, ""), (3, "-"))
    )
    series = read_series(written(tmp_path, HEAD + rows), "price", gaps="hold").series
    assert series.end - series.times[0] == 4 * 3600


def test_unix_seconds_and_thousandths(tmp_path) -> None:
    for factor in (1, 1000):
        text = f"time,price (EUR/MWh)\n{1704067200 * factor},1\n{1704070800 * factor},2\n"
        series = read_series(written(tmp_path, text), "price").series
        assert series.times.tolist() == [1704067200, 1704070800]


HEAD = "time,price (EUR/MWh)\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            HEAD + "2024-01-01T00:00Z,1\n2024-01-01T00:00Z,2\n",
            "line 3: .* after 2024-01-01 00:00.*, the same",
        ),
        (HEAD + "2024-01-01T01:00Z,1\n2024-01-01T00:00Z,2\n", "line 3: .*Sort the rows"),
        (
            HEAD + "2024-01-01T00:00Z,1\n2024-01-01T01:00Z,x\n",
            "line 3: .*a number .* at 2024-01-01 01:00.*'x'",
        ),
        (HEAD + "2024-01-01T00:00Z,1\n2024-01-01T01:00Z,N/A\n", 'line 3: .*gaps = "hold"'),
        (HEAD + "2024-01-01T00:00Z,1\n2024-01-01T01:00Z,inf\n", "line 3: .*'inf'"),
        (
            HEAD + "".join(f"2024-01-01T{h:02}:00Z,1\n" for h in (0, 1, 2, 5, 6)),
            "every 3,600 s, found none for 2024-01-01 03:00.*1 gaps",
        ),
        (HEAD + "2024-01-01T00:00Z,1\nnow,2\n", "line 3: .*a time such as .*'now'"),
        (HEAD + "13/25/2024 00:00,1\n13/26/2024 00:00,2\n", "line 2: .*day first"),
        (HEAD + "2024010100,1\n2024010101,2\n", "line 2: .*a date without marks"),
        (HEAD + "202401010000,1\n202401010100,2\n", "line 2: .*a date without marks"),
        (HEAD + "12,1\n13,2\n", "line 2: .*Unix seconds, found '12'"),
        (HEAD + "2024-01-01T00:00Z,1\n", "two times at least"),
        (HEAD, "at least one time"),
        ("a,b\n1,2\n", "line 1: expected a column of times"),
        ("time,x,y\n2024-01-01T00:00Z,1,2\n", "a column of price, found columns time, x, y"),
        ("time,price\n2024-01-01T00:00Z,1\n2024-01-01T01:00Z,1\n", "a unit of price in the head"),
        (HEAD + "2024-01-01T00:00Z\n", "line 2: expected 2 fields"),
        ("", "expected a header line"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, text, words) -> None:
    with pytest.raises(InputError, match=words):
        read_series(written(tmp_path, text), "price")


def test_the_hour_that_the_clock_skips_is_refused(tmp_path) -> None:
    text = HEAD + "".join(f"2024-03-31 {h:02}:00,1\n" for h in range(4))
    with pytest.raises(InputError, match=r"line 4: .*'2024-03-31 02:00', which the clock skips"):
        read_series(written(tmp_path, text), "price", zone="Europe/Paris")


def test_an_hour_that_comes_twice_and_is_there_once_is_a_gap(tmp_path) -> None:
    text = HEAD + "".join(f"2024-10-27 {h:02}:00,1\n" for h in range(6))
    with pytest.raises(InputError, match=r"The clock repeats that hour"):
        read_series(written(tmp_path, text), "price", zone="Europe/Paris")


def test_gaps_may_be_held(tmp_path) -> None:
    rows = "".join(
        f"2024-01-01T{h:02}:00Z,{v}\n" for h, v in ((0, "1"), (1, "N/A"), (2, "3"), (5, "6"))
    )
    found = read_series(written(tmp_path, HEAD + rows), "price", gaps="hold")
    assert found.series.values.tolist() == [1, 3, 6]
    assert "1 missing values" in found.notes[1]
    empty = HEAD + "2024-01-01T00:00Z,\n2024-01-01T01:00Z,1\n"
    with pytest.raises(InputError, match="line 2"):
        read_series(written(tmp_path, empty), "price", gaps="hold")


@given(
    st.integers(0, 3 * 365 * 24),
    st.integers(3, 400),
    st.sampled_from(["Europe/Paris", "America/New_York"]),
)
def test_local_times_come_back_as_they_were(first, hours, zone) -> None:
    """Hourly rows by the clock on the wall, through both changes, are the hours that they were written for."""
    from zoneinfo import ZoneInfo

    begin = 1672531200 + first * 3600
    times = begin + 3600 * np.arange(hours)
    clock = [
        datetime.fromtimestamp(int(t), ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M") for t in times
    ]
    if clock[0] == clock[1] or datetime.fromtimestamp(begin, ZoneInfo(zone)).fold:
        return  # which of the two hours the first row is, nobody can tell
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_text(HEAD + "".join(f"{when},{i}\n" for i, when in enumerate(clock)))
        assert read_series(path, "price", zone=zone).series.times.tolist() == times.tolist()


@given(
    st.text(max_size=60),
    st.sampled_from(["", HEAD, "time;price (EUR/MWh)\n", "MTU (CET/CEST),p\n"]),
)
def test_no_text_gives_anything_but_a_series_or_a_message(text, head) -> None:

    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes((head + text).encode("utf-8", "replace"))
        with suppress(PackwiseError):
            read_series(path, "price", zone="Europe/Paris")
