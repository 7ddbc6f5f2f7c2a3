"""Those who end first or last are left out of metrics of jobs, and of nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_metrics import summary
from random_schedules import Case, cases

from packwise.metrics import METRICS, summarize
from packwise.metrics.trimming import Trim
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError

CLUSTER = Cluster.pool(8)
#: Ends 10, 20, ..., 100, of which the last two are one; the last submission is at 85.
WORKLOAD = Workload.of(
    [(t, 1, 10, 10) for t in (0, 10, 20, 30, 40, 50, 60, 70, 85)] + [(85, 1, 15, 15)]
)
ENDS = [10, 20, 30, 40, 50, 60, 70, 80, 100, 100]
SCHEDULE = Schedule([end - run for end, run in zip(ENDS, WORKLOAD.runtime, strict=True)], ENDS)


def left_out(text: str, schedule: Schedule = SCHEDULE) -> list[int]:
    """The places of those that are not measured."""
    return np.flatnonzero(~Trim.of(text).kept(WORKLOAD, schedule)).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("last", [8, 9]),
        ("10%", [0]),  # one at each end, and of the two that end last none is more the last
        ("20%", [0, 1, 8, 9]),
        ("9.9%", []),
        ("10%:arrivals", [0, 8, 9]),
        (" 10 % : Arrivals ", [0, 8, 9]),
        ("LAST", [8, 9]),
    ],
)
def test_by_hand(text, expected):
    assert left_out(text) == expected


def test_who_never_ran_is_no_matter():
    refused = Schedule([-1, *SCHEDULE.start[1:]], [-1, *SCHEDULE.end[1:]])
    assert left_out("last", refused) == [8, 9]
    assert left_out("12%", refused) == [1]


def test_all_at_once():
    one = WORKLOAD.select(np.array([0]))
    alone = Schedule([0], [10])
    nobody = Trim.of("last").kept(one, alone)
    with pytest.raises(InputError, match=r"none of the 0 jobs .* are left to measure"):
        summarize(one, CLUSTER, alone, only=nobody)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 'last' .* found ''"),
        ("first", "expected 'last' .* found 'first'"),
        ("1", "found '1'"),
        ("1%:last", "found '1%:last'"),
        ("0%", "of more than 0 and less than 50 %, found '0%'"),
        ("50%", "less than 50 %, found '50%'"),
        ("9" * 999 + "%", "less than 50 %, found '9{40}...'"),
    ],
)
def test_wrong(text, message):
    with pytest.raises(InputError, match=message):
        Trim.of(text)


@pytest.mark.parametrize("text", ["last", "1%", "0.5%:arrivals", "33.25%"])
def test_its_name_means_the_same(text):
    assert str(Trim.of(text)) == text
    assert Trim.of(str(Trim.of(text))) == Trim.of(text)
    assert Trim.of(text).words.startswith(("those that end last", "the "))


@given(cases(), st.sampled_from(["last", "1%", "20%", "30%:arrivals"]))
def test_metrics_of_the_rest(case: Case, text: str):
    """As a naive twin has them of the jobs that are left; those of the machine are of all."""
    kept = Trim.of(text).kept(case.workload, case.schedule)
    if not (kept & case.schedule.ran).any():
        return
    names = ("BSLD", "AF", "AWF", "wait", "utilization", "makespan")
    found = summarize(case.workload, case.cluster, case.schedule, names, only=kept)
    procs = case.cluster.procs
    part = summary(case.workload.select(kept), case.schedule.select(kept), procs)
    whole = summary(case.workload, case.schedule, procs)
    for name in names:
        expected = whole if METRICS[name].of_all_jobs else part
        assert found[name] == pytest.approx(expected[name])


@given(cases())
def test_the_papers_rule(case: Case):
    """As their script says it: ``df['End Time'] < df['End Time'].max()``."""
    ran, end = case.schedule.ran, case.schedule.end
    kept = Trim.of("last").kept(case.workload, case.schedule)
    assert (kept[ran] == (end[ran] < end[ran].max())).all()
