"""Nearest neighbours: a twin that sorts all past jobs, and cases by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from packwise import Cluster, ListPolicy, Workload, simulate
from packwise.model.errors import InputError
from packwise.predict import Corrector, NearestNeighbours
from packwise.predict.catalogue import predictor
from packwise.registry import policy
from packwise.workloads.lublin import generate
from tests.draws import draws
from tests.predict.twins import replay_alike


class Naive:
    """All past jobs of the user sorted by distance, then all shares of the nearest sorted."""

    name = "naive"
    updates = True

    def __init__(self, workload, k, quantile, memory):
        self.k, self.quantile, self.memory = k, quantile, memory
        self.done = []
        ids = workload.id.tolist()
        self.log_limit = dict(zip(ids, np.log(workload.requested_time), strict=True))
        self.log_demand = dict(zip(ids, np.log(workload.demand), strict=True))

    def learn(self, job, runtime):
        self.done.append((job, runtime / job.limit))

    def predict(self, job):
        return self.share(job, 0.0) * job.limit

    def share(self, job, floor):
        past = [(other, share) for other, share in self.done if other.user == job.user]
        if len(past) < self.k:
            past = self.done
        if len(past) < self.k:
            return 1.0
        newest_first = past[::-1][: self.memory]
        by_distance = sorted(
            (self.distance(job, other) + 0.001 * age, age, share)
            for age, (other, share) in enumerate(newest_first)
        )
        shares = sorted(share for _, _, share in by_distance[: self.k] if share > floor)
        if not shares:
            return 1.0
        return shares[max(math.ceil(self.quantile * len(shares) - 1e-9), 1) - 1]

    def distance(self, a, b):
        return (
            1.0 * abs(self.log_limit[a.id] - self.log_limit[b.id])
            + 0.5 * abs(self.log_demand[a.id] - self.log_demand[b.id])
            + 2.0 * (a.app != b.app)
            + 1.0 * (a.queue != b.queue)
        )


class NaiveOwn(Naive):
    def correct(self, job, elapsed):
        return self.share(job, elapsed / job.limit) * job.limit


def random_workload(seed: int) -> Workload:
    rng = np.random.default_rng(seed)
    jobs = generate(100, 16, seed, load=1.2, users=4)
    return jobs.replace(app=rng.integers(0, 3, 100), queue=rng.integers(-1, 2, 100))


@pytest.mark.parametrize(
    ("k", "quantile", "memory"), [(15, 0.9, 256), (3, 0.5, 10), (1, 1.0, 1), (7, 0.0, 20)]
)
@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(2, few=1)))
def test_as_its_twin(seed, k, quantile, memory):
    jobs = random_workload(seed)
    own = Corrector("own")
    for estimate, twin in (
        (NearestNeighbours(k, quantile, memory), Naive(jobs, k, quantile, memory)),
        (
            NearestNeighbours(k, quantile, memory, corrector=own),
            NaiveOwn(jobs, k, quantile, memory),
        ),
    ):
        replay_alike(jobs, estimate, twin)


def one_by_one(jobs, **columns) -> Workload:
    """Jobs (demand, run time, limit), each submitted when the one before has long ended."""
    table = [(1000 * i, *job) for i, job in enumerate(jobs)]
    users = {"user": np.ones(len(table), np.int64)}
    return Workload.of(table).replace(**(users | columns))


def estimates(workload: Workload, **settings) -> list[int]:
    run = simulate(workload, Cluster.pool(8), ListPolicy(), NearestNeighbours(**settings))
    return run.first_estimate.tolist()


TENTHS = [(1, 10 * share, 100) for share in (3, 1, 10, 2, 5, 4, 9, 7, 8, 6)]


@pytest.mark.parametrize(
    ("quantile", "expected"),
    [(0.0, 10), (0.1, 10), (0.11, 20), (0.5, 50), (0.7, 70), (0.9, 90), (0.901, 100), (1.0, 100)],
)
def test_the_quantile_is_a_share_that_occurred(quantile, expected):
    jobs = one_by_one([*TENTHS, (1, 1, 100)])
    assert estimates(jobs, k=10, quantile=quantile)[-1] == expected


def test_a_rank_that_is_whole_in_decimals_stays_whole():
    """0.55 * 100 is 55.00000000000001 in binary."""
    hundredths = [(1, runtime, 100) for runtime in range(1, 101)]
    jobs = one_by_one([*hundredths, (1, 1, 100)])
    assert estimates(jobs, k=100, quantile=0.55)[-1] == 55


def test_shares_are_scaled_to_the_limit_of_the_job():
    jobs = one_by_one([(1, 50, 100), (1, 50, 100), (1, 1, 400)])
    assert estimates(jobs, k=2) == [100, 100, 200]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"app": np.array([1, 2, 1])}, 20),
        ({"queue": np.array([2, 1, 2])}, 20),
        ({"demand": np.array([8, 1, 8])}, 20),
        ({"requested_time": np.array([100, 900, 100])}, 20),
        ({}, 40),
        ({"app": np.array([2, 1, 1]), "queue": np.array([3, 4, 3])}, 40),
    ],
    ids=["application", "queue", "processors", "limit", "the newer of equals", "app over queue"],
)
def test_the_nearest_of_two(columns, expected):
    shares = [(1, 20, 100), (1, 40, 100), (1, 1, 100)]
    assert estimates(one_by_one(shares, **columns), k=1)[-1] == expected


def test_memory_forgets():
    apps = np.array([1, 2, 2, 1])
    jobs = one_by_one([(1, 20, 100), (1, 40, 100), (1, 60, 100), (1, 1, 100)], app=apps)
    assert estimates(jobs, k=1, memory=3)[-1] == 20
    assert estimates(jobs, k=1, memory=2)[-1] == 60


def test_other_users_answer_for_one_with_too_little_past():
    shares = [(1, 20, 100), (1, 40, 100), (1, 60, 100), (1, 80, 100), (1, 1, 100)]
    jobs = one_by_one(shares, user=np.array([1, 1, 2, 2, 1]))
    # Two of the user's own; with k=3 the last three of all, of which the 90th percentile is the largest.
    assert estimates(jobs, k=2)[-1] == 40
    assert estimates(jobs, k=3)[-1] == 80
    assert estimates(jobs, k=5)[-1] == 100


def test_a_user_who_gets_a_past_leaves_the_others_behind():
    """Two completed jobs of another user, then two of the user's own: as many, but not the same."""
    table = [(0, 1, 80, 100)] * 2 + [(1000, 1, 20, 100)] * 2 + [(2000, 1, 1, 100)]
    jobs = Workload.of(table).replace(user=np.array([2, 2, 1, 1, 1]))
    assert estimates(jobs, k=2) == [100, 100, 80, 80, 20]


def test_a_waiting_job_is_estimated_again():
    """Two jobs wait for two others: at their submission the second is believed to be the shorter, but by what
    the others used of their limits (0.2 and 1) the first is."""
    jobs = Workload.of([(0, 4, 20, 100), (0, 4, 50, 50), (1, 8, 9, 100), (1, 8, 9, 90)])
    jobs = jobs.replace(app=np.array([1, 2, 1, 2]))
    shortest = policy("list-sjf")

    def starts(updates):
        believed = NearestNeighbours(k=1, updates=updates)
        run = simulate(jobs, Cluster.pool(8), shortest, believed)
        assert run.first_estimate.tolist() == [100, 50, 100, 90]
        return run.schedule.start[2:].tolist()

    assert starts(updates=True) == [50, 59]
    assert starts(updates=False) == [59, 50]


def test_an_outlived_estimate():
    """Shares 0.2, 0.4 and 0.8 are known; a job of limit 100 that has run its 20 s gets the 40 of those above
    that, then 80, then its limit: four estimates in all."""
    shares = [(1, 20, 100), (1, 40, 100), (1, 80, 100), (1, 95, 100)]
    own = NearestNeighbours(k=3, quantile=0.1, corrector=Corrector("own"))
    run = simulate(one_by_one(shares), Cluster.pool(8), ListPolicy(), own)
    assert run.first_estimate.tolist() == [100, 100, 100, 20]
    assert run.corrections.tolist() == [0, 0, 0, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("knn(k=0)", "k should be between 1 and 256, found 0"),
        ("knn(k=2.5)", "k should be a whole number"),
        ("knn(quantile=1.5)", "quantile should be between 0 and 1, found 1.5"),
        ("knn(quantile=nan)", "quantile should be between 0 and 1, found nan"),
        ("knn(memory=0)", "memory should be between 1 and 100000, found 0"),
        ("knn(k=20,memory=10)", r"k should be at most memory \(10\), found 20"),
    ],
)
def test_bad_parameters(text, message):
    with pytest.raises(InputError, match=message):
        predictor(text)


def test_by_name():
    assert predictor("knn") == NearestNeighbours()
    assert predictor("knn(quantile=75%,k=5)").name == "knn(k=5,quantile=0.75)"
