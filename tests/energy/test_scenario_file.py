"""Scenarios as files: what each key does, and every mistake with its line."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.energy.finding import PRESETS, find_energy, find_scenario
from packwise.energy.scenario_file import read_scenario
from packwise.model.energy.daily import Daily
from packwise.model.energy.repeated_year import RepeatedYear
from packwise.model.energy.series import Constant, Series
from packwise.model.errors import InputError, PackwiseError, UnknownName

FULL = """
name = "site"
about = "All there is."
zone = "Europe/Paris"
shift_to = 2024-01-01

[price]
file = "prices.csv"
gaps = "hold"

[carbon]
unit = "g/kWh"
hours = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
weekend = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]

[climate]
unit = "K"
value = 293.15
segment_degrees = 2

[cooling]
temperatures = [10, 30]
powers = [0, 1000]
pue = [[1.0, 1.1], [1.2, 1.3]]
round_to = 0
outside = "nearest"

[jobs]
seed = 3
recorded = false
[jobs.watts]
cores = [5, 6]
gpus = 250

[machine]
idle_watts_per_core = 4
rated_watts = 5000

[sleep]
after = "10m"
watts_per_core = 1
boot_time = 120
boot_watts_per_core = 9
cores_per_node = 8

[cap]
unit = "kW"
value = 3

[revenue]
per_core_hour = 0.05
"""


@pytest.fixture
def site(tmp_path):
    rows = "time,price (ct/kWh)\n2024-01-01 00:00,5\n2024-01-01 01:00,6\n"
    (tmp_path / "prices.csv").write_text(rows)

    def write(text: str = FULL):
        path = tmp_path / "site.toml"
        path.write_text(text)
        return path

    return write


def test_every_key(site) -> None:
    scenario, notes = read_scenario(site())
    assert (scenario.name, scenario.about, scenario.zone) == (
        "site",
        "All there is.",
        "Europe/Paris",
    )
    assert scenario.shift_to == date(2024, 1, 1)
    assert isinstance(scenario.price.signal, Series)
    assert scenario.price.signal.values.tolist() == [50, 60]
    assert scenario.currency == "EUR"
    assert isinstance(scenario.carbon.signal, Daily)
    assert scenario.carbon.signal.weekend == (2.0,) * 24
    assert isinstance(scenario.climate.signal, Constant)
    assert scenario.climate.signal.value == pytest.approx(20)
    assert scenario.climate.degrees == 2
    assert scenario.cooling.pue.tolist() == [[1.0, 1.1], [1.2, 1.3]]
    assert (scenario.cooling.round_to, scenario.cooling.outside) == (0, "nearest")
    assert [tuple(draw) for draw in scenario.jobs.watts] == [("cores", 5, 6), ("gpus", 250, 250)]
    assert (scenario.jobs.seed, scenario.jobs.recorded) == (3, False)
    assert (scenario.idle_watts, scenario.rated_watts) == (4, 5000)
    sleep = scenario.sleep
    assert (sleep.after, sleep.watts, sleep.boot_time, sleep.boot_watts) == (600, 1, 120, 9)
    assert sleep.cores_per_node == 8
    assert scenario.cap.value == 3000
    assert scenario.revenue == 0.05
    assert notes == ("price: column 'price (ct/kWh)' in ct/kWh",)


def test_a_segment_of_one_temperature(site) -> None:
    exact = FULL.replace("segment_degrees = 2", "segment_degrees = 0")
    assert read_scenario(site(exact)).scenario.climate.degrees == 0


def test_an_empty_file_is_the_papers_cores_and_nothing_else(site) -> None:
    scenario = read_scenario(site("")).scenario
    assert scenario.name == "site"
    assert scenario.price is None
    assert [tuple(draw) for draw in scenario.jobs.watts] == [("cores", 7.8, 11.11)]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "site"', "name = 5", "line 2: expected name to be a text, found 5"),
        ("about", "abuot", "line 3: expected one of name, about"),
        ("Europe/Paris", "Paris", "line 4: expected a time zone such as .*found 'Paris'"),
        ("2024-01-01\n\n", "2024\n\n", "line 5: expected shift_to to be a day"),
        ('file = "prices.csv"', 'file = "prices.csv"\nvalue = 5', "line 7: .*one of value"),
        ('file = "prices.csv"', 'unit = "EUR"', "line 7: .*found none"),
        ('gaps = "hold"', 'gaps = "guess"', "line 9: expected gaps to be refuse or hold"),
        ('gaps = "hold"', 'repeat = "week"', 'line 9: expected repeat to be "year"'),
        (
            'gaps = "hold"',
            'repeat = "year"',
            "to be repeated, a series should cover a calendar year",
        ),
        ('file = "prices.csv"', 'file = "nowhere.csv"', "nowhere.csv: no such file"),
        (
            'file = "prices.csv"',
            'file = "packwise:nowhere.csv"',
            "line 8: .*packwise:region.csv.gz",
        ),
        ('unit = "g/kWh"', 'unit = "EUR/MWh"', "line 12: expected a unit of carbon"),
        ('unit = "g/kWh"\n', "", "line 11: expected unit = ..., such as g/kWh"),
        (
            "hours = [1,",
            "hours = [",
            "line 13: expected hours to be a list of 24 numbers, found 23",
        ),
        ("weekend = [2,", 'weekend = ["2",', "line 14: expected weekend to be a number"),
        (
            "value = 293.15",
            "value = 293.15\nweekend = [1]",
            "line 19: expected weekend only with hours",
        ),
        ("value = 293.15", 'value = 293.15\nzone = "nowhere"', "line 19: expected zone only with"),
        ("value = 293.15", "value = 1" + 400 * "0", "line 18: expected value to be a number"),
        ("rated_watts = 5000", "rated_watts = 0", "rated_watts should be a number above 0"),
        ("segment_degrees = 2", "segment_degrees = -2", "line 19: expected segment_degrees"),
        (
            "temperatures = [10, 30]",
            "temperatures = []",
            "line 22: expected temperatures to be a list",
        ),
        ("powers = [0, 1000]", "", "line 21: .*either powers"),
        ("[1.2, 1.3]]", "[1.2]]", "line 24: expected pue to be a list of lists"),
        ("[1.2, 1.3]]", "[1.2, 0.3]]", "a PUE should be 1 or more"),
        ("seed = 3", "seed = -3", "line 29: expected seed"),
        ("recorded = false", 'recorded = "no"', "line 30: expected recorded to be true or false"),
        ("cores = [5, 6]", "cores = [6, 5]", "line 32: expected the smaller number first"),
        ("gpus = 250", "gpus = nan", "line 33: expected gpus to be a number"),
        ("seed = 3", "watts_per_core = 3", "expected watts_per_core or .*both"),
        (
            "idle_watts_per_core = 4",
            "idle_watts = 4",
            "line 36: expected one of idle_watts_per_core",
        ),
        ('after = "10m"', 'after = "soon"', "line 40: expected after in seconds"),
        ('after = "10m"\n', "", "line 39: expected after in seconds"),
        ("watts_per_core = 1\n", "watts_per_core = 7\n", "no more than an idle one"),
        ('unit = "kW"', 'unit = "EUR/MWh"', "line 47: expected a unit of power"),
        ("[revenue]", "[[revenue]]", "line 50: expected a table .revenue."),
        ("[cap]", "[cap", "not TOML"),
    ],
)
def test_mistakes_have_their_lines(site, old, new, words) -> None:
    assert old in FULL
    with pytest.raises(InputError, match=words):
        read_scenario(site(FULL.replace(old, new, 1)))


def test_names(tmp_path) -> None:
    with pytest.raises(UnknownName, match="market"):
        find_energy("markt")
    with pytest.raises(InputError, match=r"ends in \.toml"):
        find_energy("prices.csv")
    assert find_energy("Market").name == "market"


def test_a_file_that_has_changed_is_read_again(tmp_path) -> None:
    path = tmp_path / "site.toml"
    for name in ("one", "other"):
        path.write_text(f'name = "{name}"\n[price]\nunit = "EUR/MWh"\nvalue = 90\n')
        assert find_energy(str(path)).name == name


@pytest.mark.parametrize("name", PRESETS)
def test_shipped_scenarios_say_what_is_ours(name) -> None:
    scenario = find_scenario(name).scenario
    assert scenario.name == name
    assert "Ours:" in scenario.about
    assert scenario.price is not None


def test_the_market_has_negative_hours_and_a_year_for_all_years() -> None:
    market = find_energy("market")
    assert isinstance(market.price.signal, RepeatedYear)
    prices = market.price.signal.series.values
    assert len(prices) == 8760
    assert (prices < 0).sum() == 296
    assert round(float(prices.mean())) == 75


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-3, 50)
        | st.floats()
        | st.text("aZ/é°", max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["unit", "value", "pue", "x"]), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    st.sampled_from(
        ["price", "climate", "cooling", "jobs", "sleep", "cap", "machine", "zone", "shift_to"]
    ),
)
def test_no_value_gives_anything_but_a_scenario_or_a_message(value, key) -> None:

    def toml(one) -> str:
        if isinstance(one, bool):
            return str(one).lower()
        if isinstance(one, dict):
            return "{" + ", ".join(f"{k} = {toml(v)}" for k, v in one.items()) + "}"
        if isinstance(one, list):
            return "[" + ", ".join(map(toml, one)) + "]"
        return f'"{one}"' if isinstance(one, str) or one is None else str(one)

    text = f"{key} = {toml(value)}\n"
    tomllib.loads(text)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.toml"
        path.write_text(text, "utf-8")
        with suppress(PackwiseError):
            read_scenario(path)
