"""packwise predict: tables, JSON, files, remarks; and what it refuses."""

from __future__ import annotations

import csv
import itertools

import numpy as np
import pytest

from packwise import Workload
from packwise.cli.remarks.prediction import prediction_remarks
from packwise.predict.catalogue import PREDICTORS, predictor

pytestmark = pytest.mark.usefixtures("untried")

MINE = """
print("loaded")

class Half:
    name = "half"
    quantile = 0.75

    def predict(self, job):
        return job.limit / 2

class Broken:
    name = "broken"

    def predict(self, job):
        raise ValueError("no idea")

class Nothing:
    name = "nothing"

    def predict(self, job):
        return float("nan")

class Impostor:
    name = "requested"

    def predict(self, job):
        return 1

class Hidden:
    name = "runtime"

    def predict(self, job):
        return 1
"""


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_the_tables(packwise, log):
    done = packwise("predict", log, "--predictors", "last2,sp-2%", "--policy", "easy,list-saf")
    assert done.status == 0
    for word in (
        "Accuracy under easy",
        "Effect on easy",
        "Accuracy under list-saf",
        "Effect on list-saf",
        "Calibration",
        "98.0 %",
        "requested",
        "baseline",
        "P2SF",
        "is best by",
    ):
        assert word in done.stdout


def test_a_narrow_terminal_turns_the_tables_over(packwise, log, monkeypatch):
    monkeypatch.setattr("packwise.cli.terminal.PIPE_WIDTH", 60)
    shown = packwise("predict", log, "--predictors", "last2").stdout
    assert "told just the limit" in shown
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 60


def test_json(packwise, log, mine):
    done = packwise(
        "predict", log, "--predictors", f"exact,{mine}:Half", "--metrics", "AF", "--json"
    )
    (told,) = done.json["policies"]
    assert told["policy"] == "list-reg"
    names = ["requested", "exact", "half"]
    assert [one["estimate"] for one in told["accuracy"]] == names
    assert [one["estimate"] for one in told["effect"]["runs"]] == names
    assert told["effect"]["baseline"] == "requested"
    assert set(told["effect"]["metrics"]) == {"AF"}
    requested, exact, half = told["accuracy"]
    assert exact["r2"] == 1
    assert requested["under_share"] == 0
    assert requested["at_limit"] == 1
    assert half["nominal"] == 0.75
    assert half["coverage"] == pytest.approx(1 - half["under_share"])
    assert sum(part["jobs"] for part in half["calibration"]) == half["jobs"] == 300
    assert done.json["version"]


def test_the_baseline_stays_where_it_is_asked_for(packwise, log):
    told = packwise("predict", log, "--predictors", "exact,requested", "--json").json["policies"][0]
    assert [one["estimate"] for one in told["accuracy"]] == ["exact", "requested"]
    assert told["effect"]["runs"][1]["change_percent"]["AF"] == 0


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_estimates_of_each_job(packwise, log, mine, tmp_path, suffix):
    path = tmp_path / f"estimates.{suffix}"
    done = packwise("predict", log, "-e", f"last2,{mine}:Half", "--output", path)
    assert f"Wrote {path}" in done.stdout
    if suffix == "csv":
        rows = [dict(row) for row in csv.DictReader(path.read_text().splitlines())]
    else:
        import polars as pl

        rows = pl.read_parquet(path).to_dicts()
    assert list(rows[0]) == ["job_id", "runtime", "limit", "last2", "half"]
    assert len(rows) == 300
    for row in rows:
        limit, half = int(row["limit"]), int(row["half"])
        assert half in (limit // 2, -(-limit // 2))
        assert 1 <= int(row["last2"]) <= limit


@pytest.mark.parametrize("option", ["--plot", "--picture"])
def test_the_picture(packwise, log, tmp_path, sketched, option):
    path = tmp_path / "p.png"
    assert packwise("predict", log, "-e", "sp-2%,last2", option, path).status == 0
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--predictors", "lasst2"), "Did you mean last2"),
        (("--predictors", ","), "--predictors: expected names"),
        (("--predictors", "last2,cvh,last2"), "'last2' is there 2 times"),
        (("--predictors", "sp-0%"), "above 0 %"),
        (("--predictors", "MINE:Broken"), "no idea"),
        (("--predictors", "MINE:Nothing"), "expected a number of seconds"),
        (("--predictors", "MINE:Impostor"), "another name"),
        (("--predictors", "MINE:Nobody"), "Half"),
        (("--predictors", "nowhere.py:mine"), "does not exist"),
        (("--predictors", "MINE:Hidden", "--output", "FOLDER/e.csv"), "column 'runtime' already"),
        (("--policy", "eazy"), "Did you mean easy"),
        (("--policy", ""), "--policy: expected names"),
        (("--policy", "easy,easy"), "'easy' is there 2 times"),
        (("--metrics", "BSLT"), "BSLD"),
        (("--plot", "FOLDER/p.bmp"), ".png"),
        (("--output", "FOLDER/e.txt"), ".parquet"),
    ],
)
def test_refusals(packwise, log, mine, tmp_path, arguments, expected):
    given = [part.replace("MINE", str(mine)).replace("FOLDER", str(tmp_path)) for part in arguments]
    done = packwise("predict", log, *given)
    assert done.status == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert expected in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_a_folder_that_is_not_there(packwise, log, tmp_path):
    assert packwise("predict", log, "--output", tmp_path / "no" / "e.csv").status == 3


def test_help_teaches(packwise):
    shown = packwise("predict", "--help").stdout
    assert "$ packwise predict" in shown
    assert "--from" in shown


def workload(**known):
    base = Workload.of([(0, 1, 10, 20), (5, 1, 10, 20)])
    return base.replace(**{name: np.array([1, 2]) for name in known})


def test_remarks():
    asked = [predictor(name) for name in ("requested", "last2", "hierarchy", "sp-2%", "cvh")]
    assert prediction_remarks(workload(user=True, app=True), asked) == []
    assert prediction_remarks(workload(user=True), asked) == [
        "hierarchy: application is unknown in all jobs, so 8 of 15 templates remain distinct, the last "
        "one of all jobs",
        "sp-2%: application is unknown in all jobs, so like jobs are those of equal user, limit and "
        "processors",
    ]
    told = prediction_remarks(workload(), asked)
    assert told[0] == "last2: user is unknown in all jobs, so all count as one user's"
    assert "application and user are unknown in all jobs, so 4 of 15" in told[1]
    assert "equal limit and processors" in told[2]
    assert told[3].startswith("cvh: user")


def test_remarks_on_names():
    asked = [predictor("data-driven")]
    named = workload(user=True).replace(extra={"job_name": np.array(["a", "b"])})
    assert prediction_remarks(named, asked) == []
    (told,) = prediction_remarks(workload(user=True, app=True), asked)
    assert told == "data-driven: job name is unknown in all jobs, so 3 of 6 rules remain"
    (told,) = prediction_remarks(workload(), asked)
    assert told == (
        "data-driven: user, job name and application are unknown in all jobs, so all count as one user's "
        "and 2 of 6 rules remain"
    )


def test_the_remark_counts_templates_right():
    """Templates are subsets of four columns; unknown columns make some of them equal."""
    every = ("application", "user", "limit", "processors")
    subsets = [set(s) for size in (1, 2, 3, 4) for s in itertools.combinations(every, size)]
    for known in (("user",), ("app",), ()):
        gone = {"application", "user"} - {{"app": "application"}.get(name, name) for name in known}
        distinct = {frozenset(subset - gone) for subset in subsets}
        (told,) = prediction_remarks(
            workload(**dict.fromkeys(known, True)), [predictor("hierarchy")]
        )
        assert f"{len(distinct)} of 15" in told


def test_replay_and_compare_say_it_too(packwise, tmp_path):
    log = tmp_path / "nobody.swf"
    lines = [f"{i} {10 * i} -1 30 1 -1 -1 1 60 -1 1 -1 -1 -1 1 -1 -1 -1" for i in range(1, 6)]
    log.write_text("\n".join(["; MaxProcs: 4", *lines]))
    for command in (("replay",), ("compare", "--policies", "easy")):
        shown = packwise(*command, log, "--estimate", "last2").stdout
        assert "last2: user is unknown in all jobs" in shown
        assert "unknown" not in packwise(*command, log).stdout


def test_policies_lists_and_explains_estimates(packwise):
    listed = packwise("policies").stdout
    for name in (*PREDICTORS, "steps", "doubling", "Tsafrir et al., TPDS 2007"):
        assert name in listed
    told = packwise("policies", "--json").json
    assert [one["name"] for one in told["estimates"]] == list(PREDICTORS)
    assert "limit" in told["correctors"]
    assert "last two run times" in packwise("policies", "last2").stdout
    five = packwise("policies", "sp-5%", "--json").json
    assert "5 %" in five["meaning"]
    assert "corrector" in five["parameters"]
    assert "Did you mean last2" in packwise("policies", "lasst2").stderr
    assert "Did you mean steps" in packwise("policies", "last2(corrector=step)").stderr
