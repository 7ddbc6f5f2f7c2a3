"""Futures: who runs holds what he has, nobody starts before now, and chance is an argument."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import Cluster, simulate
from packwise.forecasting import (
    Arrivals,
    Futures,
    History,
    Situation,
    draw_futures,
    forecast_starts,
)
from packwise.forecasting.arrivals import DAY, WEEK
from packwise.forecasting.staging import staged
from packwise.model.cluster import NodeGroup, Outage, Partition
from packwise.model.errors import InputError
from tests.draws import draws
from tests.forecasting.small_logs import PROCS, log_of, logs, naive_easy, situations


def one_machine():
    """One processor. Ten jobs that took 10, 20, ... 100 s; one that runs since 75 s, and one that waits."""
    jobs = [(1000 * i, 1, 10 * (i + 1), 200) for i in range(10)]
    log = log_of([*jobs, (20_000, 1, 200, 200), (20_050, 1, 200, 200)])
    start = np.append(log.submit[:11], 20_090)
    return Situation.at(20_075, log, start, 1), History.of(log, start)


def test_one_machine_by_hand():
    situation, history = one_machine()
    # Who runs ends after 80, 90 or 100 s, each as likely; then the other one starts. Nobody comes in between.
    futures = draw_futures(situation, history, count=30, horizon=0)
    starts = futures.starts("easy")[:, 0]
    assert np.unique(starts, return_counts=True)[0].tolist() == [20_080, 20_090, 20_100]
    assert [(starts == at).sum() for at in (20_080, 20_090, 20_100)] == [10, 10, 10]
    found = forecast_starts(situation, futures=futures)
    assert found.of(12) == (12, 20_080, 20_090, 20_100)


@given(situations(), st.integers(0, 3))
def test_against_a_replay_from_the_middle(case, seed):
    log, start, situation = case
    futures = draw_futures(situation, History.of(log, start), count=3, seed=seed, horizon=0)
    found = futures.starts("easy")
    for row, runtime in zip(found, futures.runtime, strict=True):
        assert row.tolist() == naive_easy(situation, runtime)


@settings(max_examples=draws(30))
@given(situations(), st.sampled_from(["easy", "cbf", "list-saf", "slurm"]))
def test_nobody_starts_before_now_and_quantiles_are_in_order(case, policy):
    log, start, situation = case
    found = forecast_starts(situation, History.of(log, start), policy=policy, count=7)
    assert found.job.tolist() == situation.jobs.id[situation.waiting].tolist()
    assert (found.drawn >= situation.now).all()
    assert (found.start >= situation.now).all()
    assert (np.diff(found.start, axis=1) >= 0).all()


@settings(max_examples=draws(20))
@given(logs(), st.integers(0, 100))
def test_equal_for_equal_seeds(case, seed):
    log, start = case
    situation = Situation.at(int(log.submit[-1]), log, start, PROCS)
    one, two = (
        draw_futures(situation, History.of(log, start), count=5, seed=seed) for _ in range(2)
    )
    assert (one.runtime == two.runtime).all()
    assert one.days == two.days
    assert (one.starts() == two.starts()).all()


@given(situations(), st.sampled_from(["easy", "slurm"]))
def test_who_runs_holds_what_he_has_from_the_beginning(case, policy):
    _, _, situation = case
    stage = staged(situation, policy)
    assert not len(stage.left_out)
    workload = stage.workload(situation.jobs, situation.elapsed, situation.elapsed + 1)
    begun = simulate(workload, stage.cluster, policy).schedule.start
    assert (begun[: len(stage.running)] <= stage.begin + 5).all()
    assert int(stage.held.sum()) + stage.closing == PROCS
    assert (begun[len(stage.running) + bool(stage.closing) :] >= stage.opens).all()


def test_more_is_held_than_there_is():
    """Records may overlap: the last ones to start are cut to what is left."""
    columns = {
        "id": [1, 2, 3, 4],
        "submit": [0, 0, 0, 50],
        "start": [10, 20, 30, -1],
        "demand": [3, 3, 3, 4],
        "limit": [100, 100, 100, 100],
    }
    situation = Situation.of(60, 4, columns)
    stage = staged(situation, "easy")
    assert stage.held.tolist() == [3, 1]
    assert stage.left_out.tolist() == [2]
    assert stage.closing == 0
    starts = draw_futures(situation, count=20).starts()
    assert (starts > 60).all()


def on_nodes(shared=True):
    return Cluster("nodes", (NodeGroup("thin", 2, {"cores": 4}, shared=shared),))


def test_on_nodes():
    """Two nodes of four cores: one job has a node, one that needs three cores on each has to wait for it."""
    columns = {
        "id": [1, 2],
        "submit": [0, 50],
        "start": [10, -1],
        "demand": [4, 6],
        "limit": [100, 100],
        "units": [1, 2],
        "per_unit": {"cores": [4, 3]},
    }
    situation = Situation.of(60, on_nodes(), columns)
    starts = draw_futures(situation, count=20).starts()
    assert (starts > 60).all()
    assert (starts <= 110).all()
    alone = Situation.of(
        60,
        on_nodes(),
        {**columns, "demand": [4, 3], "units": [1, 1], "per_unit": {"cores": [4, 3]}},
    )
    assert (draw_futures(alone, count=3).starts("slurm") <= 60 + 60).all()
    assert (draw_futures(alone, count=3).starts() == 60).all()


def test_a_node_that_is_out_stays_out():
    columns = {
        "id": [1],
        "submit": [0],
        "start": [-1],
        "demand": [8],
        "limit": [100],
        "units": [2],
        "per_unit": {"cores": [4]},
    }
    cluster = Cluster("nodes", on_nodes().groups, outages=(Outage((1,), 20, 500, kill=False),))
    assert draw_futures(Situation.of(60, cluster, columns), count=2).starts().tolist() == [
        [500],
        [500],
    ]


def test_who_has_no_place_on_the_nodes_is_left_out():
    columns = {
        "id": [1, 2, 3],
        "submit": [0, 0, 50],
        "start": [10, 10, -1],
        "demand": [6, 4, 1],
        "limit": [100, 100, 100],
        "units": [2, 1, 1],
        "per_unit": {"cores": [3, 4, 1]},
    }
    stage = staged(Situation.of(60, on_nodes(), columns), "easy")
    assert len(stage.left_out) == 1
    assert draw_futures(Situation.of(60, on_nodes(), columns), count=2).starts().min() >= 60


def test_who_is_too_large_never_starts():
    columns = {
        "id": [1, 2],
        "submit": [0, 1],
        "start": [-1, -1],
        "demand": [9, 1],
        "limit": [10, 10],
    }
    found = forecast_starts(Situation.of(5, 4, columns), count=3)
    assert found.of(1) == (1, -1, -1, -1)
    assert found.of(2) == (2, 5, 5, 5)
    assert [one.job for one in found.told] == [2]


def busy_weeks():
    """Weeks in which one processor is taken half of the time, in hours of their own."""
    log = log_of([(at, 1, 1800, 3600) for at in range(0, 4 * WEEK, 3600)])
    return log, simulate(log, 1, "easy").schedule.start


def test_a_part_of_those_who_come_later_is_enough():
    """What is replayed of the future grows until all have started who are asked for: with the same starts."""
    log, start = busy_weeks()
    now = 4 * WEEK
    # A job of two days that backfilling would let others pass, and one behind it.
    columns = {
        "id": [1, 2, 3],
        "submit": [now - 100, now - 50, now - 40],
        "start": [now - 90, -1, -1],
        "demand": [1, 1, 1],
        "limit": [DAY, 2 * DAY, 3600],
    }
    situation = Situation.of(now, 1, columns)
    futures = draw_futures(situation, History.of(log, start), count=4, horizon=6 * DAY)
    assert int(futures.starts().max()) > now + DAY // 2
    whole = Futures(
        situation, futures.runtime, _AllAtOnce(futures.arrivals.history), futures.days, 6 * DAY
    )
    assert (futures.starts("list-saf") == whole.starts("list-saf")).all()


class _AllAtOnce(Arrivals):
    def jobs(self, now, days, until):
        return super().jobs(now, days, now + 6 * DAY)


def test_mistakes():
    situation, _ = one_machine()
    with pytest.raises(InputError, match="between 1 and 100,000 futures, found 0"):
        draw_futures(situation, count=0)
    with pytest.raises(InputError, match="horizon should be 0 seconds or more, found -1"):
        draw_futures(situation, horizon=-1)
    with pytest.raises(InputError, match="places of jobs that wait, found one that runs"):
        draw_futures(situation, count=1).starts(wanted=[0])
    with pytest.raises(InputError, match="one of the 1 jobs that were forecast, found job 99"):
        forecast_starts(situation, count=1).of(99)


def test_partitions_gpus_and_names_go_along():
    """Job 2 needs the GPU that job 1 has; job 3 does not, and may be on the other nodes."""
    groups = (NodeGroup("gpu", 1, {"cores": 4, "gpus": 1}), NodeGroup("thin", 1, {"cores": 4}))
    partitions = (Partition("gpu", 0, ("gpu",)), Partition("all", 1, ("gpu", "thin")))
    columns = {
        "id": [1, 2, 3],
        "submit": [400_000, 400_010, 400_020],
        "start": [400_005, -1, -1],
        "demand": [4, 4, 4],
        "limit": [100, 100, 100],
        "user": [0, 1, 1],
        "units": [1, 1, 1],
        "per_unit": {"cores": [4, 4, 4], "gpus": [1, 1, 0]},
        "extra": {"partition": [0, 0, 1]},
        "names": {"user": ("ann", "bob")},
    }
    situation = Situation.of(400_050, Cluster("nodes", groups, partitions), columns)
    # A history without units, and with users that the queue has no names for.
    log = log_of([(86_400 * i, 1, 90, 100) for i in range(5)], [0, 1, 2, 3, 4])
    futures = draw_futures(situation, History.of(log, log.submit), count=5)
    assert futures.starts("easy").tolist() == [[400_095, 400_050]] * 5
    assert (futures.starts("slurm") - [400_095, 400_050] <= 60).all()
