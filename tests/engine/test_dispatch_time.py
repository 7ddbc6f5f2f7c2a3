"""Dispatch time: what a decision takes of a replay's time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import Cluster, Decision, Exact, Workload, check_schedule, simulate
from packwise.model import DispatchTime, NodeGroup, Outage, dispatch_time
from packwise.model.errors import InputError
from packwise.registry import policy
from tests.draws import draws


def work(rows):
    """From (submit, demand, run time) tuples."""
    submit, demand, runtime = np.array(rows, np.int64).T
    return Workload(
        name="small",
        id=np.arange(1, len(rows) + 1),
        submit=submit,
        runtime=runtime,
        requested_time=runtime,
        demand=demand,
    )


FOUR = work([(0, 2, 10), (1, 1, 5), (2, 2, 5), (20, 1, 3)])


def test_three_seconds_for_each_decision():
    # Job 1 is decided on from 0 to 3. Jobs 2 and 3 have come by then: a round from 3 to 6, which starts
    # nobody. Job 1 ends at 13, job 2 is started at 16. Job 4 comes at 20; from 20 to 23 job 4 is not let in
    # before job 3, but job 2 ends at 21, so there is a round at 23: job 3 at 26, until 31; job 4 at 34.
    done = simulate(FOUR, 2, policy("easy"), charge=dispatch_time("3s"))
    assert done.schedule.start.tolist() == [3, 16, 26, 34]
    assert done.rounds.time.tolist() == [0, 3, 13, 20, 23, 31, 37]
    assert done.rounds.charged.tolist() == [3] * 6 + [0]  # nobody waits in the last
    assert not done.compiled


def test_a_second_for_each_who_waits():
    done = simulate(FOUR, 2, policy("easy"), charge=dispatch_time("1s/job"))
    assert done.schedule.start.tolist() == [1, 13, 19, 25]
    assert done.rounds.charged.tolist() == [1, 1, 2, 2, 1, 1, 1, 0]


@pytest.mark.parametrize("name", ["easy", "cbf", "list-sjf", "packwise"])
def test_no_time_is_what_there_was(name):
    plain = simulate(FOUR, 2, policy(name), stepped=True)
    none = simulate(FOUR, 2, policy(name), charge=DispatchTime())
    assert none.schedule.start.tolist() == plain.schedule.start.tolist()
    assert plain.rounds.charged is None


def test_measured_time_is_that_of_the_policy(monkeypatch):
    clock = iter(np.arange(1000) * 2.0)  # every look at the clock is two seconds later
    monkeypatch.setattr("packwise.engine.stepping.time.perf_counter", lambda: next(clock))
    done = simulate(work([(0, 1, 5)]), 1, policy("easy"), charge=dispatch_time("measured"))
    assert done.schedule.start.tolist() == [2]
    assert done.rounds.charged.tolist() == [2, 0]


def test_what_a_decision_takes():
    assert DispatchTime(0.4).seconds(9.0, 5) == 0.4
    assert DispatchTime(1.0, 0.1).seconds(9.0, 5) == 1.5
    assert DispatchTime(measured=True).seconds(9.4, 5) == 9.4
    assert DispatchTime(1.0, 0.1).seconds(9.0, 0) == 0.0


def test_what_is_left_of_a_second_counts_with_the_next_decision():
    # A decision takes 0.4 s: rounded, the second of 0.8 and the third of 0.2 (1.2 less 1).
    rows = [(10 * k, 1, 1) for k in range(6)]
    done = simulate(work(rows), 1, policy("fcfs"), charge=dispatch_time("400ms"))
    starts = done.rounds.charged[done.rounds.queued > 0].tolist()
    assert starts == [0, 1, 0, 1, 0, 0]
    assert (done.schedule.start - done.workload.submit).tolist() == starts


def test_nothing_is_charged_where_nobody_waits():
    # The end of job 1 at 10 is a round, too; job 2 comes at 11 and starts at 16, not at 20.
    done = simulate(work([(0, 1, 5), (11, 1, 5)]), 1, policy("easy"), charge=dispatch_time("5s"))
    assert done.schedule.start.tolist() == [5, 16]


def test_compiling_is_not_charged(monkeypatch):
    from numba.core.event import end_event, start_event

    class Compiling:
        name = "compiling"

        def decide(self, view):
            if view.queue.size:
                start_event("numba:compile")
                end_event("numba:compile")
            return Decision(start=view.queue)

    def replay():
        return simulate(work([(0, 1, 5)]), 1, Compiling(), charge=dispatch_time("measured"))

    replay()  # loads what is compiled: that, too, is an event with a time
    clock = iter([0.0, 0.0, 100.0, *np.arange(200.0, 300.0)])
    monkeypatch.setattr("packwise.engine.stepping.time.perf_counter", lambda: next(clock))
    ticks = iter([0.0, 99.0])
    monkeypatch.setattr("numba.core.event.timer", lambda: next(ticks))
    done = replay()
    assert done.schedule.start.tolist() == [1]


@pytest.mark.parametrize("text", ["measured", "2s", "50ms/job", "2s+50ms/job", "0s", "1.5m", "1ms"])
def test_what_is_written_is_read_again(text):
    assert dispatch_time(str(dispatch_time(text))) == dispatch_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "s",
        "+2s",
        "2s+",
        "2s+3s",
        "-1s",
        "1e3s",
        "2s/job/job",
        "soon",
        "2h",
        "2s3s/job",
        "1s/job+2s",
        "1s+1s/job+1s",
    ],
)
def test_what_is_no_time(text):
    with pytest.raises(InputError, match="expected 'measured', seconds per round such as 2s"):
        dispatch_time(text)


def test_longer_than_a_year_is_refused():
    with pytest.raises(InputError, match="from 0 seconds to a year"):
        dispatch_time("999999999s")


def test_a_decision_is_void_where_nodes_go_out_meanwhile():
    # The node goes out at 2, while job 1 is decided on from 0 to 3: the decision is void. Asked again from 3
    # to 6, when it is out; back at 10, a round from 10 to 13.
    cluster = Cluster("one", (NodeGroup("a", 1, {"cores": 2}),), outages=(Outage((0,), 2, 10),))
    jobs = work([(0, 2, 5)])
    done = simulate(jobs, cluster, policy("easy"), charge=dispatch_time("3s"))
    assert done.schedule.start.tolist() == [13]
    assert check_schedule(done.workload, cluster, done.schedule).ok


def test_a_wake_up_call_in_the_meantime_is_a_round():
    class Late:
        name = "late"

        def decide(self, view):
            if view.now < 4:
                return Decision(wake_at=view.now + 1)
            return Decision(start=view.queue)

    done = simulate(work([(0, 1, 5)]), 1, Late(), charge=dispatch_time("2s"))
    assert done.rounds.time.tolist() == [0, 2, 4, 11]
    assert done.schedule.start.tolist() == [6]


@settings(max_examples=draws(30))
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 60), st.integers(1, 4), st.integers(1, 20)),
        min_size=1,
        max_size=12,
    ),
    name=st.sampled_from(["fcfs", "easy", "list-saf", "cbf"]),
    per_round=st.integers(0, 5),
    per_job=st.sampled_from([0.0, 0.5, 2.0]),
)
def test_charged_schedules_are_feasible_and_reproducible(rows, name, per_round, per_job):
    jobs = work(sorted(rows))
    charge = DispatchTime(float(per_round), per_job)
    first, second = (simulate(jobs, 4, policy(name), Exact(), charge=charge) for _ in range(2))
    assert first.schedule.start.tolist() == second.schedule.start.tolist()
    assert check_schedule(jobs, Cluster.pool(4), first.schedule).ok
    assert (first.schedule.wait(jobs) >= charge.per_round - 1).all()
