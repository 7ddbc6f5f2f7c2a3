"""Studies measured without the jobs that no policy made wait, and without those that end first or last."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.experiments.claim import Between, Claim
from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.scenario import Choice, Generated, MachineSpec, Scenario, WorkloadSpec
from packwise.experiments.store import Store
from packwise.experiments.study import Baseline, Study
from packwise.experiments.tables import part
from packwise.experiments.tables.claims import judge_claims
from packwise.experiments.tables.part import (
    CaseFilter,
    filter_rows,
    filter_words,
    measured_part,
    part_words,
    trim_facts,
    trim_words,
)
from packwise.experiments.tables.results import Point, StudyResults
from packwise.experiments.tables.tabulation import tabulate
from packwise.metrics.catalogue import METRICS, metric, summarize
from packwise.metrics.trimming import Trim
from packwise.workloads.window import Window

POLICIES = ("dbf", "cbf", "easy")


@pytest.fixture
def study(tmp_path, in_process):
    """Two workloads under three policies, run; the first with deadlines, the second in two replicas."""
    requested = Choice("requested", "requested")
    due = WorkloadSpec("due", Generated(150, 16, 1, 0.7), Window(deadlines=("slack(share=20%)",)))
    copies = [WorkloadSpec("free", Generated(150, 16, seed, 0.7), Window()) for seed in (2, 3)]
    scenarios = tuple(
        Scenario(workload, MachineSpec(), Choice(name.upper(), name), requested, replica)
        for workload, replica in ((due, 0), (copies[0], 1), (copies[1], 2))
        for name in POLICIES
    )
    made = Study(
        "s",
        scenarios,
        ("wait",),
        Baseline(policy="CBF"),
        tmp_path / "store",
        drop_unaffected=True,
    )
    store = Store.open(made.store, create=True)
    run_plan(make_plan(made, store), store, in_process, lambda *_: None)
    return made


def results(study):
    return StudyResults.of(study, Store.open(study.store).frame())


def direct(study, workload, replica=0):
    """By hand: values by policy of a case, and how many jobs were left out."""
    store = Store.open(study.store)
    case = [s for s in study.scenarios if s.labels.workload == workload and s.replica == replica]
    found = {s.policy.label: store.replayed(s.key) for s in case}
    jobs = found["DBF"][0]
    waits = np.stack([schedule.start - jobs.submit for _, _, schedule in found.values()])
    only = jobs.deadline_driven | (waits != 0).any(axis=0)
    return {label: summarize(*each, only=only) for label, each in found.items()}, int((~only).sum())


def test_values_are_those_of_the_affected_jobs(study):
    found, whole = results(study), results(study).whole
    values, left_out = direct(study, "due")
    assert 0 < left_out < 150
    for policy in ("DBF", "CBF", "EASY"):
        point = Point("due", "", policy, "requested")
        for name in METRICS:
            cell, all_jobs = found.cell(point, name), whole.cell(point, name)
            value = values[policy].get(name)
            if value is None or not np.isfinite(value):
                assert cell is None
            else:
                assert cell.value == pytest.approx(value, rel=1e-12)
                if metric(name).of_all_jobs:
                    assert cell.value == all_jobs.value
    wait = [r.cell(Point("due", "", "CBF", "requested"), "wait").value for r in (found, whole)]
    assert wait[0] > wait[1]


def test_each_replica_is_a_case(study):
    found = results(study)
    each = [direct(study, "free", replica) for replica in (1, 2)]
    mean = np.mean([values["EASY"]["wait"] for values, _ in each])
    cell = found.cell(Point("free", "", "EASY", "requested"), "wait")
    assert cell.value == pytest.approx(mean)
    assert [(str(case), case.jobs, case.left_out) for case in found.filtered] == [
        ("due / requested", 150, direct(study, "due")[1]),
        ("free / requested / replica 1", 150, each[0][1]),
        ("free / requested / replica 2", 150, each[1][1]),
    ]


def test_another_baseline_keeps_the_filter(study):
    found = results(study)
    other = found.against(Baseline(policy="EASY"))
    assert other.filtered == found.filtered
    assert other.whole.columns is found.unfiltered
    assert other.cell(Point("due", "", "EASY", "requested"), "wait").change == 0


def test_a_study_that_keeps_all_jobs(study):
    plain = results(study.replace(drop_unaffected=False))
    assert plain.filtered == ()
    assert plain.whole is plain


def test_the_store_stays_as_it_is(study):
    def content():
        return {
            path: path.read_bytes()
            for path in sorted(study.store.rglob("*"))
            if path.is_file() and not path.name.startswith("index.")
        }

    before = content()
    results(study)
    assert content() == before


def test_it_is_measured_once(study, monkeypatch):
    first = results(study)
    monkeypatch.setattr(part, "affected", None)
    again = results(study)
    for name, column in first.columns.items():
        np.testing.assert_array_equal(again.columns[name], column)
    assert again.filtered == first.filtered


def test_a_case_that_lacks_a_policy_has_no_values(study):
    """It is said which; metrics of the machine and other cases stay."""
    lost = next(s for s in study.scenarios if s.policy.label == "EASY")
    Store.open(study.store).set_aside(lost.key)
    found = results(study)
    assert found.filtered[0].reason == "EASY has no result"
    assert not found.filtered[1].reason
    point = Point("due", "", "DBF", "requested")
    assert found.cell(point, "wait") is None
    assert found.cell(point, "utilization") is not None
    assert found.whole.cell(point, "wait") is not None
    assert found.cell(Point("free", "", "DBF", "requested"), "wait") is not None
    assert filter_rows(found.filtered)[0] == {
        "workload": "due",
        "machine": "",
        "estimate": "requested",
        "replica": 0,
        "jobs": None,
        "left_out": None,
        "reason": "EASY has no result",
    }


def test_a_damaged_schedule_is_told_and_left_where_it_is(study):
    store = Store.open(study.store)
    path = store.path(study.scenarios[0].key, ".parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    part._measured.cache_clear()
    found = results(study)
    assert "does not have the content that was written" in found.filtered[0].reason
    assert store.has(study.scenarios[0].key)


def test_jobs_that_nothing_delays(tmp_path, in_process):
    """Nothing would be left to measure: no values, and the reason."""
    scenario = Scenario(
        WorkloadSpec("idle", Generated(2, 4096, 1, 0.01), Window()),
        MachineSpec(),
        Choice("easy", "easy"),
        Choice("requested", "requested"),
    )
    study = Study("s", (scenario,), ("wait",), Baseline(), tmp_path / "store", drop_unaffected=True)
    store = Store.open(study.store, create=True)
    run_plan(make_plan(study, store), store, in_process, lambda *_: None)
    found = results(study)
    assert "start at once under everything that is compared" in found.filtered[0].reason
    assert found.cell(Point("idle", "", "easy", "requested"), "wait") is None
    assert filter_words(found.filtered) == ""


def test_the_table_tells(study):
    found = results(study)
    jobs = sum(case.left_out for case in found.filtered)
    (line,) = [x for x in tabulate(found, metric("wait")).legend if x.startswith("Left out")]
    assert line.startswith(f"Left out: {jobs} of 450 jobs (")
    assert "no deadline and start at once under all policies" in line
    assert any("About all jobs" in x for x in tabulate(found, metric("utilization")).legend)
    legend = tabulate(found.whole, metric("wait")).legend
    assert not any("eft out" in x or "all jobs" in x for x in legend)


def test_words():
    one = CaseFilter("a", "", "exact", 0, 10, 4)
    assert one.remark.startswith("left out: 4 of 10 jobs, which have no deadline")
    assert filter_words([one]).startswith("Left out: 4 of 10 jobs, which")
    several = [
        one,
        CaseFilter("b", "", "exact", 0, 1000, 0),
        CaseFilter("c", "", "e", 0, reason="no"),
    ]
    assert filter_words(several).startswith(
        "Left out: 4 of 1,010 jobs (0 to 40 % of a case), which"
    )
    assert filter_words([]) == ""


def test_rows_of_the_store(study):
    import polars as pl

    frame = Store.open(study.store).frame()
    other = frame.head(1).with_columns(pl.lit("0" * 64).alias("key"))
    measured, cases = measured_part(study, pl.concat([frame, other]))
    assert len(measured) == 9
    assert measured["left_out"].sum() == 3 * sum(case.left_out for case in cases)


def test_claims(study):
    """Filtered, unless they are about all jobs; and parts of the deadline-driven jobs."""

    def claim(**changes):
        return Claim(
            "so", "wait", "CBF", Between(None, 1), ("due",), **{"against": None, **changes}
        )

    claims = (
        claim(),
        claim(unfiltered=True),
        Claim(
            "so", "deadline_misses", "EASY", Between(0, 1), ("due", "free"), part_of="deadline_jobs"
        ),
    )
    found = results(study.replace(claims=claims))
    filtered, whole, part = judge_claims(found)
    point = Point("due", "", "CBF", "requested")
    assert filtered.findings[0].checked.measured == found.cell(point, "wait").value
    assert whole.findings[0].checked.measured == found.whole.cell(point, "wait").value
    missed = found.cell(Point("due", "", "EASY", "requested"), "deadline_misses").value
    assert part.findings[0].checked.measured == missed / 30
    assert part.findings[1].checked.measured is None  # no deadlines there, so no misses


def by_hand(study, labels, text, name="wait"):
    """A metric of one result without those that end first or last, and how many these are."""
    store = Store.open(study.store)
    scenario = next(s for s in study.scenarios if s.labels == labels)
    workload, cluster, schedule = store.replayed(scenario.key)
    kept = Trim.of(text).kept(workload, schedule)
    return summarize(workload, cluster, schedule, [name], only=kept)[name], int((~kept).sum())


@pytest.mark.parametrize("text", ["last", "5%", "5%:arrivals"])
def test_without_those_that_end_last(study, text):
    plain = study.of_all_jobs
    trimmed = plain.replace(trim=Trim.of(text), untrimmed=("CBF",))
    found, whole = results(trimmed), results(plain)
    for scenario in study.scenarios:
        labels = scenario.labels
        expected, count = by_hand(study, labels, text)
        assert count > 0
        if labels.policy == "CBF":
            expected = whole.value(labels, "wait")
        assert found.value(labels, "wait") == expected
        assert found.value(labels, "makespan") == whole.value(labels, "makespan")
    assert found.filtered == ()
    assert found.whole.columns is found.unfiltered


def test_without_both(study):
    both = results(study.replace(trim=Trim.of("5%")))
    first = results(study)
    assert both.filtered == first.filtered
    assert all(
        both.value(s.labels, "wait") != first.value(s.labels, "wait") for s in study.scenarios
    )


def test_a_result_of_its_own_is_enough(study):
    """Who ends last under one policy is no matter of the others."""
    trimmed = study.of_all_jobs.replace(trim=Trim.of("last"))
    frame = Store.open(study.store).frame()
    some = frame.filter(frame["policy"] == "EASY")
    found = StudyResults.of(trimmed, some)
    there = [s.labels for s in study.scenarios if s.labels.policy == "EASY"]
    assert [found.value(labels, "wait") for labels in there] == [
        by_hand(study, labels, "last")[0] for labels in there
    ]


def test_words_of_what_is_trimmed(study):
    one = study.of_all_jobs.replace(trim=Trim.of("last"), untrimmed=("EASY", "CBF"))
    assert part_words(one, ()) == "Left out: those that end last. EASY, CBF: all jobs."
    assert trim_facts(one) == {"trim": "last", "untrimmed": ["EASY", "CBF"]}
    table = tabulate(results(one), metric("wait"))
    assert "Left out: those that end last. EASY, CBF: all jobs." in table.legend
    assert trim_words(study) == ""
    assert trim_facts(study) == {"trim": None, "untrimmed": []}
    both = part_words(study.replace(trim=Trim.of("1%")), [CaseFilter("w", "", "e", 0, 10, 4)])
    assert both.endswith("Left out: the 1 % that end first and the 1 % that end last.")
    assert both.startswith("Left out: 4 of 10 jobs")
