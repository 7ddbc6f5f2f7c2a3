"""Four jobs on four processors, every metric worked out on paper.

job   submit  demand  start  end     Q  D  F   area
 1       0       2       0     4     0  4  4     8
 2       0       2       0     8     0  8  8    16
 3       1       4       8    10     7  2  9     8
 4       2       1       4     7     2  3  5     3    sum 35

procs
  3   2 2 2 2 2 2 2 2 3 3
  2   2 2 2 2 2 2 2 2 3 3
  1   1 1 1 1 . . . . 3 3
  0   1 1 1 1 4 4 4 . 3 3
      0 1 2 3 4 5 6 7 8 9  time

Jobs 2 and 3 have deadlines: 9, which job 2 meets, and 8, which job 3 misses. Jobs 2 to 4 are promised starts.
"""

import math

import numpy as np
import pytest

from packwise.metrics import METRICS, metric, summarize
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError
from packwise.model.workload import NO_DEADLINE

CLUSTER = Cluster.pool(4)
WORKLOAD = Workload.of([(0, 2, 4, 4), (0, 2, 8, 9), (1, 4, 2, 5), (2, 1, 3, 3)])
WORKLOAD = WORKLOAD.replace(
    deadline=np.array([NO_DEADLINE, 9, 8, NO_DEADLINE]), user=np.array([1, 1, 2, 2])
)
SCHEDULE = Schedule([0, 0, 8, 4], [4, 8, 10, 7], [4, 9, 5, 2], [-1, 0, 10, 3])

EXPECTED = {
    "BSLD": 1.0,  # no response time exceeds the bound of 10 s
    "BSLD(2)": (1 + 1 + 9 / 2 + 5 / 3) / 4,
    "slowdown": (1 + 1 + 9 / 2 + 5 / 3) / 4,
    "AF": (4 + 8 + 9 + 5) / 4,
    "wait": (0 + 0 + 7 + 2) / 4,
    "AWF": (8 * 4 + 16 * 8 + 8 * 9 + 3 * 5) / 35,
    "AWQ": (8 * 7 + 3 * 2) / 35,
    # r (F^2 - Q^2): 2*16, 2*64, 4*(81-49), 1*(25-4)              = 32 + 128 + 128 + 21    = 309
    # r (F^3 - Q^3): 2*64, 2*512, 4*(729-343), 1*(125-8)          = 128+1024+1544+117      = 2813
    # r (F^4 - Q^4): 2*256, 2*4096, 4*(6561-2401), 1*(625-16)     = 512+8192+16640+609     = 25953
    # r (F^5 - Q^5): 2*1024, 2*32768, 4*(59049-16807), 1*(3125-32) = 2048+65536+168968+3093 = 239645
    "P0SF": 1 / 2 * 309 / 35,
    "P1SF": 2 / 3 * 2813 / 309,
    "P2SF": 3 / 4 * 25953 / 2813,
    "P3SF": 4 / 5 * 239645 / 25953,
    "PWAWF": (8 * 4 + 16 * 8 + 8 * 9 + 3 * 5) / 35,  # no weights: AWF
    "makespan": 10.0,
    "utilization": 35 / 40,
    # busy fraction: 1 for 0-4, 3/4 for 4-7, 1/2 for 7-8, 1 for 8-10; mean 7/8
    "utilization_variance": (6 * (1 / 8) ** 2 + 3 * (1 / 8) ** 2 + 1 * (3 / 8) ** 2) / 10,
    # jobs waiting for 4 processors or more from 1 to 8, idle: 1 from 4 to 7, 2 from 7 to 8
    "LOC": (3 * 1 + 1 * 2) / 40,
    "lp_norm": math.sqrt(16 + 64 + 81 + 25),
    "lp_norm(3)": (64 + 512 + 729 + 125) ** (1 / 3),
    "max_wait": 7.0,
    "max_stretch": 4.5,
    "wait_p50": 1.0,  # waits 0 0 2 7: half way between 0 and 2
    "wait_p90": 2 + 0.7 * 5,  # position 0.9 * 3 = 2.7
    "wait_p99": 2 + 0.97 * 5,
    "BSLD_p50": 1.0,
    "BSLD_p90": 1.0,
    "BSLD_p99": 1.0,
    # run times 4 8 2 3, of mean 17/4; estimates 4 9 5 2
    "R2": 1 - (0 + 1 + 9 + 1) / (1 / 16 + 225 / 16 + 81 / 16 + 25 / 16),
    "MAE": (0 + 1 + 3 + 1) / 4,
    "underpredicted": 1 / 4,
    # limits 4 9 5 3: stretches 1, 1, (7 + 5) / 5, (2 + 3) / 3
    "limit_stretch": (1 + 1 + 12 / 5 + 5 / 3) / 4,
    "max_limit_stretch": 12 / 5,
    "wait_regular": (0 + 2) / 2,
    "max_wait_regular": 2.0,
    "limit_stretch_regular": (1 + 5 / 3) / 2,
    "max_limit_stretch_regular": 5 / 3,
    "at_once_regular": 1 / 2,
    "wait_p25_regular": 0.5,
    "wait_deadline": (0 + 7) / 2,
    "at_once_deadline": 1 / 2,
    "wait_p75_deadline": 0.75 * 7,
    "max_wait_deadline": 7.0,
    "limit_stretch_deadline": (1 + 12 / 5) / 2,
    "max_limit_stretch_deadline": 12 / 5,
    "deadline_misses": 1.0,
    "deadline_misses_day": 1.0,
    "deadline_misses_longer": 0.0,
    "deadline_misses_possible": 1.0,  # 8 >= 1 + 5
    "deadline_impossible": 0.0,
    "deadline_usage": (10 - 1) / (8 - 1),  # job 2 started at once
    "deadline_usage_over_80": 1.0,  # 8/9 and 9/7
    "promises_broken": 1.0,  # job 4: 4 instead of 3
    "promise_gain": (0 + 2 - 1) / 3,
    # job 3 finds all 4 processors at 8, job 4 one at 4: everybody starts at the fair time
    "FST_misses": 0.0,
    "FST_mean_miss": 0.0,
    # no later job delays an earlier one here: the gold standard is the same schedule
    "FST_gold": 0.0,
    "jain": 1.0,  # all bounded slowdowns are 1
    # EASY does the same: job 3 is promised 9, when job 2 must have ended; job 4 fits before that
    "users_worse": 0.0,
    "users_better": 0.0,
    "worst_size": 0.0,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_value(name: str) -> None:
    assert metric(name).compute(WORKLOAD, CLUSTER, SCHEDULE) == pytest.approx(EXPECTED[name], 1e-14)


def test_every_named_metric_is_worked_out_here() -> None:
    of_energy = {one.name for one in METRICS.values() if one.of_energy}  # energy/test_account.py
    assert set(METRICS) - of_energy <= set(EXPECTED)


def test_estimates_that_nobody_knows() -> None:
    silent = Schedule(SCHEDULE.start, SCHEDULE.end)
    assert not {"R2", "MAE", "underpredicted"} & set(summarize(WORKLOAD, CLUSTER, silent))
    with pytest.raises(InputError, match="add a column 'estimate'"):
        summarize(WORKLOAD, CLUSTER, silent, ["R2"])


def test_r2_of_equal_run_times_is_not_a_number() -> None:
    equal = Schedule([0, 0, 8, 4], [2, 2, 10, 6], [2, 2, 2, 2])
    assert math.isnan(metric("R2").compute(WORKLOAD, CLUSTER, equal))


def test_priorities_weigh() -> None:
    weighted = WORKLOAD.replace(weight=np.array([0.0, 1.0, 3.0, 0.0]))
    expected = (1 * 16 * 8 + 3 * 8 * 9) / (16 + 3 * 8)
    assert metric("PWAWF").compute(weighted, CLUSTER, SCHEDULE) == pytest.approx(expected)


def test_all_weights_zero_is_refused() -> None:
    weightless = WORKLOAD.replace(weight=np.zeros(4))
    with pytest.raises(InputError, match="weight above 0"):
        metric("PWAWF").compute(weightless, CLUSTER, SCHEDULE)


def test_job_that_never_ran_does_not_count() -> None:
    partly = Schedule([0, 0, -1, 4], [4, 8, -1, 7])
    values = summarize(WORKLOAD, CLUSTER, partly, ["AF", "makespan", "wait"])
    assert values == {"AF": pytest.approx(17 / 3), "makespan": 8.0, "wait": pytest.approx(2 / 3)}


def test_no_job_ran() -> None:
    with pytest.raises(InputError, match="no job of workload 'jobs' ran"):
        summarize(WORKLOAD, CLUSTER, Schedule([-1] * 4, [-1] * 4))


def test_wrong_length() -> None:
    with pytest.raises(InputError, match="each of the 4 jobs"):
        summarize(WORKLOAD, CLUSTER, Schedule([0], [1]))


@pytest.mark.parametrize(
    ("start", "end"), [([0, 0, 0, 4], [4, 8, 2, 7]), ([0, 0, 8, 4], [4, 8, 8, 7])]
)
def test_impossible_times_are_refused(start: list[int], end: list[int]) -> None:
    """Job 3 starts before its submission, or takes no time at all."""
    with pytest.raises(InputError, match=r"job 3: .*check_schedule"):
        summarize(WORKLOAD, CLUSTER, Schedule(start, end))


def test_run_time_is_what_the_schedule_says() -> None:
    """A recorded job may have run longer than its workload says (cut at the limit there)."""
    longer = Schedule([0, 0, 8, 4], [4, 8, 12, 7])
    assert metric("AF").compute(WORKLOAD, CLUSTER, longer) == (4 + 8 + 11 + 5) / 4
