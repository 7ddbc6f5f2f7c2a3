"""One round of a replay: the one asked for, as the policy was shown it."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, ConservativePolicy, Decision, ListPolicy, simulate
from packwise.optimise.moment import moment_of
from packwise.optimise.round import Round
from packwise.predict.catalogue import predictor
from packwise.workloads.lublin import generate
from tests.lanes import broad

JOBS = generate(100, 16, 3, load=1.3)
POOL = Cluster.pool(16)


def replay(estimate=None):
    return lambda policy: simulate(JOBS, POOL, policy, estimate)


class Notebook:
    """Writes down every round that its policy is shown."""

    name = "notebook"

    def __init__(self, policy):
        self.policy = policy
        self.keeps_estimates = getattr(policy, "keeps_estimates", False)
        self.rounds = {}

    def decide(self, view):
        decision = self.policy.decide(view)
        self.rounds[view.now] = Round.from_view(view), decision
        return decision


@pytest.mark.parametrize("policy", broad([ListPolicy(), ListPolicy(depth=1), ConservativePolicy()]))
@pytest.mark.parametrize("estimate", broad([None, predictor("last2")]))
def test_the_round_is_the_one_that_the_policy_saw(policy, estimate):
    notebook = Notebook(policy)
    simulate(JOBS, POOL, notebook, estimate)
    times = [time for time, (round, _) in notebook.rounds.items() if len(round)]
    for time in times[:: len(times) // 8]:
        round, decision = notebook.rounds[time]
        found = moment_of(replay(estimate), policy, time)
        for column in ("job", "submit", "demand", "estimate", "times", "free"):
            assert getattr(found.round, column).tolist() == getattr(round, column).tolist()
        assert list(found.decision.start) == list(decision.start)
        assert found.decision.planned == decision.planned
        assert found.free + found.demand.sum() == 16


def test_the_last_round_until_then():
    rounds = simulate(JOBS, POOL, ListPolicy()).rounds
    i = int(np.argmax(rounds.queued))
    assert rounds.time[i + 1] > rounds.time[i] + 1
    for at in (int(rounds.time[i]), int(rounds.time[i + 1]) - 1):
        assert moment_of(replay(), ListPolicy(), at).round.now == rounds.time[i]


def test_the_longest_queue_is_the_same_in_compiled_and_stepped_replays():
    rounds = simulate(JOBS, POOL, ListPolicy()).rounds
    found = moment_of(replay(), ListPolicy(), None)
    assert found.round.now == rounds.time[np.argmax(rounds.queued)]
    assert len(found.round) == rounds.queued.max()


def test_the_replay_ends_with_the_round():
    asked = []

    class Asked(ListPolicy):
        def decide(self, view):
            asked.append(view.now)
            return super().decide(view)

    rounds = simulate(JOBS, POOL, ListPolicy()).rounds
    i = int(np.argmax(rounds.queued))
    moment_of(lambda policy: simulate(JOBS, POOL, policy), Asked(), int(rounds.time[i]))
    assert asked == rounds.time[: i + 1].tolist()


def test_what_goes_wrong_in_the_policy_is_not_hidden():
    class Bad:
        name = "bad"

        def decide(self, view):
            return Decision(start=[0, 0])

    with pytest.raises(Exception, match="named twice"):
        moment_of(replay(), Bad(), 10**6)


def test_where_nobody_waits_the_nearest_round_with_a_queue_is_taken():
    rounds = simulate(JOBS, POOL, ListPolicy()).rounds
    queues = rounds.time[rounds.queued > 0]
    last = int(rounds.time[-1])
    assert rounds.queued[-1] == 0
    for asked, expected in (
        (last, queues[-1]),
        (last + 10**6, queues[-1]),
        (int(JOBS.submit[0]) - 1, queues[0]),
    ):
        found = moment_of(replay(), ListPolicy(), asked)
        assert (found.round.now, found.asked) == (expected, asked)
    assert moment_of(replay(), ListPolicy(), int(queues[0])).asked is None
