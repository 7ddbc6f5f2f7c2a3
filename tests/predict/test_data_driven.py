"""The data-driven heuristic: each rule by hand, and a twin that looks through all completed jobs."""

from __future__ import annotations

import re

import numpy as np
import pytest

from packwise import Cluster, ListPolicy, Workload, simulate
from packwise.predict import Corrector, DataDriven
from packwise.predict.catalogue import predictor
from packwise.workloads.lublin import generate
from tests.draws import draws
from tests.predict.twins import replay_alike


class Naive:
    """The six rules, word by word, over the list of all completed jobs."""

    name = "naive"
    updates = True

    def __init__(self, workload):
        self.done = []
        self.named = "job_name" in workload.extra

    def learn(self, job, runtime):
        self.done.append((job, runtime))

    def predict(self, job):
        return self.longer_than(0, job)

    def longer_than(self, floor, job):
        for rule in (self.rule1, self.rule2, self.rule3, self.rule4, self.rule5, self.rule6):
            matching = [t for other, t in self.done if other.user == job.user and rule(job, other)]
            if matching and matching[-1] > floor:
                return matching[-1]
        return job.limit

    def rule1(self, a, b):
        return self.same_name(a, b) and self.same_request(a, b)

    def rule2(self, a, b):
        return self.similar(a, b) and self.same_request(a, b)

    def rule3(self, a, b):
        return self.same_name(a, b) and (a.queue, a.limit) == (b.queue, b.limit)

    def rule4(self, a, b):
        return self.similar(a, b) and (a.queue, a.limit) == (b.queue, b.limit)

    def rule5(self, a, b):
        return self.same_name(a, b) and (a.name != "" if self.named else a.app >= 0)

    def rule6(self, a, b):
        prefix = re.match("[a-z]*", a.name.lower()).group()
        return len(prefix) >= 3 and prefix == re.match("[a-z]*", b.name.lower()).group()

    def same_request(self, a, b):
        return (a.queue, a.limit, a.demand) == (b.queue, b.limit, b.demand)

    def same_name(self, a, b):
        return a.name == b.name if self.named else max(a.app, -1) == max(b.app, -1)

    def similar(self, a, b):
        forms = [re.sub("[^a-z]+", "*", job.name.lower()) for job in (a, b)]
        return self.named and "" not in forms and forms[0] == forms[1]


class NaiveOwn(Naive):
    def correct(self, job, elapsed):
        return self.longer_than(elapsed, job)


NAMES = (
    "",
    "",
    "run_1",
    "run-2",
    "Run_1",
    "runner",
    "run1b",
    "ab1",
    "ab2",
    "7",
    "8.9",
    "sim",
    "sim3",
)


def random_workload(seed: int, kind: str) -> Workload:
    """Few users, limits, queues and names, so that every rule meets something."""
    rng = np.random.default_rng(seed)
    jobs = generate(100, 16, seed, load=1.2, users=4)
    limit = rng.choice([600, 3600, 20000], 100)
    columns = {"queue": rng.integers(-1, 2, 100), "app": rng.integers(-2, 4, 100)}
    columns["demand"] = rng.choice([1, 2, 8], 100)
    if kind == "names":
        columns["extra"] = {"job_name": rng.choice(NAMES, 100)}
    elif kind == "nothing":
        columns["app"] = np.full(100, -1)
    return jobs.replace(requested_time=limit, runtime=np.minimum(jobs.runtime, limit), **columns)


@pytest.mark.parametrize("kind", ["names", "apps", "nothing"])
@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(3, few=1)))
def test_as_its_twin(seed, kind):
    jobs = random_workload(seed, kind)
    for estimate, twin in (
        (DataDriven(), Naive(jobs)),
        (DataDriven(corrector=Corrector("own")), NaiveOwn(jobs)),
    ):
        replay_alike(jobs, estimate, twin)


def estimate_of_last(*jobs, **columns) -> int:
    """What the last job is believed to take when the others have ended, one after the other.

    A job is (name, queue, limit, processors) or that and a run time; run times are 11, 12, 13, ...
    """
    rows = [(*job, 11 + i)[:5] for i, job in enumerate(jobs)]
    names, queues, limits, demands, runtimes = zip(*rows, strict=True)
    table = zip(range(0, 1000 * len(rows), 1000), demands, runtimes, limits, strict=True)
    columns = {
        "user": np.ones(len(rows), np.int64),
        "extra": {"job_name": np.array(names)},
    } | columns
    jobs = Workload.of(list(table)).replace(queue=np.array(queues), **columns)
    run = simulate(jobs, Cluster.pool(8), ListPolicy(), DataDriven())
    assert run.first_estimate[0] == limits[0]
    return int(run.first_estimate[-1])


MINE = ("run_12", 1, 100, 4)


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        (MINE, ("run-13", 1, 100, 4), 1),
        (("Run-13", 1, 100, 4), ("run_12", 1, 100, 2), 2),
        (("run_12", 1, 100, 2), ("run_13", 1, 100, 2), 3),
        (("run_13", 1, 100, 2), ("run_12", 1, 200, 4), 4),
        (("run_12", 2, 100, 4), ("run_13", 2, 100, 4), 5),
        (("run_12", 1, 200, 4), ("run", 1, 100, 4), 5),
        (("running", 1, 100, 4), ("run", 2, 200, 8), 6),
        (("running", 1, 100, 4), ("ru_12", 1, 100, 4), "none"),
        (("un_12", 1, 100, 4), ("12", 1, 100, 4), "none"),
    ],
)
def test_the_first_rule_that_matches_wins_over_newer_jobs(first, second, rule):
    expected = {6: 12, "none": 100}.get(rule, 11)
    assert estimate_of_last(first, second, MINE) == expected


@pytest.mark.parametrize(
    "request_of_both", [(1, 100, 4), (1, 100, 2), (2, 300, 2)], ids=["rule 1", "rule 3", "rule 5"]
)
def test_of_several_matches_the_last_one_counts(request_of_both):
    match = ("run_12", *request_of_both)
    assert estimate_of_last(match, match, MINE) == 12


def test_the_limit_caps_the_answer():
    assert estimate_of_last(("sim", 1, 500, 4, 400), ("sim", 1, 100, 4)) == 100


def test_names_of_digits_are_similar_and_short_prefixes_do_not_count():
    assert estimate_of_last(("7", 1, 100, 4), ("8.9", 1, 100, 4)) == 11
    assert estimate_of_last(("7", 1, 100, 4), ("8.9", 2, 100, 4)) == 100
    assert estimate_of_last(("ab_1", 1, 100, 4), ("ab_x", 1, 100, 4)) == 100
    assert estimate_of_last(("abc_1", 1, 100, 4), ("abc_x", 1, 100, 4)) == 11


def test_an_unknown_name_matches_in_rules_1_and_3_only():
    assert estimate_of_last(("", 1, 100, 4), ("", 1, 100, 4)) == 11
    assert estimate_of_last(("", 1, 100, 2), ("", 1, 100, 4)) == 11
    assert estimate_of_last(("", 1, 200, 4), ("", 1, 100, 4)) == 100
    assert estimate_of_last(("run", 1, 100, 4), ("", 1, 100, 4)) == 100


def test_without_names_the_application_is_the_name():
    jobs = [("", 1, 200, 4), ("", 1, 100, 4), ("", 1, 100, 4)]

    def answer(*apps):
        return estimate_of_last(*jobs, app=np.array(apps), extra={})

    assert answer(5, 6, 5) == 11
    assert answer(6, 5, 5) == 12
    assert answer(5, 6, 7) == 100
    assert answer(-1, 6, -1) == 100
    assert answer(6, -1, -1) == 12


def test_users_do_not_learn_from_each_other():
    assert estimate_of_last(MINE, MINE, user=np.array([1, 2])) == 100


def test_by_name():
    assert predictor("data-driven") == DataDriven()
    assert predictor("data-driven(corrector=own)").name == "data-driven(corrector=own)"
