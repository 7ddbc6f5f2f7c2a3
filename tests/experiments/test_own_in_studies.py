"""Metrics of the user's own in studies: measured on what is stored, kept by content, no matter who ran it."""

from __future__ import annotations

import json

import pytest

from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.executors.dask_executor import DaskExecutor
from packwise.experiments.executors.processes import ProcessExecutor
from packwise.experiments.own_metrics import measure_own
from packwise.experiments.record import sealed
from packwise.experiments.store import Store
from packwise.experiments.study_file import read_study
from packwise.experiments.tables.results import StudyResults
from packwise.experiments.tables.tabulation import lacking, tabulate
from packwise.metrics import own
from packwise.metrics.catalogue import metric
from packwise.model.errors import InputError
from packwise.reports.study.material import study_material

STUDY = """
policies = ["easy", "list-saf"]
metrics = ["BSLD", "mine.py:fairness"]
[[workload]]
generate = { jobs = 60, procs = 16, load = 1.2 }
"""
LONGEST = "def fairness(jobs):\n    return jobs.wait.max() / 2\n"
MEAN = "def fairness(jobs):\n    return jobs.wait.mean() * 3\n"


@pytest.fixture
def read(tmp_path):
    """Writes a study in a folder of its own, with the files of metrics beside it, and reads it."""

    def make(study: str = STUDY, **files: str):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        (tmp_path / "s.toml").write_text(study)
        return read_study(tmp_path / "s.toml")

    return make


def run(study, executor):
    store = Store.open(study.store, create=True)
    run_plan(make_plan(study, store), store, executor, lambda scenario, result: None)
    measure_own(study, store, study.metrics)
    return store


def values(study, store, name):
    results = StudyResults.of(study, store.frame())
    return [results.value(scenario.labels, name) for scenario in study.scenarios]


def test_by_the_metrics_that_it_is_made_of(read, in_process):
    study = read(mine=LONGEST)
    assert study.metrics == ("BSLD", "fairness")
    store = run(study, in_process)
    assert all("fairness" not in name for task in in_process.tasks for name in task.metrics)
    longest = values(study, store, "max_wait")
    assert values(study, store, "fairness") == [value / 2 for value in longest]
    assert make_plan(study, store).planned == ()


@pytest.mark.parametrize(
    "executor",
    [
        pytest.param(lambda: ProcessExecutor(2), marks=pytest.mark.slow),
        pytest.param(lambda: DaskExecutor("local", {}, 2), marks=pytest.mark.dask),
    ],
)
def test_whoever_ran_it(read, executor):
    study = read(mine=LONGEST)
    store = run(study, executor())
    assert values(study, store, "fairness") == [v / 2 for v in values(study, store, "max_wait")]


def test_the_same_again(read, in_process, tmp_path):
    records = []
    for _ in range(2):
        study = read(mine=LONGEST).replace(store=tmp_path / f"store{len(records)}")
        store = run(study, in_process)
        records.append([store.record(one.key)["metrics"] for one in study.scenarios])
    assert records[0] == records[1]


def test_an_edited_file_is_measured_anew_and_nothing_is_replayed(read, in_process):
    store = run(read(mine=LONGEST), in_process)
    kept = own.stored_name("fairness")
    study = read(mine=MEAN)
    assert "fairness" not in store.frame().columns, "what is stored is of another text"
    in_process.tasks.clear()
    run(study, in_process)
    assert in_process.tasks == []
    assert values(study, store, "fairness") == pytest.approx(
        [3 * v for v in values(study, store, "wait")]
    )
    metrics = store.record(study.scenarios[0].key)["metrics"]
    assert kept in metrics, "who goes back finds the old values"
    assert own.stored_name("fairness") in metrics


def test_measured_once(read, in_process, tmp_path, monkeypatch):
    counted = tmp_path / "calls"
    text = (
        f"def fairness(jobs):\n    with open({str(counted)!r}, 'a') as file:\n        file.write('.')\n"
        "    return float('nan')\n"
    )
    study = read(mine=text)
    store = run(study, in_process)
    run(study, in_process)
    monkeypatch.setattr(own, "_known", {})  # another process
    run(read(), in_process)
    assert counted.read_text() == "..", "once for each of two scenarios"
    assert values(study, store, "fairness") == [None, None]
    assert lacking(StudyResults.of(study, store.frame()), metric("fairness")) == 0


def test_two_of_one_name(read, in_process):
    both = STUDY.replace('"mine.py:fairness"', '"mine.py:fairness", "other.py:fairness"')
    study = read(both, mine=LONGEST, other=MEAN)
    assert study.metrics == ("BSLD", "fairness", "fairness (other.py)")
    store = run(study, in_process)
    assert values(study, store, "fairness (other.py)") == pytest.approx(
        [3 * value for value in values(study, store, "wait")]
    )
    assert values(study, store, "fairness") == [v / 2 for v in values(study, store, "max_wait")]


def test_where_no_policy_made_jobs_wait(read, in_process):
    """Left out jobs did not wait: the longest wait stays, the mean grows."""
    for text in (MEAN, LONGEST):
        study = read(f"drop_unaffected = true\n{STUDY}", mine=text)
        store = run(study, in_process)
        found = values(study, store, "fairness")
        name, factor = ("wait", 3) if text == MEAN else ("max_wait", 0.5)
        assert found == pytest.approx([factor * value for value in values(study, store, name)])
    whole = values(study.replace(drop_unaffected=False), store, "wait")
    assert values(study, store, "wait") != whole, "some jobs were left out"


def test_in_tables_and_reports(read, in_process):
    study = read(mine=LONGEST)
    store = run(study, in_process)
    table = tabulate(StudyResults.of(study, store.frame()), metric("fairness"), values=True)
    assert table.title == "fairness: fairness"
    assert len(table.blocks[0].rows) == 2
    material = study_material(study, store, "")
    assert material.metrics == ("BSLD", "fairness")
    assert all(run.cells["fairness"] is not None for run in material.cases[0].runs)


def test_in_a_claim(read, in_process):
    claim = (
        '[[claim]]\nsays = "it waits"\nmetric = "mine.py:fairness"\npolicy = "easy"\nat_least = 0\n'
    )
    assert read(STUDY + claim, mine=LONGEST).claims[0].metric == "fairness"


def test_a_metric_that_fails_loses_no_result(read, in_process):
    study = read(mine="def fairness(jobs):\n    return 1 / 0\n")
    with pytest.raises(InputError, match="ZeroDivisionError: division by zero"):
        run(study, in_process)
    assert make_plan(study, Store(study.store)).planned == ()
    study = read(mine=LONGEST)
    assert None not in values(study, run(study, in_process), "fairness")


def test_one_that_does_not_apply_has_no_value(read, in_process):
    text = (
        "from packwise.metrics import Metric\n"
        "fairness = Metric('late', '', '', '', 'lower', '', '', lambda jobs: 1, of_deadlines=True)\n"
    )
    study = read(mine=text)
    assert values(study, run(study, in_process), "late") == [None, None]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone.py:fairness", "line 3: metric 'gone.py:fairness': there is no file"),
        ("mine.py:fairnes", "line 3: unknown metric in .*mine.py 'fairnes'. Did you mean fairness"),
        ("mine.py", "line 3: metric 'mine.py': say which metric of the file"),
        ('mine.py:fairness", "mine.py:fairness', "metric 'fairness' is there twice"),
    ],
)
def test_what_is_wrong_in_a_study(read, name, said):
    with pytest.raises(InputError, match=said):
        read(STUDY.replace("mine.py:fairness", name), mine=LONGEST)


def test_columns_that_nobody_here_knows(read, in_process, monkeypatch, tmp_path):
    """Somebody else's metric, or a name that looks like a file, is a column, and nothing is run."""
    (tmp_path / "evil.py").write_text("raise SystemExit('run')\n")
    monkeypatch.chdir(tmp_path)
    store = run(read(mine=LONGEST), in_process)
    study = read("drop_unaffected = true\n" + STUDY.replace(', "mine.py:fairness"', ""))
    path = store.path(study.scenarios[0].key, ".json")
    record = json.loads(path.read_bytes())
    stored = own.stored_name("fairness")
    record["metrics"] |= {"evil.py:it": 1.0, "fairness": 9.0}
    path.write_text(json.dumps(sealed(record)))
    assert store.frame()["fairness"].to_list().count(9.0) == 0, "ours is what the file here means"
    monkeypatch.setattr(own, "_known", {})
    frame = store.frame()
    assert {stored, "evil.py:it"} <= set(frame.columns)
    results = StudyResults.of(study, frame)
    assert results.there.all()
    assert study_material(study, store, "").metrics == ("BSLD",)
