"""Files of the user that change while a study runs: a result is what its key says, or it is not there."""

from __future__ import annotations

import sys

import pytest

from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.executors.processes import ProcessExecutor
from packwise.experiments.store import Store
from packwise.experiments.study_file import read_study

STUDY = """
policies = ["list-sjf", "list-ljf"]
[[policy]]
name = "my.py:mine"
label = "mine"
[[workload]]
generate = { jobs = 60, procs = 16, load = 1.2 }
"""
MINE = "import order_of_mine\nfrom packwise.registry import policy\nmine = policy(order_of_mine.NAME)\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A policy that is what a module of the user says: at first, shortest jobs first."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my.py").write_text(MINE)
    (tmp_path / "order_of_mine.py").write_text("NAME = 'list-sjf'\n")
    (tmp_path / "s.toml").write_text(STUDY)
    found = read_study(tmp_path / "s.toml")
    yield found
    sys.modules.pop("order_of_mine", None)


@pytest.mark.slow
def test_a_module_that_is_edited_while_a_study_runs(study, tmp_path):
    (tmp_path / "order_of_mine.py").write_text("NAME = 'list-ljf'\n")
    store = Store.open(tmp_path / "store", create=True)
    run_plan(make_plan(study, store), store, ProcessExecutor(1), lambda scenario, result: None)
    shortest, longest, mine = (store.schedule(s.key) for s in study.scenarios)
    assert shortest != longest
    assert mine == shortest, "stored under the key of what the module said when the study began"
    assert read_study(tmp_path / "s.toml").scenarios[2].key != study.scenarios[2].key


@pytest.mark.slow
def test_a_module_that_only_the_running_policy_asks_for(study, tmp_path):
    """It is in no import statement, so it cannot be in the key: the scenario fails, and says why."""
    (tmp_path / "my.py").write_text(
        MINE.replace("import order_of_mine", "order_of_mine = __import__('order_of_mine')")
    )
    store = Store.open(tmp_path / "store", create=True)
    again = read_study(tmp_path / "s.toml")
    failures = []
    run_plan(
        make_plan(again, store),
        store,
        ProcessExecutor(1),
        lambda scenario, result: failures.append(result),
    )
    (record,) = [result.record for result in failures if "message" in result.record]
    assert "order_of_mine.py" in record["message"]
    assert not store.has(again.scenarios[2].key)
