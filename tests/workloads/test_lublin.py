"""The Lublin-Feitelson model: published marginals, determinism, limits."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.model.errors import InputError
from packwise.workloads.lublin import (
    A1,
    A2,
    A_ARRIVAL,
    B1,
    B2,
    B_ARRIVAL,
    BUCKETS,
    PA,
    PB,
    RUSH_TO_ALL,
    daily_cycle,
    draw_gaps,
    draw_runtimes,
    generate,
    on_calendar,
)


def test_sizes_have_the_published_shares() -> None:
    demand = generate(50_000, 128, seed=1).demand
    power = (demand & (demand - 1)) == 0
    assert (demand == 1).mean() == pytest.approx(0.244, abs=0.01)
    # Of the other parallel jobs (0.18), some land on a power of two by themselves.
    assert 0.576 <= (power & (demand > 1)).mean() <= 0.576 + 0.18 / 2
    # Two-stage uniform: 86 % of the parallel jobs below 2^4.5 (= 22.6), for 128 processors.
    assert (demand[demand > 1] <= 22).mean() == pytest.approx(0.86, abs=0.06)
    assert demand.max() == 128


def test_run_times_have_the_published_mean_logarithm() -> None:
    # E ln(run time) = p A1 B1 + (1 - p) A2 B2; the redrawing above exp(12) lowers it a little.
    rng = np.random.default_rng(1)
    for size in (1, 64, 140):
        runtime = draw_runtimes(rng, np.full(40_000, size, np.int64))
        p = PA * size + PB
        expected = p * A1 * B1 + (1 - p) * A2 * B2
        assert np.log(runtime + 0.5).mean() == pytest.approx(expected, rel=0.03)
        assert runtime.max() <= np.exp(12)


def test_arrivals_follow_gaps_and_daily_cycle() -> None:
    submit = on_calendar(draw_gaps(np.random.default_rng(1), 100_000).cumsum())
    assert (np.diff(submit) >= 0).all()
    # E exp(gamma) = (1 - b)^-a without the redrawing above exp(13), which cuts a heavy tail.
    longest = (1 - B_ARRIVAL) ** -(A_ARRIVAL * RUSH_TO_ALL)
    assert 0.5 * longest < np.diff(submit).mean() < longest
    cycle = daily_cycle()
    assert cycle.mean() == pytest.approx(1)
    assert 26 <= cycle.argmax() <= 29  # early afternoon
    assert 8 <= cycle.argmin() <= 11  # around five in the morning
    counts = np.bincount(submit // 1800 % BUCKETS, minlength=BUCKETS)
    assert np.corrcoef(counts, cycle)[0, 1] > 0.98


@pytest.mark.parametrize("load", [0.3, 0.9, 1.5])
def test_target_load(load: float) -> None:
    assert generate(3000, 100, 5, load=load).load(100) == pytest.approx(load, rel=1e-3)


def test_a_denser_workload_keeps_the_daily_cycle() -> None:
    submit = generate(50_000, 100, 5, load=0.9).submit
    counts = np.bincount(submit // 1800 % BUCKETS, minlength=BUCKETS)
    assert np.corrcoef(counts, daily_cycle())[0, 1] > 0.95


def test_same_seed_same_jobs() -> None:
    one, two, other = (generate(500, 64, seed, load=0.8) for seed in (7, 7, 8))
    for name in ("submit", "runtime", "requested_time", "demand", "user"):
        assert (getattr(one, name) == getattr(two, name)).all()
    assert (one.submit != other.submit).any()


def test_first_jobs_by_seed_are_fixed() -> None:
    """A change here changes every synthetic experiment: it belongs in the changelog."""
    submit_runtime_limit_demand = [tuple(job)[1:5] for job in generate(3, 64, 1)]
    assert submit_runtime_limit_demand == [
        (3884, 96, 172800, 1),
        (5160, 8, 3600, 2),
        (5217, 5, 3600, 8),
    ]


@pytest.mark.parametrize(("jobs", "procs"), [(1, 1), (50, 1), (50, 2), (500, 3), (500, 100_000)])
def test_any_size(jobs: int, procs: int) -> None:
    workload = generate(jobs, procs, 3, load=0.5, users=1)
    assert len(workload) == jobs
    assert workload.demand.max() <= procs
    assert set(workload.user.tolist()) == {1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 4, 1), "jobs should be"),
        ((4, 0, 1), "procs should be"),
        ((4, 4, -1), "seed should be"),
        ((4, 4, 1, 0.0), "target load"),
        ((4, 4, 1, float("nan")), "target load"),
        ((4, 4, 1, None, 0), "users should be a whole number from 1 to"),
    ],
)
def test_refused(arguments: tuple[float, ...], message: str) -> None:
    jobs, procs, seed, load, users = (*arguments, *(None,) * (5 - len(arguments)))
    with pytest.raises(InputError, match=message):
        generate(jobs, procs, seed, load=load, users=users)  # type: ignore[arg-type]
