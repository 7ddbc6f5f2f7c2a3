"""What policies and estimates say of their results: packages that count, and that the clock has a say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from packwise import registry
from packwise.experiments import scenario as scenario_module
from packwise.experiments import work
from packwise.experiments.declarations import is_reproducible, packages_of
from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.scenario import Choice, Scenario, TraceFile
from packwise.experiments.study_file import read_study
from packwise.experiments.tables.results import StudyResults
from packwise.experiments.tables.tabulation import tabulate
from packwise.experiments.tables.text import csv_text, latex_text, markdown_text
from packwise.experiments.work import Task, perform
from packwise.metrics.catalogue import metric
from packwise.model.errors import InputError
from packwise.workloads.window import Window

MINE = """
from packwise.policies import ListPolicy


class Mine(ListPolicy):
    packages = ("lightgbm", "a-package-that-is-not-there")
    reproducible = False


mine = Mine(name="mine")


def function(view): ...


function.reproducible = False
"""


@pytest.fixture
def key_with(make_study, monkeypatch):
    """The key of a scenario where a package has another version."""
    plain = make_study().scenarios[0]
    trace = replace(plain.workload, source=TraceFile("log.swf", "0" * 64))

    def key(policy="easy", estimate="requested", drawn=False, window=None, **versions):
        monkeypatch.setattr(scenario_module, "installed", lambda name: versions.get(name, "1.0"))
        jobs = plain.workload if drawn else replace(trace, window=window or Window())
        choices = (Choice(name, name) for name in (policy, estimate))
        return Scenario(jobs, plain.machine, *choices).key

    return key


@pytest.mark.parametrize(
    ("what", "counting"),
    [
        ({"policy": "easy"}, {"numba"}),
        ({"policy": "packwise(budget=10)"}, {"numba"}),
        ({"policy": "cp-awf(deterministic=0.1)"}, {"numba", "ortools"}),
        ({"policy": "cp-p2sf+(limit=1s)"}, {"numba", "ortools"}),
        ({"estimate": "gbm"}, {"numba", "lightgbm"}),
        ({"estimate": "last2"}, {"numba"}),
        ({"drawn": True}, {"numba", "numpy"}),
        ({"window": Window(seed=1)}, {"numba", "numpy"}),
        ({"window": Window(deadlines=("slack(share=20%)",))}, {"numba", "numpy"}),
    ],
)
def test_versions_of_what_a_scenario_uses_count_and_no_others(key_with, what, counting):
    packages = ("numba", "numpy", "ortools", "lightgbm", "polars")
    before = key_with(**what)
    assert {name for name in packages if key_with(**what, **{name: "2.0"}) != before} == counting


def test_the_record_has_the_versions_of_the_key(make_study):
    record = perform(Task(make_study("easy").scenarios[0])).record
    assert set(record["packages"]) == {"numba", "numpy"}
    assert record["packages"].items() <= record["versions"].items()


def test_a_worker_with_another_version_must_not_answer(make_study):
    task = Task(make_study("easy").scenarios[0], packages={"numba": "0.0.1"})
    assert "this worker has numba" in perform(task).record["message"]
    task = replace(task, packages={"no-such-package": "1.2"})
    message = perform(task).record["message"]
    assert "no-such-package (not installed), the study was started with 1.2" in message


def test_a_study_sends_its_versions_with_the_tasks(make_study, store, in_process, monkeypatch):
    study = make_study("easy")
    study.scenarios[0].key  # noqa: B018, with the versions here
    monkeypatch.setattr(work, "installed", lambda name: "another")
    results = []
    run_plan(make_plan(study, store), store, in_process, lambda _, result: results.append(result))
    assert "this worker has num" in results[0].record["message"]


def test_packages_of_a_policy_of_ones_own(tmp_path):
    (tmp_path / "my.py").write_text(MINE)
    file = tmp_path / "s.toml"
    file.write_text('policies=["my.py:mine"]\n[[workload]]\ngenerate={jobs=9,procs=4}\n')
    (scenario,) = read_study(file).scenarios
    assert set(scenario.packages) == {"a-package-that-is-not-there", "lightgbm", "numba", "numpy"}
    assert scenario.packages["a-package-that-is-not-there"] == ""
    assert Scenario.from_specification(scenario.specification()) == scenario
    (tmp_path / "my.py").write_text(MINE.replace('("lightgbm", "a-', '("lightgbm" "a-'))
    with pytest.raises(InputError, match="packages should be names of installed packages"):
        read_study(file)


def test_who_says_that_the_clock_has_a_say():
    told = {name: registry.policy(name) for name in ("easy", "packwise", "cp-awf", "cp-bsld+")}
    told["fixed"] = registry.policy("cp-awf(deterministic=0.1)")
    assert {name for name, one in told.items() if not is_reproducible(one)} == {
        "cp-awf",
        "cp-bsld+",
    }
    function = registry.policy("my.py:function", MINE)
    assert (is_reproducible(function), packages_of(function)) == (False, ())
    with pytest.raises(InputError, match="reproducible should be True or False, found 'no'"):
        is_reproducible(registry.policy("my.py:function", MINE.replace("= False", "= 'no'")))


@pytest.fixture
def marked(make_study, store, in_process):
    """The results of a study in which one policy of three depends on the clock."""
    study = make_study("list-reg", "easy")
    mine = replace(study.scenarios[0], policy=Choice("mine", "my.py:mine", MINE))
    study = study.replace(scenarios=(*study.scenarios, mine))
    run_plan(make_plan(study, store), store, in_process, lambda *_: None)
    assert [store.record(s.key)["reproducible"] for s in study.scenarios] == [True, True, False]
    return StudyResults.of(study, store.frame())


def test_the_mark_in_tables(marked):
    table = tabulate(marked, metric("BSLD"))
    entries = {row.policy: row.entries[0].marked for row in table.blocks[0].rows}
    assert [name for name, text in entries.items() if text.endswith("†")] == ["mine"]
    assert any(line.startswith("† marks what another run need not give") for line in table.legend)
    assert "†" in markdown_text([table])
    assert r"\,$\dagger$" in latex_text([table])
    header, *lines = csv_text(marked, [metric("BSLD")]).splitlines()
    assert header.endswith(",reproducible")
    assert [line.rpartition(",")[2] for line in lines] == ["yes", "yes", "no"]
    assert "1 of 3 results (mine) depend on the clock" in marked.chance_words()


def test_changes_against_a_baseline_that_depends_on_the_clock_are_marked(marked):
    against = marked.against(replace(marked.study.baseline, policy="mine"))
    (block,) = tabulate(against, metric("BSLD")).blocks
    assert all(row.entries[0].marked.endswith("†") for row in block.rows)
    (block,) = tabulate(against, metric("BSLD"), values=True).blocks
    assert [row.entries[0].reproducible for row in block.rows] == [True, True, False]


def test_no_mark_where_all_is_reproducible(make_study, store, in_process):
    study = make_study()
    run_plan(make_plan(study, store), store, in_process, lambda *_: None)
    results = StudyResults.of(study, store.frame())
    assert results.chance_words() == ""
    assert "†" not in markdown_text([tabulate(results, metric("BSLD"))])


def test_records_of_older_versions_do_not_tell(make_study, store, in_process):
    import json

    from packwise.experiments.record import sealed

    study = make_study("easy")
    run_plan(make_plan(study, store), store, in_process, lambda *_: None)
    path = store.path(study.scenarios[0].key, ".json")
    record = json.loads(path.read_bytes())
    del record["reproducible"], record["packages"]
    path.write_text(json.dumps(sealed(record)))
    frame, troubles = store.survey()
    assert (frame["reproducible"].to_list(), troubles) == ([None], [])
