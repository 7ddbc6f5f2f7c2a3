"""Fast = naive, on random small schedules."""

import pytest
from hypothesis import given, settings
from naive_metrics import pasf, rows, summary
from random_schedules import Case, cases

from packwise.metrics import METRICS, metric, summarize
from tests.draws import draws


@settings(max_examples=draws(150))
@given(cases(weights=True, rejections=True, deadlines=True, users=True))
def test_same_as_naive(case: Case) -> None:
    fast = summarize(*case, fairness=True)
    naive = summary(case.workload, case.schedule, case.cluster.procs)
    elsewhere = {"users_worse", "users_better", "worst_size"}  # test_effects.py
    elsewhere |= {one.name for one in METRICS.values() if one.of_energy}  # energy/test_account.py
    assert list(fast) == list(naive) == [name for name in METRICS if name not in elsewhere]
    assert fast == pytest.approx(naive, rel=1e-12, abs=1e-12, nan_ok=True)


@settings(max_examples=draws(50))
@given(cases())
def test_fractional_level_agrees_with_whole_level(case: Case) -> None:
    """Levels above 6 take the expm1 road; the naive twin takes whole powers."""
    jobs = rows(case.workload, case.schedule)
    for alpha in (0, 5, 7, 12):
        assert metric(f"P{alpha}SF").compute(*case) == pytest.approx(pasf(jobs, alpha), rel=1e-11)
    low, middle, high = (metric(f"P{a}SF").compute(*case) for a in (1, 1.5, 2))
    assert low * (1 - 1e-12) <= middle <= high * (1 + 1e-12)
