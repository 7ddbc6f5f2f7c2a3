"""From a study and its store to a report: which runs are compared, and what is told about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.store import Store
from packwise.experiments.study import Baseline
from packwise.experiments.study_file import read_study
from packwise.experiments.work import Task, perform
from packwise.metrics import summarize
from packwise.metrics.unaffected import affected
from packwise.model.errors import InputError
from packwise.reports.figures import compute
from packwise.reports.material import DeadlineShare
from packwise.reports.page.writing import write_report
from packwise.reports.study.material import study_material
from packwise.workloads.lublin import generate
from packwise.workloads.swf import write_swf
from tests.experiments.conftest import InProcess

STUDY = """
policies = ["list-reg", "easy", "list-saf"]
baseline = "easy"
metrics = ["BSLD", "utilization"]
[[workload]]
generate = { jobs = 60, procs = 16, load = 1.2, seed = 1 }
"""
SEEDS = STUDY.replace("seed = 1", "seeds = [1, 2, 3]")


@pytest.fixture
def done(tmp_path):
    """A study with all its results, from the text of its file."""

    def run(text):
        file = tmp_path / "study.toml"
        file.write_text(text)
        study = read_study(file)
        store = Store.open(study.store, create=True)
        run_plan(make_plan(study, store), store, InProcess(), lambda scenario, result: None)
        return study, store

    return run


def forget(store, study, **labels):
    """Take results away, as if they had not been made."""
    for scenario in study.scenarios:
        if all(getattr(scenario.labels, name) == value for name, value in labels.items()):
            store.path(scenario.key, ".json").unlink()


def test_runs_and_baseline(done):
    study, store = done(STUDY)
    material = study_material(study, store, "packwise report study.toml")
    (case,) = material.cases
    assert [run.label for run in case.runs] == ["list-reg", "easy", "list-saf"]
    assert case.runs[case.baseline].label == "easy"
    assert (case.jobs, case.procs, case.replicas) == (60, 16, 1)
    for run, scenario in zip(case.runs, study.scenarios, strict=True):
        record = store.record(scenario.key)
        assert run.cells["BSLD"].value == record["metrics"]["BSLD"]
        workload, cluster, schedule = run.load()
        assert np.array_equal(schedule.start, store.replayed(scenario.key)[2].start)
        assert (len(workload), cluster.procs) == (60, 16)
    facts = dict(material.provenance)
    assert facts["Command"] == "packwise report study.toml"
    assert "seed 1" in facts["Workload lublin-60-16"]
    assert material.missing == ()


def test_the_store_keeps_when_the_log_began(done, tmp_path):
    log = generate(30, 8, 1).replace(start_time=843480031, time_zone="Europe/Stockholm", header=())
    write_swf(tmp_path / "log.swf", log)
    study, store = done(
        'policies = ["easy"]\nmetrics = ["BSLD"]\n[[workload]]\nfile = "log.swf"\nprocs = 8\n'
    )
    (case,) = study_material(study, store, "").cases
    found = case.runs[0].load().workload
    assert (found.start_time, found.time_zone) == (843480031, "Europe/Stockholm")


def test_replicas_are_kept_apart_for_paired_comparisons(done):
    study, store = done(SEEDS)
    forget(store, study, policy="list-saf", replica=2)
    (case,) = study_material(study, store, "").cases
    for run in case.runs:
        sample = np.array(run.samples["BSLD"])
        assert len(sample) == 3
        assert np.nanmean(sample) == pytest.approx(run.cells["BSLD"].value)
    lost = np.flatnonzero(np.isnan(case.runs[2].samples["BSLD"])).tolist()
    assert lost == [1]
    single, store = done(STUDY)
    (case,) = study_material(single, store, "").cases
    assert all(run.samples == {} for run in case.runs)


def test_all_runs_show_the_same_replica(done):
    """If one policy lacks the first copy, all are shown with another one."""
    study, store = done(SEEDS)
    forget(store, study, policy="list-saf", replica=1)
    (case,) = study_material(study, store, "").cases
    jobs = [run.load().workload for run in case.runs]
    assert len(jobs) == 3
    for other in jobs[1:]:
        assert np.array_equal(other.submit, jobs[0].submit)
        assert np.array_equal(other.demand, jobs[0].demand)
    assert case.replicas == 3


def test_without_a_common_replica_who_lacks_it_is_left_out(done):
    study, store = done(SEEDS)
    forget(store, study, policy="list-saf", replica=1)
    forget(store, study, policy="list-saf", replica=2)
    forget(store, study, policy="easy", replica=3)
    material = study_material(study, store, "")
    (case,) = material.cases
    assert [run.label for run in case.runs] == ["list-reg", "easy"]
    assert ("lublin-60-16 / requested / list-saf" in dict(material.missing)) is True


def test_a_case_without_its_baseline_is_left_out(done):
    study, store = done(STUDY + "[[machine]]\nfactor = 1\n[[machine]]\nfactor = 2\n")
    forget(store, study, policy="easy", machine="x2")
    material = study_material(study, store, "")
    assert [case.machine for case in material.cases] == ["x1"]
    assert dict(material.missing)["lublin-60-16 / x2 / requested"] == (
        "the baseline easy has no result here"
    )


@pytest.mark.parametrize("axis", ["estimate", "machine"])
def test_a_baseline_that_is_no_policy(done, axis):
    more = "[[machine]]\nfactor = 1\n[[machine]]\nfactor = 2\n" if axis == "machine" else ""
    text = STUDY.replace('baseline = "easy"\n', 'estimates = ["requested", "exact"]\n') + more
    study, store = done(text)
    label = {"estimate": "exact", "machine": "x2"}[axis]
    material = study_material(study.replace(baseline=Baseline(**{axis: label})), store, "")
    assert {case.runs[case.baseline].label for case in material.cases} == {label}
    assert len({case.title for case in material.cases}) == len(material.cases)
    assert {len(case.runs) for case in material.cases} == {2}


def test_jobs_that_a_smaller_machine_cannot_run(done, tmp_path):
    machines = "[[machine]]\nfactor = 1\n[[machine]]\nfactor = 0.5\n"
    study, store = done(STUDY.replace('"easy"\n', '{ machine = "x1" }\n') + machines)
    material = study_material(study, store, "")
    for case in material.cases:
        whole, half = (run.load() for run in case.runs)
        assert np.array_equal(whole.workload.id, half.workload.id)
        assert len(whole.workload) == case.jobs < 60
        assert half.workload.demand.max() <= 8
        assert case.procs == 16
        assert "All of this is about" in case.remarks[-1]
    write_report(material, tmp_path / "report.html")


def test_policies_that_refuse_different_jobs(done, tmp_path):
    """The same number of jobs ran, but not the same jobs: figures are about those in both."""
    study, store = done(STUDY)
    refusing = "from packwise import Decision\n" + "".join(
        f"def odd{k}(view):\n"
        f"    refused = [j for j in view.queue.tolist() if j % 4 == {k}]\n"
        "    start, free = [], view.free\n"
        f"    for j in view.queue.tolist():\n"
        f"        if j % 4 != {k} and view.demand[j] <= free:\n"
        "            start.append(j)\n"
        "            free -= view.demand[j]\n"
        "    return Decision(start=start, reject=refused)\n"
        for k in (0, 1)
    )
    scenarios = []
    for k in (0, 1):
        policy = replace(
            study.scenarios[0].policy, label=f"odd{k}", name=f"/x/my.py:odd{k}", source=refusing
        )
        scenarios.append(replace(study.scenarios[0], policy=policy))
        result = perform(Task(scenarios[-1]))
        assert result.record["rejected"] == 15, result.record
        store.write(result)
    both = study.replace(scenarios=tuple(scenarios), baseline=Baseline(policy="odd0"))
    (case,) = study_material(both, store, "").cases
    first, second = (run.load() for run in case.runs)
    assert np.array_equal(first.workload.id, second.workload.id)
    assert case.jobs == 30


def test_sweeps(done):
    text = STUDY.replace("policies", 'estimates = ["exact*0.5", "exact", "exact*2"]\npolicies')
    text += '[[policy]]\nname = "list"\norder = "saf"\ndepth = [1, 2, 3, "unlimited"]\n'
    study, store = done(text)
    forget(store, study, policy="easy", estimate="exact")
    sweeps = {sweep.title: sweep for sweep in study_material(study, store, "").sweeps}
    distortion = sweeps["lublin-60-16: distortion of estimates"]
    assert distortion.points == (0.5, 1.0, 2.0)
    values = distortion.lines["list-reg"]["BSLD"]
    key = next(s.key for s in study.scenarios if s.labels[2:4] == ("list-reg", "exact*2"))
    assert values[2] == store.record(key)["metrics"]["BSLD"]
    assert np.isnan(distortion.lines["easy"]["BSLD"][1])
    depth = sweeps["lublin-60-16: depth"]
    assert depth.points == (1.0, 2.0, 3.0)
    assert set(depth.lines) == {f"list(order=saf) / {e}" for e in study.axis("estimate")}


def test_two_points_are_no_sweep(done):
    study, store = done(STUDY.replace("policies", 'estimates = ["exact", "exact*2"]\npolicies'))
    assert study_material(study, store, "").sweeps == ()


def test_a_study_that_was_not_run(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    study = read_study(file)
    with pytest.raises(InputError, match="no results of this study yet"):
        study_material(study, Store.open(study.store, create=True), "")


def test_a_study_of_which_nothing_can_be_compared(done):
    study, store = done(STUDY)
    forget(store, study, policy="easy")
    with pytest.raises(InputError, match="the baseline easy has no result here"):
        study_material(study, store, "")


def test_an_unfinished_study_says_what_is_missing(done):
    study, store = done(STUDY)
    forget(store, study, policy="list-saf")
    missing = study_material(study, store, "").missing
    assert missing == (("lublin-60-16 / list-saf / requested", "not run yet"),)


DEADLINES = """
policies = ["cbf", "dbf", "easy"]
baseline = "easy"
metrics = ["BSLD"]
[[workload]]
label = "w"
generate = { jobs = 80, procs = 16, load = 1.2, seeds = [1, 2, 3] }
deadlines = "slack(least=1h,factor=2)"
deadline_share = [0.25, 0.75]
"""


def test_deadlines_and_promises_come_from_the_store(done, tmp_path):
    study, store = done(DEADLINES)
    material = study_material(study, store, "")
    few, many = material.cases
    assert (few.share, many.share) == (DeadlineShare("w", 25.0), DeadlineShare("w", 75.0))
    copies = [s for s in study.scenarios if s.labels[0] == "w 25%"]
    stretch = "max_limit_stretch_regular"
    values = [store.record(s.key)["metrics"][stretch] for s in copies if s.policy.label == "dbf"]
    assert few.runs[1].cells[stretch].value == pytest.approx(sum(values) / 3)
    figures = compute(material)
    found = figures.cases[0]
    assert (found.deadlines.regular, found.deadlines.driven) == (60, 20)
    means = []
    for replica in (1, 2, 3):
        runs = {s.policy.label: store.replayed(s.key) for s in copies if s.replica == replica}
        kept = affected(runs["cbf"][0], [schedule for _, _, schedule in runs.values()])
        means.append(summarize(*runs["dbf"], ["wait_regular"], only=kept)["wait_regular"])
    assert found.deadlines.wait_regular["dbf"].value == pytest.approx(sum(means) / 3)
    assert set(found.promises) == {"cbf", "dbf"}
    write_report(material, tmp_path / "report.html", figures=figures)


def test_replicas_that_a_policy_lacks_are_no_others(done):
    study, store = done(DEADLINES)
    forget(store, study, policy="dbf", replica=3)
    for case in study_material(study, store, "").cases:
        assert [len(run.others) for run in case.runs] == [1, 1, 1]


def test_promises_stay_where_jobs_are_left_out(done):
    machines = "[[machine]]\nfactor = 1\n[[machine]]\nfactor = 0.5\n"
    text = DEADLINES.replace('"easy"\nmetrics', '{ machine = "x1" }\nmetrics') + machines
    text = text.replace("[[workload]]", "[[workload]]\nimpossible_deadlines = 'count'")
    study, store = done(text)
    case = next(c for c in study_material(study, store, "").cases if c.machine == "cbf")
    assert case.jobs < 80
    for run in case.runs:
        assert len(run.load().schedule.promised) == case.jobs


def test_a_run_that_depends_on_the_clock_is_told(done, tmp_path):
    (tmp_path / "my.py").write_text(
        "from packwise.policies import ListPolicy\n"
        "class Mine(ListPolicy):\n    reproducible = False\n"
        "mine = Mine(name='mine')\n"
    )
    study, store = done(STUDY.replace('"list-saf"', '"my.py:mine"'))
    material = study_material(study, store, "")
    (case,) = material.cases
    (told,) = [remark for remark in case.remarks if remark.startswith("not reproducible")]
    assert told.startswith("not reproducible: mine depends on the clock")
    assert "1 of 3 results (mine)" in dict(material.provenance)["Not reproducible"]
