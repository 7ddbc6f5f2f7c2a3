"""packwise energy, and --energy of the other commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from packwise.energy.finding import PRESETS

HEAD = "job_id,submit,wait,start,end,runtime,requested_time,demand,user,log_start_time,log_procs\n"
#: Two kilowatts for an hour, from 2024-01-01 00:00 UTC on, then one for two.
PLAN = (
    HEAD
    + "1,0,0,0,3600,3600,3600,2,1,1704067200,4\n2,0,3600,3600,10800,7200,7200,1,2,1704067200,4\n"
)
SITE = """
[price]
unit = "EUR/kWh"
hours = [1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
[jobs]
watts_per_core = 1000
[revenue]
per_core_hour = 10
"""


@pytest.fixture
def plan(tmp_path) -> Path:
    path = tmp_path / "plan.csv"
    path.write_text(PLAN)
    (tmp_path / "site.toml").write_text(SITE)
    return path


def test_an_account_by_hand(packwise, plan):
    """2 kWh at 1 EUR, then 1 kWh each at 2 and 3 EUR: 7 EUR; 4 core-hours at 10 EUR."""
    site = plan.parent / "site.toml"
    answer = packwise("energy", plan, "--scenario", site, "--by", "user", "--json").json
    assert answer["metrics"]["energy_cost"] == pytest.approx(7)
    assert answer["metrics"]["profit"] == pytest.approx(33)
    assert answer["metrics"]["energy"] == pytest.approx(4)
    assert answer["metrics"]["peak_power"] == pytest.approx(2)
    assert answer["currency"] == "EUR"
    assert answer["from"] == "2024-01-01 00:00:00+00:00"
    assert {row["user"]: row["energy_cost"] for row in answer["breakdown"]} == pytest.approx(
        {1: 2, 2: 5}
    )
    done = packwise("energy", plan, "--scenario", site, "--by", "day")
    assert done.status == 0
    for words in ("2024-01-01", "33.00", "7.00", "EUR", "cost EUR"):
        assert words in done.stdout


def test_shift_to(packwise, plan):
    answer = packwise("energy", plan, "--shift-to", "2019-07-04", "--json").json
    assert answer["from"] == "2019-07-04 00:00:00+00:00"
    assert "the first submission taken as 2019-07-04" in answer["notes"][0]
    plain = packwise("energy", plan, "--json").json
    assert plain["metrics"]["energy_cost"] != answer["metrics"]["energy_cost"]
    assert plain["metrics"]["energy_work"] == answer["metrics"]["energy_work"]


@pytest.mark.slow
def test_pictures(packwise, plan, tmp_path):
    one, other = tmp_path / "power.png", tmp_path / "moved.svg"
    for name in ("market", "summer-hybrid"):
        done = packwise("energy", plan, "--scenario", name, "--plot", one, "--movable", other)
        assert done.status == 0, done.stderr
        assert one.read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in other.read_bytes()


def test_a_picture_of_a_year(packwise, tmp_path):
    rows = "".join(
        f"{i},{i * 86400},0,{i * 86400},{i * 86400 + 900},900,900,1,1,0,2\n" for i in range(1, 366)
    )
    (tmp_path / "year.csv").write_text(HEAD + rows)
    (tmp_path / "capped.toml").write_text(SITE + '[cap]\nunit = "W"\nvalue = 500\n')
    done = packwise(
        "energy",
        tmp_path / "year.csv",
        "-s",
        tmp_path / "capped.toml",
        "--plot",
        tmp_path / "y.png",
        "--json",
    )
    assert done.status == 0, done.stderr
    assert done.json["metrics"]["over_cap"] == 365 * 900
    assert "does not tell its date" in done.json["notes"][1]


def test_list_and_show(packwise):
    listed = packwise("energy", "--list")
    assert all(name in listed.stdout for name in PRESETS)
    assert set(packwise("energy", "--list", "--json").json) == set(PRESETS)
    shown = packwise("energy", "--show", "day-night").stdout
    assert shown.startswith('name = "day-night"')


def test_a_shown_scenario_is_a_beginning_of_ones_own(packwise, plan, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(packwise("energy", "--show", "market").stdout)
    told = [
        packwise("energy", plan, "-s", name, "--json").json["metrics"] for name in (own, "market")
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scenario", "markt"), "Did you mean market"),
        (("--scenario", "nowhere.toml"), "no such file"),
        (("--shift-to", "tomorrow"), "--shift-to: expected a day such as 2024-01-31"),
        (("--plot", "plan.doc"), ".png"),
        (("--cluster", "nowhere"), "cluster"),
        (("--procs", "4", "--cluster", "eurora"), "Drop one"),
    ],
)
def test_wrong_arguments(packwise, plan, arguments, words):
    done = packwise("energy", plan, *arguments)
    assert done.status == 2
    assert words in done.stderr


def test_wrong_files(packwise, plan, tmp_path):
    assert "expected a schedule" in packwise("energy").stderr
    early = tmp_path / "early.toml"
    early.write_text('[price]\nfile = "p.csv"\n')
    (tmp_path / "p.csv").write_text(
        "time,price (EUR/MWh)\n2024-01-01T00:00Z,1\n2024-01-01T01:00Z,2\n"
    )
    done = packwise("energy", plan, "-s", early)
    assert done.status == 2
    assert "needed at 2024-01-01 02:00:00+00:00" in done.stderr
    plan.write_text(PLAN.replace("log_procs\n", "log_procs,power\n").replace(",4\n", ",4,nan\n"))
    done = packwise("energy", plan)
    assert done.status == 2
    assert "power" in done.stderr
    assert "line 2" in done.stderr
    plan.write_text(PLAN.replace("log_procs\n", "log_procs,power\n").replace(",4\n", ",4,-5\n"))
    assert (
        "job 1: powers should be finite and not negative, found -5.0"
        in packwise("energy", plan).stderr
    )


def test_replay_and_compare_have_the_metrics(packwise, log, tmp_path):
    answer = packwise(
        "replay", log, "--energy", "market", "--shift-to", "2024-01-01", "--json"
    ).json
    assert answer["metrics"]["energy_cost"] > 0
    assert answer["metrics"]["CO2"] > 0
    compared = packwise(
        "compare", log, "-p", "easy,list-saf", "--energy", "summer-air", "--json"
    ).json
    text = json.dumps(compared)
    assert '"profit"' in text
    assert '"CO2"' not in text
    shown = packwise("compare", log, "-p", "easy,list-saf", "--energy", "market")
    assert "energy scenario market" in shown.stdout
    assert "energy_cost" in shown.stdout
    plain = packwise("replay", log, "--json").json
    assert "energy_cost" not in plain["metrics"]


def test_what_a_replay_says_of_energy_is_what_its_schedule_says(packwise, log, tmp_path):
    plan = tmp_path / "plan.csv"
    told = packwise("replay", log, "--energy", "market", "--output", plan, "--json").json["metrics"]
    again = packwise("energy", plan, "--scenario", "market", "--json").json["metrics"]
    assert again == {name: pytest.approx(told[name], rel=1e-12) for name in again}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("replay", "--shift-to", "2024-01-01"),
            "--shift-to is for the dates of an energy scenario",
        ),
        (("replay", "--metrics", "energy_cost"), "energy_cost: expected a scenario"),
        (
            ("compare", "-p", "easy", "--metrics", "CO2", "--energy", "day-night"),
            "with a carbon, found none",
        ),
        (("compare", "-p", "easy", "--energy", "nowhere"), "energy scenario"),
    ],
)
def test_energy_where_there_is_none(packwise, log, arguments, words):
    done = packwise(arguments[0], log, *arguments[1:])
    assert done.status == 2
    assert words in done.stderr


def test_a_report_has_the_metrics_of_energy(packwise, log, tmp_path):
    page = tmp_path / "page.html"
    done = packwise(
        "report",
        log,
        "-p",
        "easy,list-saf",
        "--energy",
        "market",
        "-o",
        page,
        "--store",
        tmp_path / "store",
    )
    assert done.status == 0, done.stderr
    assert "energy_cost" in page.read_text()
    study = tmp_path / "s.toml"
    study.write_text('policies = ["easy"]\n[[workload]]\ngenerate = { jobs = 50, procs = 8 }\n')
    done = packwise("report", study, "--energy", "market")
    assert done.status == 2
    assert "--energy" in done.stderr


def test_files_of_the_scenario_are_not_written_over(packwise, log, tmp_path):
    (tmp_path / "own.toml").write_text('[price]\nfile = "p.csv"\n')
    prices = "time,price (EUR/MWh)\n1970-01-02T00:00Z,1\n1970-01-02T01:00Z,2\n"
    (tmp_path / "p.csv").write_text(prices)
    done = packwise(
        "replay", log, "--energy", tmp_path / "own.toml", "--output", tmp_path / "p.csv"
    )
    assert done.status == 3
    assert "is the file that is read" in done.stderr
    assert (tmp_path / "p.csv").read_text() == prices


def test_money_has_a_currency(packwise):
    told = packwise("metrics", "--describe", "energy_cost").stdout
    assert "the currency of the scenario's prices" in told


def test_a_round_with_energy_can_be_explained(packwise, log):
    given = "--policy", "packwise(energy=0.2)", "--estimate", "exact"
    done = packwise("explain", log, *given, "--energy", "market", "--json")
    assert done.status == 0, done.stderr
    assert packwise("explain", log, *given).status == 2
