"""Gradient-boosted trees: taken out of LightGBM unchanged, trained when due, the same each time."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from packwise import Cluster, ListPolicy, Workload, simulate
from packwise.model.errors import InputError
from packwise.predict import Corrector, GradientBoosting, gradient_boosting
from packwise.predict.catalogue import predictor
from packwise.predict.gradient_boosting import ENOUGH, WEEK, Learner, Past, asked
from packwise.predict.kernels.kernel import FINISHED, OUTLIVED, SUBMITTED
from packwise.predict.kernels.trees import forest
from packwise.workloads.lublin import generate
from tests.draws import draws

JOBS = generate(600, 32, 1, load=0.9, users=8)


@pytest.fixture(scope="module")
def lightgbm():
    try:
        return gradient_boosting.lightgbm()
    except InputError as error:  # it says what is missing, the package or a library of the system
        pytest.skip(str(error))


@pytest.fixture
def learner(lightgbm):
    """A learner that has seen the first jobs of JOBS come and go, and is not trained yet."""
    made = Learner(GradientBoosting(), JOBS)
    for job in range(ENOUGH):
        made.answer(SUBMITTED, job, 10 * job)
        made.answer(FINISHED, job, 10 * job + 5)
    return made


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(3, few=2)))
def test_the_trees_give_what_lightgbm_gives(lightgbm, seed):
    rng = np.random.default_rng(seed)
    rows = np.column_stack(
        [rng.integers(-1, 5, 2000), rng.lognormal(size=2000), rng.normal(size=2000), np.zeros(2000)]
    )
    target = rows[:, 0] * rows[:, 2] + rng.normal(size=2000)
    booster = lightgbm.train(
        {"objective": "quantile", "alpha": 0.9, "verbosity": -1, "num_threads": 1},
        lightgbm.Dataset(rows, target),
        num_boost_round=40,
    )
    trees = forest(booster.dump_model()["tree_info"])
    # New rows, old ones (whose values the thresholds lie between), and far away ones.
    asked_for = np.concatenate(
        [rows[:300], rng.normal(size=(300, 4)), 1e12 * rng.normal(size=(9, 4))]
    )
    assert [trees.value(row) for row in asked_for] == booster.predict(asked_for).tolist()


def test_a_value_on_the_threshold_goes_left(lightgbm):
    leaf = [{"leaf_value": value} for value in (1.5, 2.5)]
    split = {"split_feature": 1, "threshold": 7.0, "decision_type": "<="}
    tree = {"tree_structure": split | {"left_child": leaf[0], "right_child": leaf[1]}}
    trees = forest([tree, {"tree_structure": {"leaf_value": 10.0}}])
    assert trees.value(np.array([0.0, 7.0])) == 11.5
    assert trees.value(np.array([0.0, np.nextafter(7.0, 8.0)])) == 12.5


def test_nothing_to_split_gives_the_quantile(lightgbm):
    """Equal rows: a tree is one leaf."""
    jobs = Workload.of([(1000 * i, 1, 1 + i % 10, 100) for i in range(150)])
    run = simulate(jobs, Cluster.pool(4), ListPolicy(), GradientBoosting(every=10**9))
    assert run.first_estimate[:ENOUGH].tolist() == [100] * ENOUGH
    assert set(run.first_estimate[ENOUGH:].tolist()) <= {9, 10}


def test_what_a_job_brings_along():
    monday_noon = JOBS.start_time + 12 * 3600
    jobs = Workload.of([(0, 2, 5, 10), (25 * 3600, 3, 5, 20)]).replace(
        start_time=monday_noon, user=np.array([7, 8]), app=np.array([4, 5])
    )
    first, second = asked(jobs).tolist()
    assert first[:5] == [10, 2, 4, -1, 7]
    assert second[:5] == [20, 3, 5, -1, 8]
    assert (first[5], second[5]) == (12, 13)
    assert second[6] == (first[6] + 1) % 7


def test_a_users_past():
    past = Past()
    assert past.seen_by(8, 100) == (0, -1, -1, -1, -1, -1)
    past.add(0.5, 2, 30)
    assert past.seen_by(8, 100) == (1, 0.5, -1, 0.5, 70, 4)
    past.add(0.25, 6, 90)
    assert past.seen_by(8, 100) == (2, 0.25, 0.5, 0.375, 10, 2)


def test_the_limit_until_enough_jobs_have_ended(learner):
    assert learner.trainings == []
    untrained = Learner(GradientBoosting(), JOBS)
    assert untrained.answer(SUBMITTED, 0, 0) == JOBS.requested_time[0]
    learner.answer(SUBMITTED, ENOUGH, 5000)
    assert learner.trainings == [5000]


def test_trained_again_when_due_and_asked(learner):
    for job, time in ((100, 5000), (101, 5000 + WEEK - 1), (102, 5000 + WEEK), (103, 5001 + WEEK)):
        learner.answer(SUBMITTED, job, time)
        learner.answer(FINISHED, job, time)
    assert learner.trainings == [5000, 5000 + WEEK]


@pytest.mark.slow
def test_training_changes_the_answers_and_memory_limits_what_it_sees(lightgbm):
    """Run times jump from 10 to 90 s, and nothing else tells early jobs from late ones: each has a user of
    its own and comes at the same hour of a week. Who trains once does not notice; nor who remembers all."""
    jobs = Workload.of([(WEEK * i, 1, 10 if i < 300 else 90, 100) for i in range(460)])
    jobs = jobs.replace(user=np.random.default_rng(0).permutation(460))

    def last(**settings):
        believed = GradientBoosting(quantile=0.5, **settings)
        return int(simulate(jobs, Cluster.pool(4), ListPolicy(), believed).first_estimate[-1])

    assert last(every=10**9) == 10
    assert last(memory=100) == 90
    assert last() < 50


def test_a_job_is_described_by_what_was_known_then(learner):
    """A job's row is not touched by what ends while it runs."""
    learner.answer(SUBMITTED, 200, 5000)
    before = learner._rows[200].copy()
    learner.answer(FINISHED, 100, 6000)
    learner.answer(FINISHED, 200, 6000)
    assert learner._rows[200].tolist() == before.tolist()


def test_an_outlived_estimate(learner):
    believed = learner.answer(SUBMITTED, 150, 5000)
    assert learner.answer(OUTLIVED, 150, int(believed) - 1) == believed
    assert learner.answer(OUTLIVED, 150, int(believed) + 1) == JOBS.requested_time[150]


@pytest.mark.parametrize("settings", [{}, {"updates": True, "corrector": Corrector("own")}])
def test_the_same_each_time_compiled_and_stepped(lightgbm, settings):
    believed = GradientBoosting(every=WEEK, **settings)
    runs = [
        simulate(JOBS, Cluster.pool(32), ListPolicy(), believed, stepped=stepped)
        for stepped in (False, False, True)
    ]
    assert (runs[0].first_estimate < JOBS.requested_time).sum() > 100
    for run in runs[1:]:
        assert run.first_estimate.tolist() == runs[0].first_estimate.tolist()
        assert run.schedule.start.tolist() == runs[0].schedule.start.tolist()


def test_about_the_quantile_is_covered(lightgbm):
    run = simulate(JOBS, Cluster.pool(32), ListPolicy(), GradientBoosting(quantile=0.8))
    late = slice(300, None)
    short = (run.first_estimate < run.workload.runtime)[late].mean()
    assert 0.1 < short < 0.4


def test_without_lightgbm(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(InputError, match=r"'gbm' needs LightGBM.*pip install 'packwise\[learn\]'"):
        simulate(JOBS, Cluster.pool(32), ListPolicy(), GradientBoosting())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gbm(quantile=1)", "quantile should be above 0 and below 1, found 1"),
        ("gbm(quantile=nan)", "quantile should be above 0 and below 1, found nan"),
        ("gbm(every=0)", "every should be between 1 and 1e[+]09, found 0"),
        ("gbm(memory=50)", "memory should be between 100 and 1e[+]07, found 50"),
        ("gbm(seed=-1)", "seed should be between 0"),
    ],
)
def test_bad_parameters(text, message):
    with pytest.raises(InputError, match=message):
        predictor(text)


def test_by_name():
    assert predictor("gbm").name == "gbm"
    assert predictor("gbm(update=submission)").name == "gbm"
    assert predictor("gbm(update=round,every=3600)").name == "gbm(update=round,every=3600)"
