"""Claims and left-out jobs of a study on the command line."""

from __future__ import annotations

import csv
import io

import pytest

STUDY = """
name = "Small"
metrics = ["wait_regular", "wait", "utilization"]
policies = ["dbf", "cbf", "easy"]
baseline = "cbf"
store = "results"
drop_unaffected = true

[[workload]]
label = "made up"
generate = { jobs = 150, procs = 16, load = 0.8, seed = 3 }
deadlines = "slack"
deadline_share = [0.2, 0.5, 0.8]
"""
CLAIMS = """
[[claim]]
says = "Utilization is a share"
source = "section [1]"
metric = "utilization"
policy = "easy"
at_least = 0
at_most = 1

[[claim]]
says = "All wait a century"
metric = "wait"
policy = "cbf"
at_least = 3e9
unfiltered = true

[[claim]]
says = "Misses are few"
metric = "deadline_misses"
part_of = "deadline_jobs"
policy = "dbf"
at_most = 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study that was run."""
    from typer.testing import CliRunner

    from packwise.cli.app import app

    folder = tmp_path_factory.mktemp("study")
    (folder / "plain.toml").write_text(STUDY)
    (folder / "claims.toml").write_text(STUDY + CLAIMS)
    (folder / "true.toml").write_text(STUDY + CLAIMS.replace("3e9", "0"))
    done = CliRunner().invoke(app, ["study", "run", str(folder / "plain.toml"), "-w", "1"])
    assert done.exit_code == 0, done.output
    return folder


def test_claims(packwise, folder):
    done = packwise("study", "compare", folder / "claims.toml")
    assert done.status == 1
    assert "Utilization is a share (section [1])" in done.stdout
    assert "2 of 3 claims hold, 1 does not." in done.stdout
    assert "Left out: " in done.stdout
    places = done.stdout.partition("place")[2]
    assert places.count("does not hold") == 3
    assert "made up 50%" in places
    every = packwise("study", "compare", folder / "claims.toml", "--all")
    assert every.stdout.partition("place")[2].count("holds") == 6


def test_claims_that_hold(packwise, folder):
    done = packwise("study", "compare", folder / "true.toml")
    assert done.status == 0
    assert "3 of 3 claims hold." in done.stdout
    assert "place" not in done.stdout


def test_claims_as_json_csv_and_page(packwise, folder, tmp_path):
    found = packwise("study", "compare", folder / "claims.toml", "--json")
    assert found.status == 1
    assert found.json["claim_counts"]["does not hold"] == 1
    assert [claim["verdict"] for claim in found.json["claims"]] == [
        "holds",
        "does not hold",
        "holds",
    ]
    assert len(found.json["left_out"]) == 3
    assert "cells" not in found.json
    done = packwise("study", "compare", folder / "claims.toml", "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 9
    values = [f["values"] for f in found.json["claims"][0]["findings"]]
    assert [{row["workload"]: float(row["value"])} for row in rows[:3]] == values
    page = tmp_path / "page.md"
    packwise("study", "compare", folder / "claims.toml", "--markdown", page)
    assert "## Claims" in page.read_text()
    assert "**2 of 3 claims hold, 1 does not.** Left out: " in page.read_text()


def test_claims_beside_a_published_table(packwise, folder, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("metric,policy,trace,value\nutilization,easy,made up 20%,2\n")
    page = tmp_path / "page.md"
    given = ("study", "compare", folder / "true.toml", "--published", table)
    done = packwise(*given, "--markdown", page)
    assert done.status == 1
    assert "0 of 1 cells agree" in done.stdout
    assert "3 of 3 claims hold." in done.stdout
    assert "## utilization" in page.read_text()
    assert "## Claims" in page.read_text()
    found = packwise(*given, "--json").json
    assert (len(found["cells"]), len(found["claims"])) == (1, 3)
    rows = list(csv.DictReader(io.StringIO(packwise(*given, "--csv", "-").stdout)))
    assert [row["verdict"] for row in rows] == ["differs"]
    plain = packwise("study", "compare", folder / "plain.toml", "--published", table, "--json").json
    assert "claims" not in plain


def test_nothing_to_compare_with(packwise, folder):
    done = packwise("study", "compare", folder / "plain.toml")
    assert done.status == 2
    told = done.stderr.replace("\n", " ")
    assert "nothing to compare the results with" in told
    assert "--published table.csv" in told
    assert "[[claim]]" in told


def test_the_table_says_what_is_left_out(packwise, folder):
    done = packwise("study", "table", folder / "plain.toml")
    assert done.stdout.count("Left out: ") == 2
    assert "About all jobs" in done.stdout.partition("utilization")[2]
    found = packwise("study", "table", folder / "plain.toml", "--json").json
    assert found["drop_unaffected"]
    assert [case["workload"] for case in found["left_out"]] == [
        "made up 20%",
        "made up 50%",
        "made up 80%",
    ]
    assert all(0 < case["left_out"] < case["jobs"] == 150 for case in found["left_out"])


def test_sql(packwise, folder):
    query = "select policy, workload, wait, left_out from results order by policy, workload"
    done = packwise("study", "sql", folder / "plain.toml", query, "--json")
    rows = done.json["rows"]
    table = packwise("study", "table", folder / "plain.toml", "-m", "wait", "--json").json
    values = {(cell["policy"], cell["workload"]): cell["value"] for cell in table["cells"]}
    assert {(row["policy"], row["workload"]): row["wait"] for row in rows} == values
    assert "'jobs' has all jobs" in done.stderr.replace("\n", " ")
    jobs = "select count(*) as n, count(promised_start) as promised from jobs"
    found = packwise("study", "sql", folder / "plain.toml", jobs, "--json").json["rows"]
    assert found == [{"n": 9 * 150, "promised": 6 * 150}]
    whole = packwise("study", "sql", folder / "results", "select wait from results", "--json")
    assert {row["wait"] for row in whole.json["rows"]} != set(values.values())


def test_a_case_without_all_results(packwise, folder, tmp_path):
    """Said on stderr; the other cases are there."""
    more = STUDY.replace('"easy"]', '"easy", "list-saf"]').replace("0.5, 0.8", "0.5")
    (folder / "more.toml").write_text(more + CLAIMS)
    done = packwise("study", "compare", folder / "more.toml")
    assert done.status == 1  # all jobs wait less than a century
    told = " ".join(done.stderr.split())
    assert "made up 20% / requested: cannot be measured over a part of the jobs: list-saf" in told
    assert "not run" in done.stdout


def test_contradictory_rules_end_a_run_before_it_begins(packwise, tmp_path, log):
    study = tmp_path / "s.toml"
    text = f'policies = ["easy"]\nstore = "r"\n[[workload]]\nfile = "{log}"\nlabel = "w"\n'
    study.write_text(text + "deadlines = ['slack(queue=-1)', 'morning(user=1)']\n")
    done = packwise("study", "run", study, "-w", "1")
    assert done.status == 2
    assert "contradict each other" in done.stderr.replace("\n", " ")
    assert "No scenario was run." in done.stderr
    assert not (tmp_path / "r" / "failures").exists()
    study.write_text(text + "deadlines = ['slack', 'morning(user=1)']\n")
    assert "line 6: deadline rules" in packwise("study", "run", study).stderr


def test_a_claim_about_nobody_is_not_judged(packwise, tmp_path):
    """Without deadlines nobody uses one: that was run, and there is nothing to judge."""
    study = STUDY.replace("[0.2, 0.5, 0.8]", "[0, 0.5, 0.8]").replace("drop_unaffected = true", "")
    claim = '[[claim]]\nsays = "Used"\nmetric = "deadline_usage"\npolicy = "dbf"\nfalls = 0\n'
    (tmp_path / "s.toml").write_text(study + claim)
    assert packwise("study", "run", tmp_path / "s.toml", "-w", "1").status == 0
    after = packwise("study", "compare", tmp_path / "s.toml")
    assert "nothing to judge" in after.stdout
    assert "not run" not in after.stdout
