"""A predictor in plain Python drives the same loops as a compiled one."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, ConservativePolicy, simulate
from packwise.policies.list_scheduling import ListPolicy
from packwise.predict import Last2
from packwise.predict.correctors import Corrector
from packwise.registry import POLICIES
from packwise.workloads.lublin import generate
from tests.lanes import broad

BUSY = generate(400, 32, 5, load=1.1, users=6)


class Python:
    """last2, as a user would write it."""

    name = "python"

    def __init__(self, **options):
        self.past = {}
        vars(self).update(options)

    def predict(self, job):
        past = self.past.get(job.user, [])
        return (past[-1] + past[-2]) // 2 if len(past) > 1 else job.limit

    def learn(self, job, runtime):
        self.past.setdefault(job.user, []).append(runtime)


@pytest.mark.parametrize("corrector", ["limit", "steps", "doubling", "conditional-50%"])
@pytest.mark.parametrize("updates", [False, True])
@pytest.mark.parametrize(
    "name", broad(["list-reg", "cbf", "list-laf", "easy-sjbf", "saf-aggressive"], quick=2)
)
def test_as_the_compiled_one(name, updates, corrector):
    policy = ConservativePolicy() if name == "cbf" else POLICIES[name]
    theirs = Last2(corrector=Corrector(corrector), updates=updates)
    mine = Python(corrector=corrector, updates=updates)
    runs = [simulate(BUSY, Cluster.pool(32), policy, each) for each in (theirs, mine)]
    np.testing.assert_array_equal(runs[0].schedule.start, runs[1].schedule.start)
    np.testing.assert_array_equal(runs[0].first_estimate, runs[1].first_estimate)
    np.testing.assert_array_equal(runs[0].corrections, runs[1].corrections)
    assert runs[0].corrections.sum() > 50
    assert runs[1].compiled


def test_the_last_two_limits():
    """As the compiled one with another thing to remember."""

    class OfLimits(Python):
        def learn(self, job, runtime):
            super().learn(job, job.limit)

    theirs = simulate(BUSY, Cluster.pool(32), ListPolicy(), Last2(of="limits", updates=False))
    mine = simulate(BUSY, Cluster.pool(32), ListPolicy(), OfLimits())
    np.testing.assert_array_equal(theirs.first_estimate, mine.first_estimate)
    np.testing.assert_array_equal(theirs.schedule.start, mine.schedule.start)
    usual = simulate(BUSY, Cluster.pool(32), ListPolicy(), Last2(updates=False))
    assert (theirs.first_estimate != usual.first_estimate).any()


def test_what_it_is_told():
    told = []

    class Listens(Python):
        def predict(self, job):
            told.append(("asked", job.id))
            return super().predict(job)

        def started(self, job, now):
            told.append(("started", job.id, now))

        def learn(self, job, runtime):
            told.append(("ended", job.id, runtime))
            super().learn(job, runtime)

        def correct(self, job, elapsed):
            told.append(("outlived", job.id, elapsed))
            return job.limit

        def __deepcopy__(self, memory):
            return self

    run = simulate(BUSY, Cluster.pool(32), POLICIES["list-reg"], Listens())
    assert [t[1] for t in told if t[0] == "asked"] == BUSY.id.tolist()
    assert {t[1]: t[2] for t in told if t[0] == "started"} == dict(
        zip(BUSY.id.tolist(), run.schedule.start.tolist(), strict=True)
    )
    assert {t[1]: t[2] for t in told if t[0] == "ended"} == dict(
        zip(BUSY.id.tolist(), BUSY.runtime.tolist(), strict=True)
    )
    assert len([t for t in told if t[0] == "outlived"]) == run.corrections.sum()
    outlived = {t[1]: t[2] for t in told if t[0] == "outlived"}
    assert all(outlived[i] < d for i, d in zip(BUSY.id, BUSY.runtime, strict=True) if i in outlived)


def test_names_of_jobs():
    seen = set()

    class Reads(Python):
        def predict(self, job):
            seen.add(job.name)
            return 1

    names = np.array([f"run_{i % 3}" for i in range(len(BUSY))])
    named = BUSY.replace(extra={"job_name": names})
    simulate(named, Cluster.pool(32), POLICIES["easy"], Reads())
    assert seen == {"run_0", "run_1", "run_2"}
