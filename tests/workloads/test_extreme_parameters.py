"""Numbers that nobody means: refused with a name, before they overflow or fill the memory."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from packwise.metrics import metric
from packwise.model import Workload
from packwise.model.errors import InputError
from packwise.workloads.deadlines import assign_deadlines, parse_rules
from packwise.workloads.deadlines.rules import Clock, Slack
from packwise.workloads.lublin import generate
from packwise.workloads.transform import round_demand, scale_load, shake, window_count, window_time

JOBS = Workload.of([(100, 2, 10, 50), (200, 4, 10, 50), (300, 2, 10, 2**40)], "three")
HUGE = 10**30


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            "slack(factor=1e308)",
            "factor should be a number above 0 and up to 2^40, such as 10, found '1e308'",
        ),
        ("slack(factor=1e400)", "factor should be a number above 0 and up to 2^40"),
        ("slack(factor=nan)", "factor should be a number above 0"),
        ("slack(factor=1e12)", "would lie beyond 2^40 s. Choose a smaller factor"),
        ("slack(factor=2)", "job 3, with a limit of 1099511627776 s, would lie beyond 2^40 s"),
        ("slack(least=1e308)", "found '1e308'"),
        ("slack(least=99999999w)", "found '99999999w'"),
        ("slack(seed=1000000000000000000)", "seed should be a whole number"),
        ("slack(queue=9999999999999999999)", "queue should be numbers"),
        ("slack(share=1e-400)", "share should be between 0 and 1"),
        ("morning(hour=24)", "hour should be a whole number from 0 to 23"),
        ("morning", "inside the calendar"),
    ],
)
def test_rules_of_deadlines(rule: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        assign_deadlines(JOBS, parse_rules(rule), 4)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: Slack(factor=1e308),
            "deadline rule 'slack(factor=1e+308)': factor should be a number",
        ),
        (lambda: Slack(factor=float("nan")), "factor should be a number above 0"),
        (lambda: Slack(factor=-1), "factor should be a number above 0"),
        (lambda: Slack(least=0), "least should be from 1 s to 2^40 s, found 0"),
        (lambda: Slack(least=2**41), "least should be from 1 s to 2^40 s"),
        (lambda: Slack(share=Fraction(3, 2)), "share should be between 0 and 1, found 3/2"),
        (lambda: Slack(share=Fraction(-1, 2)), "share should be between 0 and 1"),
        (lambda: Slack(seed=-1), "seed should be a whole number from 0"),
        (lambda: Clock(hour=24), "hour should be a whole number from 0 to 23"),
        (lambda: Clock(day=7), "day should be from 0, Monday, to 6, Sunday, found 7"),
    ],
)
def test_rules_as_values(make, words: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: scale_load(JOBS, 1e308), "at most 1,000 (1.2 is 20 % more load), found 1e+308"),
        (lambda: scale_load(JOBS, 1e-308), "makes the log too long"),
        (lambda: shake(JOBS, 1, 2**40), "no submission beyond 2^40 s"),
        (lambda: shake(JOBS, 1, HUGE), "no submission beyond 2^40 s"),
        (lambda: shake(JOBS, -HUGE), "found seed -1000"),
        (lambda: round_demand(JOBS, HUGE, 4), "the multiple should be between 1 and"),
        (lambda: window_time(JOBS, HUGE), "no job of 'three' was submitted between"),
        (lambda: window_time(JOBS, -HUGE, 5), "0 <= start < end"),
        (lambda: window_count(JOBS, HUGE), "the first job should be between 0 and 2"),
        (lambda: window_count(JOBS, 0, HUGE), "the count should be between 1 and that"),
    ],
)
def test_changes(change, words: str) -> None:
    with pytest.raises(InputError) as caught:
        change()
    assert words in str(caught.value)


def test_a_window_may_end_after_the_log() -> None:
    assert len(window_time(JOBS, 0, HUGE)) == 3
    assert len(shake(JOBS, HUGE)) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"jobs": HUGE}, "jobs should be a whole number from 1 to 100,000,000, found 1000000"),
        ({"jobs": 10**11}, "jobs should be a whole number from 1 to 100,000,000"),
        ({"procs": HUGE}, "procs should be a whole number from 1 to 1,099,511,627,776"),
        ({"seed": -1}, "seed should be a whole number from 0 to"),
        ({"seed": HUGE}, "seed should be a whole number from 0 to"),
        ({"users": 0}, "users should be a whole number from 1 to 1,000,000, found 0"),
        ({"users": 10**11}, "users should be a whole number from 1 to 1,000,000"),
        ({"load": 1e308}, "at most 20"),
        ({"load": float("nan")}, "found nan"),
        ({"load": 1e-300}, "a load of 1e-300 on 16 processors spreads 50 jobs over"),
        ({"load": 1e-9}, "which is too long. Choose a larger load or more jobs"),
    ],
)
def test_generated_workloads(given, words: str) -> None:
    with pytest.raises(InputError) as caught:
        generate(**{"jobs": 50, "procs": 16, "seed": 1, **given})
    assert words in str(caught.value)


def test_the_largest_machine_and_the_sparsest_log() -> None:
    wide = generate(2000, 2**40, 1, load=0.9)
    assert wide.load(2**40) == pytest.approx(0.9, rel=0.05)
    sparse = generate(50, 16, 1, load=1e-5)
    assert sparse.load(16) == pytest.approx(1e-5, rel=0.01)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("BSLD(1000000000000000000000000000000)", "up to 2^40, found 1e+30"),
        ("BSLD(0)", "should be a positive number of seconds"),
        ("P1e30SF", "should be between 0 and 100"),
        ("wait_p1e3", "a percentile should be between 0 and 100"),
    ],
)
def test_metrics_with_a_number(name: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        metric(name)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "name", ["BSLD(0.00001)", "lp_norm(1e20)", "wait_p0.0000001", "P0.00001SF"]
)
def test_a_name_that_a_metric_gives_itself_means_it(name: str) -> None:
    """Small and large numbers are written with an exponent: such a name was unknown when asked for again."""
    assert metric(metric(name).name).name == metric(name).name
    schedule = np.array([100, 200, 300])
    from packwise import Schedule

    value = metric(name).compute(JOBS, 8, Schedule(schedule, schedule + JOBS.runtime))
    assert np.isfinite(value)
