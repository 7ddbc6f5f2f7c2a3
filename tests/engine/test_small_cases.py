"""Small cases worked out by hand: four to six jobs, drawn as Gantt charts.

Time runs to the right, one column a second; each row is a processor; a digit is the running job.
"""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, Exact, Requested, Workload, simulate
from packwise.registry import policy

FOUR = Cluster.pool(4)

#: (submit, demand, run time, limit)
#: 1: 3 processors for 4 s. 2: 4 processors. 3: small and short. 4: small and long. 5: two, one second.
JOBS = Workload.of([(0, 3, 4, 4), (1, 4, 2, 2), (1, 1, 3, 3), (2, 1, 5, 5), (2, 2, 1, 1)])


def starts(name: str, workload: Workload = JOBS, estimate: object = None) -> list[int]:
    run = simulate(workload, FOUR, policy(name), estimate or Requested())
    return run.schedule.start.tolist()


def test_fcfs_stops_at_the_first_that_does_not_fit():
    # 1111.22..        Job 2 needs all four, so nobody passes it: 3 waits although it would fit.
    # 1111.22
    # 1111.22          2 starts at 4, when 1 ends; 3 and 4 at 6 (one each), 5 beside them (two).
    assert starts("fcfs") == [0, 4, 6, 6, 6]


def test_easy_backfills_around_one_reservation():
    # 1111225          Job 2 is reserved for 4. Job 3 (1 to 4) fits before it: backfilled at 1.
    # 1111225          Job 4 would end at 7, after 4, and 2 leaves nobody room: waits until 6.
    # 111122.44444     Job 5 needs two: only one is free before 4.
    # .333224
    assert starts("easy") == [0, 4, 1, 6, 6]


def test_greedy_lets_small_jobs_pass():
    # 1111.....22      Job 3 (1 to 5) passes job 2. At 4 three are free; job 2 needs four: skipped.
    # 1111.....22      Job 4 starts at 4 and holds job 2 up until 9.
    # 11114444422
    # .3333....22
    jobs = Workload.of([(0, 3, 4, 4), (1, 4, 2, 2), (1, 1, 4, 4), (2, 1, 5, 5)])
    assert starts("fcfs-aggressive", jobs) == [0, 9, 1, 4]


def test_list_reg_reserves_for_everybody():
    """Two jobs hold reservations, so a third may not take the second one's place.

    1: 3 processors until 4. 2: four processors, reserved for 4. 3: two processors for 4 s, reserved for
    6. 4 (one processor, 5 s) would delay 2: it waits for 6 as well, and fits beside 3.
    """
    jobs = Workload.of([(0, 3, 4, 4), (1, 4, 2, 2), (1, 2, 4, 4), (1, 1, 5, 5)])
    assert starts("list-reg", jobs) == [0, 4, 6, 6]


def test_depth_counts_reservations():
    # 1: all until 10. 2 and 3 each need three, so one after the other: 10 and 14. 4: one processor, 6 s.
    # 5: two processors, 2 s, submitted last.
    jobs = Workload.of([(0, 3, 10, 10), (1, 4, 4, 4), (1, 3, 4, 4), (1, 1, 20, 20), (1, 1, 9, 9)])
    # EASY (depth 1): job 2 reserved for 10. Job 4 (until 21) passes 10: no. Job 5 (until 10): yes.
    assert starts("easy", jobs) == [0, 10, 14, 14, 1]
    # depth 0 is greedy: job 4 starts at once and delays job 2 to 21.
    assert starts("list(depth=0)", jobs)[3] == 1


def test_shortest_job_backfilled_first():
    # Job 1 leaves one processor free until 6; job 2 is reserved for 6. Jobs 3 (5 s) and 4 (2 s) compete for
    # the one processor: EASY takes the earlier, EASY-SJBF the shorter.
    jobs = Workload.of([(0, 3, 6, 6), (1, 4, 2, 2), (1, 1, 5, 5), (1, 1, 2, 2)])
    assert starts("easy", jobs) == [0, 6, 1, 8]
    assert starts("easy-sjbf", jobs) == [0, 6, 8, 1]


def test_orders():
    # All submitted while job 1 fills the machine until 5; they need the whole machine one by one.
    jobs = Workload.of([(0, 4, 5, 5), (1, 4, 3, 3), (2, 4, 1, 1), (3, 4, 2, 2)])
    assert starts("list-reg", jobs) == [0, 5, 8, 9]
    assert starts("list-sjf", jobs) == [0, 8, 5, 6]
    assert starts("list-ljf", jobs) == [0, 5, 10, 8]
    assert starts("list-lcfs", jobs) == [0, 8, 7, 5]


def test_starvation_threshold_brings_a_job_to_the_head():
    # SJF would run 3 (1 s) and 4 (2 s) before 2; after 3 s of waiting job 2 goes first.
    jobs = Workload.of([(0, 4, 5, 5), (1, 4, 3, 3), (2, 4, 1, 1), (3, 4, 2, 2)])
    assert starts("list(order=sjf,threshold=3)", jobs) == [0, 5, 8, 9]
    assert starts("list(order=sjf,threshold=1h)", jobs) == [0, 8, 5, 6]


def test_cap_limits_how_far_a_round_looks():
    # With cap 1 a round looks at the head only: 3 starts at 6, and 4 is first looked at when 3 ends, at 9.
    assert starts("list(option=greedy,cap=1)") == [0, 4, 6, 9, 14]


def test_an_early_end_lets_list_reg_replan():
    # 1: limit 10, ends at 4. 2 (whole machine) was planned for 10 and starts at 4.
    jobs = Workload.of([(0, 4, 4, 10), (1, 4, 2, 2)])
    assert starts("list-reg", jobs) == [0, 4]


def test_a_job_that_outlives_its_estimate_is_expected_to_run_to_its_limit():
    # Job 1 runs 6 s, limit 8, estimated 3 (exact*0.5). Job 2 needs all four. At 3 job 1 is corrected to 8.
    # Job 3 (one processor, 4 s, estimated 2) arrives at 4: until then nobody knew; it may run before 8.
    jobs = Workload.of([(0, 3, 6, 8), (1, 4, 2, 2), (4, 1, 4, 4)])
    # at 4: job 2 reserved for 8; job 3 until 6 by its estimate: backfilled. It really ends at 8.
    assert starts("easy", jobs, Exact(0.5)) == [0, 8, 4]


def test_a_correction_alone_does_not_call_the_scheduler():
    # Job 1 (3 processors, 6 s, limit 20) is estimated 3. Job 2 (all four) is reserved for 3. Job 3 (one
    # processor, 4 s, estimated 2, submitted at 2) would end at 4 by its estimate: not before 3. At 3 job 1 is
    # corrected to 20, and job 3 would fit; but nobody arrives or ends, so it waits until 6, when job 2 goes
    # first.
    jobs = Workload.of([(0, 3, 6, 20), (1, 4, 2, 2), (2, 1, 4, 4)])
    run = simulate(jobs, FOUR, policy("easy"), Exact(0.5))
    assert run.schedule.start.tolist() == [0, 6, 8]
    assert run.rounds.time.tolist() == [0, 1, 2, 6, 8, 12]


class TestConservative:
    def test_a_promise_is_kept(self):
        # 1: 3 processors, limit 4. 2: four processors, promised 4. 3: one processor for 4 s: promised 6, as
        # it would end after 4. 4: one processor for 3 s fits before job 2.
        jobs = Workload.of([(0, 3, 4, 4), (1, 4, 2, 2), (1, 1, 4, 4), (1, 1, 3, 3)])
        assert starts("cbf", jobs) == [0, 4, 6, 1]

    def test_early_ends_compress_in_submission_order(self):
        # Job 1 ends at 2 instead of 10: 2 and 3, promised 10 and 12, move up to 2 and 4.
        jobs = Workload.of([(0, 4, 2, 10), (1, 4, 2, 2), (1, 3, 5, 5)])
        assert starts("cbf", jobs) == [0, 2, 4]

    def test_a_promise_is_kept_even_where_no_event_falls(self):
        """Seen on SDSC-BLUE: the job whose expected end set a promise is long gone when it falls due.

        Jobs 1 and 2 start at 0. 3 (four processors) is promised 10, the limit of job 1; 4 (one, for 20 s)
        is promised 12, behind it. At 5 job 1 ends and 3 moves up to 6, where job 2's limit lies; 4 stays
        behind it, at 8. Job 2 really ends at 6.
        """
        jobs = Workload.of([(0, 3, 5, 10), (0, 1, 6, 6), (1, 4, 2, 2), (2, 1, 20, 20)])
        assert starts("cbf", jobs) == [0, 0, 6, 8]


@pytest.mark.parametrize("name", ["easy", "list-reg", "cbf", "fcfs", "saf-aggressive"])
def test_one_job_and_a_whole_machine(name):
    assert starts(name, Workload.of([(7, 4, 3, 9)])) == [7]


@pytest.mark.parametrize("stepped", [False, True])
def test_a_run_keeps_its_columns_and_not_the_whole_state(stepped):
    """A column that is a view of the engine's memory would keep all of it, for as long as the run is kept."""
    jobs = Workload.of([(0, 2, 5, 5)] * 50)
    run = simulate(jobs, FOUR, policy("cbf"), stepped=stepped)
    kept = [run.schedule.start, run.schedule.estimate, run.schedule.promised, run.corrections]
    kept += [run.rounds.time, run.rounds.queued, run.rounds.started]
    for column in kept:
        owner = column
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        assert owner.nbytes == column.nbytes
