"""packwise plan."""

from __future__ import annotations

from pathlib import Path

import pytest

DAY = 86400
#: Four processors from 2024-01-01 on: a job of a day and a half, one that needs all, and two that do not.
LOG = "; MaxProcs: 4\n; UnixStartTime: 1704067200\n; TimeZoneString: UTC\n" + "\n".join(
    f"{job} {submit} -1 {run} {procs} -1 -1 {procs} {run} -1 1 1 1 -1 1 -1 -1 -1"
    for job, submit, run, procs in (
        (1, 0, 129600, 2),
        (2, 60, 3600, 4),
        (3, 120, 7200, 2),
        (4, 90000, 7200, 1),
    )
)
SITE = """
zone = "UTC"
[price]
unit = "EUR/kWh"
value = 1
[jobs]
watts_per_core = 100
[revenue]
per_core_hour = 10
"""


@pytest.fixture
def log(tmp_path) -> Path:
    path = tmp_path / "log.swf"
    path.write_text(LOG + "\n")
    (tmp_path / "site.toml").write_text(SITE)
    return path


def test_by_hand(packwise, log):
    """The first two days: all but the wide job, which has to wait for the first."""
    site = log.parent / "site.toml"
    done = packwise("plan", log, "-s", site, "-m", "rule-est,heuristic,multi", "--json")
    answer = done.json
    assert list(answer["methods"]) == ["rule-est", "heuristic", "multi"]
    one = answer["methods"]["heuristic"]
    core_hours = 2 * 36 + 4 + 4 + 2
    assert one["profit"] == pytest.approx(core_hours * (10 - 0.1))
    assert one["makespan"] == 129600 + 3600
    assert one["wait"] == pytest.approx((129600 - 60) / 4)
    # the day of the last submission is the second: by its midnight all but nothing is left
    assert one["profit_at_last_submission"] == pytest.approx(one["profit"])
    assert [day["jobs"] for day in one["days"]] == [3, 2]
    assert answer["currency"] == "EUR"


def test_the_table_and_the_files(packwise, log, tmp_path, sketched):
    output, picture = tmp_path / "plan.csv", tmp_path / "profit.png"
    done = packwise(
        "plan", log, "-s", log.parent / "site.toml", "-m", "rule-est,delay,ours", "--budget", "100",
        "-o", output, "--plot", picture,
    )  # fmt: skip
    assert done.status == 0
    for words in ("rule-est", "delay", "ours", "planned off line day by day", "makespan", "EUR"):
        assert words in done.stdout
    assert "improved MultiSearch's plan on" in done.stdout
    assert picture.read_bytes()[:4] == b"\x89PNG"
    checked = packwise("check", output)
    assert "feasible" in checked.stdout
    assert packwise("energy", output, "--scenario", log.parent / "site.toml").status == 0


def test_the_same_each_time(packwise, log):
    given = ("plan", log, "-m", "ours", "--budget", "300", "--seed", "4", "--json")
    found = [packwise(*given).json["methods"]["ours"] for _ in range(2)]
    timed = ("seconds", "seconds_to_best")
    for one in found:
        one.pop("seconds")
        one["days"] = [
            {name: value for name, value in day.items() if name not in timed} for day in one["days"]
        ]
    assert found[0] == found[1]


def test_at_once(packwise, log):
    given = ("plan", log, "--whole", "-s", "market", "-m", "rule-est,multi,ours", "--budget", "500")
    answer = packwise(*given, "--json").json
    costs = {name: one["cost"] for name, one in answer["methods"].items()}
    assert costs["ours"] <= costs["multi"]
    assert answer["bound"] <= costs["ours"] * (1 + 1e-9)
    done = packwise(*given)
    assert "at once" in done.stdout
    assert "No plan costs less than" in done.stdout


def test_nodes(packwise, log, tmp_path):
    """Units of three cores on two nodes of four: never two on one node."""
    (tmp_path / "two.csv").write_text("node,cores\na,4\nb,4\n")
    output = tmp_path / "plan.csv"
    done = packwise(
        "plan", log, "--cluster", tmp_path / "two.csv", "--unit-cores", "3", "-m", "multi",
        "-o", output, "--json",
    )  # fmt: skip
    assert done.status == 0
    checked = packwise("check", output, "--cluster", tmp_path / "two.csv")
    assert "feasible" in checked.stdout


def test_what_is_not_counted_is_said(packwise, log):
    """A cap and idle cores; and a scenario that is refused before anything is planned or written."""
    site = log.parent / "site.toml"
    site.write_text(SITE + '[cap]\nunit = "kW"\nvalue = 1\n[machine]\nidle_watts_per_core = 5\n')
    done = packwise("plan", log, "-s", site, "-m", "multi", "--whole")
    assert "the power cap is not looked at here" in done.stdout
    assert "what idle cores draw is counted until" in done.stdout
    site.write_text(SITE.replace("[revenue]\nper_core_hour = 10", ""))
    output = log.parent / "plan.csv"
    done = packwise("plan", log, "-s", site, "-m", "rule-est", "-o", output)
    assert "tells no revenue" in done.stderr
    assert not output.exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("-m", "mutli"), "multi"),
        (("-m", " , "), "expected a name"),
        (("--budget", "soon"), "60s, 10m or 2h"),
        (("--value", "0.3"), "--value is for --whole"),
        (("--whole", "--plot", "x.png"), "--plot draws profit over days"),
        (("-s", "market"), "tells no revenue"),
        (("-s", "nowhere"), "nowhere"),
        (("-o", "log.swf"), "log.swf"),
    ],
)
def test_errors_say_what_to_do(packwise, log, given, words):
    placed = [log if one == "log.swf" else one for one in given]
    done = packwise("plan", log, *placed)
    assert done.status != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr
