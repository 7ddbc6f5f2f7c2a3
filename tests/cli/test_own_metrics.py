"""A metric of one's own wherever metrics are asked for on the command line."""

from __future__ import annotations

import pytest

MINE = '''\
def fairness(jobs):
    """Longest wait by the mean."""
    print("no result")
    return jobs.wait.max() / jobs.wait.mean()


def broken(jobs):
    return 1 / 0
'''
STUDY = """\
metrics = ["BSLD", "mine.py:fairness"]
policies = ["easy", "list-saf"]
store = "results"
[[workload]]
generate = { jobs = 60, procs = 16, load = 1.2, seed = 3 }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine.py").write_text(MINE)
    (tmp_path / "study" / "s.toml").write_text(STUDY)
    return tmp_path


def ratio(metrics):
    assert metrics["fairness"] == pytest.approx(metrics["max_wait"] / metrics["wait"])


def test_one_log(packwise, folder, log):
    names = "--metrics", "wait,max_wait,mine.py:fairness", "--json"
    for run in packwise("compare", log, "--policies", "easy,list-saf", *names).json["runs"]:
        ratio(run["metrics"])
    ratio(packwise("replay", log, *names, "--output", "plan.csv").json["metrics"])
    ratio(packwise("metrics", "plan.csv", "--procs", 32, *names).json["metrics"])
    told = packwise("predict", log, "--predictors", "exact", *names).json
    ratio(told["policies"][0]["effect"]["runs"][0]["metrics"])
    found = packwise("whatif", log, "--load", "+20%", *names).json
    assert [ratio(run["metrics"]) for run in found["runs"]] == [None, None]
    described = packwise("metrics", "--describe", "mine.py:fairness", "--json").json
    assert described["meaning"] == "Longest wait by the mean."
    listed = packwise("metrics", "--list", "--json").json
    assert "fairness" not in listed


def test_a_table(packwise, folder, log):
    shown = packwise(
        "compare", log, "--policies", "easy,list-saf", "--metrics", "BSLD,mine.py:fairness"
    )
    assert shown.status == 0
    assert "fairness" in shown.stdout
    assert "@" not in shown.stdout
    assert "no result" not in shown.stdout


def test_a_study(packwise, folder):
    """The file is looked for beside the study; tables and pages call the metric by its short name."""
    study = "study/s.toml"
    (folder / "mine.py").unlink()
    assert packwise("study", "run", study, "-w", 1).status == 0
    cells = packwise("study", "table", study, "--metric", "all", "--json").json["cells"]
    by_hand = {
        cell["policy"]: cell["value"]
        / next(c["value"] for c in cells if c["metric"] == "wait" and c["policy"] == cell["policy"])
        for cell in cells
        if cell["metric"] == "max_wait"
    }
    ours = packwise("study", "table", study, "--metric", "study/mine.py:fairness", "--json").json
    assert {cell["policy"]: cell["value"] for cell in ours["cells"]} == pytest.approx(by_hand)
    assert "fairness: change against easy" in packwise("study", "table", study).stdout
    asked = "select policy, fairness from results"
    rows = packwise("study", "sql", study, asked, "--json").json["rows"]
    assert {row["policy"]: row["fairness"] for row in rows} == pytest.approx(by_hand)
    assert packwise("study", "sql", "study/results", "--json").status == 0
    assert packwise("report", study, "--output", "page.html").status == 0
    page = (folder / "page.html").read_text()
    assert "Longest wait by the mean" in page
    assert "mine.py:fairness, sha256" in page


def test_an_edited_file_is_measured_by_the_table(packwise, folder):
    study, file = "study/s.toml", folder / "study" / "mine.py"
    packwise("study", "run", study, "-w", 1)
    file.write_text("def fairness(jobs):\n    return len(jobs)\n")
    told = packwise(
        "study", "table", study, "--metric", "study/mine.py:fairness", "--values", "--json"
    )
    assert [cell["value"] for cell in told.json["cells"]] == [60, 60]


def test_one_that_fails_stops_nobody_who_asks_for_another(packwise, folder):
    study = "study/s.toml"
    packwise("study", "run", study, "-w", 1, "--metrics", "BSLD")
    (folder / "study" / "mine.py").write_text("def fairness(jobs):\n    return 1 / 0\n")
    assert "ZeroDivisionError" in packwise("study", "table", study).stderr
    assert packwise("study", "table", study, "--metric", "BSLD").status == 0


def test_a_store_that_cannot_be_written(packwise, folder, monkeypatch):
    from packwise.experiments.store import Store
    from packwise.model.errors import OutputError

    def refuse(self, done):
        raise OutputError("results: the disk is full.")

    study = "study/s.toml"
    packwise("study", "run", study, "-w", 1, "--metrics", "BSLD")
    monkeypatch.setattr(Store, "write", refuse)
    shown = packwise("study", "table", study)
    assert shown.status == 0
    assert "BSLD" in shown.stdout
    assert "metrics of your own are not measured: results: the disk is full." in shown.stderr
    assert "the disk is full" in packwise("study", "run", study, "-w", 1).stderr


def test_a_page_of_one_log(packwise, folder, log):
    given = "--policies", "easy,list-saf", "--metrics", "BSLD,mine.py:fairness", "--store", "kept"
    done = packwise("report", log, *given, "--output", "page.html")
    assert done.status == 0, done.stderr
    assert "mine.py:fairness, sha256" in (folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine.py:broken", "metric 'mine.py:broken' should return a number for 300 jobs"),
        ("mine.py:none", "unknown metric in mine.py 'none'"),
        ("gone.py:none", "metric file 'gone.py' does not exist"),
    ],
)
def test_an_error_is_one_paragraph(packwise, folder, log, name, said):
    told = packwise("compare", log, "--policies", "easy", "--metrics", name)
    assert told.status == 2
    assert said in told.stderr
    assert "Traceback" not in told.stderr


def test_its_file_is_not_written_over(packwise, folder, log):
    table = "study", "table", "study/s.toml"
    own = "--metrics", "mine.py:fairness"
    for told in (
        packwise("compare", log, "--policies", "easy", *own, "--csv", "mine.py"),
        packwise(*table, "--csv", "study/mine.py"),
        packwise(*table, "--metric", "mine.py:fairness", "--csv", "mine.py"),
    ):
        assert told.status == 3
        assert "mine.py: is the file that is read" in told.stderr
    assert (folder / "mine.py").read_text() == MINE
    assert (folder / "study" / "mine.py").read_text() == MINE
