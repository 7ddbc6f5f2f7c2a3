"""No lead within the noise: not in words, not in tables, not as a trade-off."""

from __future__ import annotations

import csv
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from packwise.experiments.tables.cells import Cell
from packwise.metrics.catalogue import summarize
from packwise.metrics.comparison import change_percent
from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.model.sizing import IN_USE, Sizing
from packwise.model.workload import Workload
from packwise.reports.charts.pareto import pareto, unbeaten
from packwise.reports.figures import compute
from packwise.reports.groups.section import group_tables
from packwise.reports.material import Case, Replayed, ReportRun
from packwise.reports.page.downloads import downloads
from packwise.reports.verdicts.policies import opening, policy_words
from packwise.reports.verdicts.words import caution, summary
from tests.reports.materials import make_material
from tests.reports.test_words import plain

DAY = 86400
METRICS = ("wait", "AF", "wait_p90", "max_wait", "utilization")


def log(days: int = 40, users: int = 2) -> Workload:
    n = 4 * days
    place = np.arange(n)
    return Workload(
        "w", place, place * DAY // 4, np.full(n, 600), np.full(n, 600), np.where(place % 2, 8, 1),
        user=place % users, names={"user": tuple(f"u{k}" for k in range(users))},
    )  # fmt: skip


def case_of(waits: dict[str, np.ndarray], workload: Workload, **policies: str) -> Case:
    """Each policy makes jobs wait so long."""
    cluster = Cluster.pool(10_000)
    runs, first = [], None
    for label, wait in waits.items():
        start = workload.submit + wait
        schedule = Schedule(start, start + workload.runtime)
        values = summarize(workload, cluster, schedule, METRICS)
        first = first or values
        cells = {
            name: Cell(value, None, change_percent(value, first[name]), None, None, 1)
            for name, value in values.items()
        }
        run = Replayed(workload, cluster, schedule)
        runs.append(ReportRun(label, policies.get(label, label), cells, lambda run=run: run))
    return Case("w", "", "", len(workload), 10_000, tuple(runs), 0, 1)


def measured(case: Case) -> tuple[Case, object]:
    (found,) = compute(make_material(case, metrics=METRICS)).cases
    return found.case, found


def test_a_difference_of_every_day_leads() -> None:
    jobs = log()
    base = 3600 + 600 * (np.arange(len(jobs)) % 7)
    case, found = measured(case_of({"old": base, "new": base // 2}, jobs))
    (said,) = summary(case, METRICS, 0.95)
    assert said.startswith("new is best by wait (")
    assert case.runs[1].cells["wait"].significant
    assert [row[0].best for row in found.table.rows] == [False, True]
    (told,) = policy_words(case, found.waits, METRICS, 0.95)
    assert (
        plain(told.waits[0])
        == "Jobs wait less: 44.9 min on average, against 89.8 min under old (-50 %)."
    )
    assert "By user: less for 2" in told.waits[1]
    assert "Better than old by wait" in told.price
    assert "no metric here gets worse for certain" in told.price


def test_one_bad_day_makes_no_winner() -> None:
    jobs = log()
    base = 3600 + 600 * (np.arange(len(jobs)) % 7)
    other = base + np.where(np.arange(len(jobs)) // 4 == 11, 80_000, 0)
    case, found = measured(case_of({"old": base, "new": other}, jobs))
    cell = case.runs[1].cells["wait"]
    assert cell.change > 30
    assert cell.significant is False
    said = " ".join(summary(case, METRICS, 0.95))
    assert "best by wait" not in said
    assert "No difference that means anything by wait" in said
    (old, new) = found.table.rows
    assert new[0].noise
    assert new[0].change.startswith("≈")
    assert not old[0].best
    assert not new[0].best
    (told,) = policy_words(case, found.waits, METRICS, 0.95)
    assert told.waits[0].endswith("which may be chance.")
    assert "The price" not in told.price
    assert "Not to be told from old by wait" in told.price
    assert "cut into 20 parts" in caution([case])


def test_what_has_no_test_makes_nobody_the_best() -> None:
    jobs = log()
    base = np.full(len(jobs), 3600)
    longer = base.copy()
    longer[-1] += 40 * DAY  # the machine stands idle for as long again
    case, found = measured(case_of({"old": base, "new": longer}, jobs))
    (said,) = summary(case, METRICS, 0.95)
    assert "Over the whole log, without a test for chance: old is best by" in said
    place = METRICS.index("utilization")
    assert not any(row[place].best for row in found.table.rows)


def test_too_few_jobs_make_nobody_better() -> None:
    jobs = log(days=1)
    base = np.full(len(jobs), 36000)
    case, found = measured(case_of({"old": base, "new": base // 2}, jobs))
    assert case.untested
    assert summary(case, METRICS, 0.95) == []
    assert not any(cell.best for row in found.table.rows for cell in row)
    (told,) = policy_words(case, found.waits, METRICS, 0.95)
    assert told.waits[0].endswith("which may be chance.")
    assert told.price == ""
    assert "Not at all" in caution([case])


def test_the_choice_of_metrics_is_not_too_few_jobs() -> None:
    jobs = log()
    base = np.full(len(jobs), 3600)
    case = case_of({"old": base, "new": base // 2}, jobs)
    (found,) = compute(make_material(case, metrics=("utilization",))).cases
    assert not found.case.untested
    assert "too few" not in caution([found.case])


def test_from_nothing_to_something_by_one_day() -> None:
    jobs = log()
    base = np.zeros(len(jobs), np.int64)
    case, found = measured(
        case_of({"old": base, "new": base + 90_000 * (np.arange(len(jobs)) // 4 == 9)}, jobs)
    )
    assert case.runs[1].cells["wait"].significant is False
    assert "best by wait" not in " ".join(summary(case, METRICS, 0.95))
    (told,) = policy_words(case, found.waits, METRICS, 0.95)
    assert "worse by" not in told.price
    every_day = measured(case_of({"old": base, "new": base + 900}, jobs))[0]
    assert every_day.runs[1].cells["wait"].significant


def test_metrics_are_about_the_jobs_that_ran_under_all() -> None:
    """What is stored of new is about other jobs, and far better than it is for these."""
    jobs = log()
    base = 3600 + 600 * (np.arange(len(jobs)) % 7)
    made = case_of({"old": base, "new": 2 * base}, jobs)
    stored = made.runs[1].cells
    better = {name: replace(cell, value=cell.value / 10) for name, cell in stored.items()}
    runs = (made.runs[0], replace(made.runs[1], cells=better))
    case, _ = measured(replace(made, runs=runs, partial=True))
    for name in ("wait", "AF", "utilization"):
        assert case.runs[1].cells[name].value == pytest.approx(stored[name].value)
        assert case.runs[1].cells[name].change == pytest.approx(stored[name].change)
    assert case.runs[1].cells["wait"].significant
    (said,) = summary(case, METRICS, 0.95)
    assert said.startswith("old is best by wait")


def test_a_value_about_other_jobs_is_not_tested() -> None:
    jobs = log()
    base = 3600 + 600 * (np.arange(len(jobs)) % 7)
    made = case_of({"old": base, "new": 2 * base}, jobs)
    other = {
        name: replace(cell, value=cell.value / 10) for name, cell in made.runs[1].cells.items()
    }
    case, _ = measured(replace(made, runs=(made.runs[0], replace(made.runs[1], cells=other))))
    assert not case.in_parts


def test_a_machine_in_doubt_makes_nobody_better() -> None:
    jobs = log()
    base = 3600 + np.arange(len(jobs))
    made = case_of({"then": base, "new": base // 2}, jobs, then="recorded")
    case, found = measured(replace(made, sizing=Sizing("guessed", IN_USE, "It cannot be.")))
    assert opening(case, found.waits) == caution([case]) == ""
    assert summary(case, METRICS, 0.95) == []
    assert policy_words(case, found.waits, METRICS, 0.95) == []
    tables = [found.table, *(table for _, table in group_tables(case, found.waits))]
    cells = [cell for table in tables for row in table.rows for cell in row]
    assert not any(cell.change or cell.step or cell.best or cell.noise for cell in cells)
    assert not any(found.pareto.fronts.values())
    assert next(one for one in found.charts if one.name == "size-classes").panels == ()
    assert found.users.charts == {}
    guess = "On 10,000 processors, a guess: the most in use at once."
    assert {chart.note for chart in found.charts} == {guess}
    assert found.table.title.endswith(guess)
    material = make_material(case, metrics=METRICS)
    for one in downloads(material, compute(material)):
        lines = b64decode(one.address.partition(",")[2]).decode().splitlines()
        for row in csv.DictReader(lines):
            assert not any(row[name] for name in row if "change" in name or name == "sure")


def test_a_guess_that_nothing_speaks_against_has_verdicts() -> None:
    jobs = log()
    base = 3600 + np.arange(len(jobs))
    made = case_of({"old": base, "new": base // 2}, jobs)
    case, found = measured(replace(made, sizing=Sizing("guessed", IN_USE)))
    assert "new is best by" in summary(case, METRICS, 0.95)[0]
    assert found.gantt.note.endswith("a guess: the most in use at once.")


def test_some_pay_though_no_metric_does() -> None:
    jobs = log()
    place = np.arange(len(jobs))
    base = 7200 + 60 * (place % 5)
    new = np.where(jobs.user == 0, base // 4, base + 1200)
    case, found = measured(case_of({"old": base, "new": new}, jobs))
    (told,) = policy_words(case, found.waits, ("wait",), 0.95)
    assert "no metric here gets worse for certain, but some wait longer" in told.price


def test_what_really_happened_is_called_so() -> None:
    jobs = log()
    base = 3600 + np.arange(len(jobs))
    case, found = measured(case_of({"then": base, "new": base // 2}, jobs, then="recorded"))
    assert plain(opening(case, found.waits)).startswith(
        "A job waits on average 61.3 min as it really"
    )
    (told,) = policy_words(case, found.waits, METRICS, 0.95)
    assert "against 61.3 min really" in told.waits[0]
    assert "Better than what really happened by wait" in told.price


def test_a_trade_off_within_the_noise_is_not_drawn() -> None:
    """By AF new is better on one day only; by the 90th percentile it is worse, by the doing of a few jobs."""
    jobs = log()
    place = np.arange(len(jobs))
    base = 3600 + 60 * (place % 5)
    noise = base + np.where(place == 44, 90_000, 0) - np.where(place // 4 == 3, 3000, 0)
    case, _ = measured(case_of({"old": base, "new": noise}, jobs))
    for other in ("wait_p90", "max_wait", "utilization"):
        two = pareto(case, ("AF", other))
        assert two.fronts[0, 1] == ()
        assert (
            "There is no trade-off beyond the noise here: nobody beats old and new."
            in two.words[0, 1]
        )
        assert two.chart().panels[0].series[0].x.size == 0


def test_a_real_trade_off_is_drawn() -> None:
    """A quarter of the jobs wait longer every day, the others less: AF and the 90th percentile disagree."""
    jobs = log(60)
    place = np.arange(len(jobs))
    base = np.full(len(jobs), 7200) + 10 * (place % 3)
    new = np.where(place % 4 == 0, 2 * base, base // 4)
    cells = case_of({"old": base, "new": new}, jobs)
    (found,) = compute(make_material(cells, metrics=("AF", "wait_p90"))).cases
    assert found.pareto.fronts[0, 1] == (1, 0)
    assert "dashed line" in found.pareto.words[0, 1]
    assert "its distance from old" in found.pareto.words[0, 1]


def test_nobody_is_on_the_front_who_is_beaten_for_certain() -> None:
    lost_x = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool)  # 0 loses to both by x
    lost_y = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0]], bool)  # 1 loses to 2, 2 loses to 0
    assert unbeaten(lost_x, lost_y) == [2]
    assert unbeaten(lost_x & False, lost_y & False) == [0, 1, 2]


def test_nearly_equal_values_do_not_fill_an_axis() -> None:
    jobs = log()
    base = np.full(len(jobs), 36000)
    case = case_of({"old": base, "new": base + 30}, jobs)
    axis = pareto(case, ("wait", "AF")).axes[0]
    assert axis.range is not None
    low, high = axis.range
    assert (high - low) / low == pytest.approx(0.1, rel=0.1)
    assert (
        pareto(case_of({"old": base, "new": 2 * base}, jobs), ("wait", "AF")).axes[0].range is None
    )
