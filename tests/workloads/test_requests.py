"""Synthetic users and their limits, against what was observed in logs."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.workloads.lublin import generate
from packwise.workloads.requests import (
    AT_MAXIMUM,
    KILLED,
    ROUND_LIMITS,
    SESSION_GAP,
    VALUES_PER_USER,
    draw_limits,
    draw_users,
)

WORKLOAD = generate(30_000, 256, seed=2)
LIMIT, RUNTIME, USER = WORKLOAD.requested_time, WORKLOAD.runtime, WORKLOAD.user


def test_limits_are_round_and_never_below_the_run_time() -> None:
    assert (RUNTIME <= LIMIT).all()
    assert np.isin(LIMIT, ROUND_LIMITS).all()


def test_share_at_the_maximum_and_share_killed() -> None:
    assert (LIMIT.max() == LIMIT).mean() == pytest.approx(AT_MAXIMUM, abs=0.05)
    assert (RUNTIME == LIMIT).mean() == pytest.approx(KILLED, abs=0.02)


def test_few_values_per_user() -> None:
    per_user = [len(np.unique(LIMIT[user == USER])) for user in np.unique(USER)]
    assert max(per_user) <= VALUES_PER_USER + 1


def test_few_users_do_much_and_come_in_sessions() -> None:
    assert 0.05 < np.bincount(USER).max() / len(USER) < 0.4
    assert (USER[1:] == USER[:-1]).mean() > 0.5


def test_a_long_pause_ends_a_session() -> None:
    # With a pause before every job each user is drawn anew: 1 of 1000 users seldom repeats.
    submit = np.arange(1000) * (SESSION_GAP + 1)
    user = draw_users(np.random.default_rng(1), submit, 1000)
    assert (user[1:] == user[:-1]).mean() < 0.1


def test_run_times_beyond_the_maximum_are_cut() -> None:
    runtime = np.array([1, 10**7])
    cut, limit = draw_limits(np.random.default_rng(1), runtime, np.array([1, 1]))
    assert limit[1] <= ROUND_LIMITS[-1]
    assert cut[1] == limit[1]
