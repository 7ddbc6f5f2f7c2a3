"""Properties that the definitions promise (SBAC-PAD 2022, Sections III and IV), and precision."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_schedules import Case, cases

from packwise.metrics import metric, summarize
from packwise.metrics.outcome import total
from packwise.model import Cluster, Schedule, Workload

SIZE_BLIND = ("P0SF", "P1SF", "P2SF", "P3SF", "P1.5SF")


def as_case(case: Case, jobs: list[tuple[int, int, int, int]]) -> Case:
    """A case from (submit, demand, start, end) rows."""
    jobs = sorted(jobs, key=lambda row: row[0])
    workload = Workload.of([(s, r, c - b, c - b) for s, r, b, c in jobs])
    starts, ends = [b for _, _, b, _ in jobs], [c for *_, c in jobs]
    return Case(workload, case.cluster, Schedule(starts, ends))


def jobs_of(case: Case) -> list[tuple[int, int, int, int]]:
    columns = (case.workload.submit, case.workload.demand, case.schedule.start, case.schedule.end)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(cases())
def test_splitting_by_processors_changes_nothing(case: Case) -> None:
    split = [(s, 1, b, c) for s, r, b, c in jobs_of(case) for _ in range(r)]
    for name in ("AWF", "AWQ", *SIZE_BLIND):
        value = metric(name).compute(*case)
        assert metric(name).compute(*as_case(case, split)) == pytest.approx(value, rel=1e-12)


@given(cases())
def test_splitting_in_time_does_not_change_pasf(case: Case) -> None:
    """One second each, one after the other: P^αSF sees the same units of computation."""
    split = [(s, r, t, t + 1) for s, r, b, c in jobs_of(case) for t in range(b, c)]
    for name in SIZE_BLIND:
        value = metric(name).compute(*case)
        assert metric(name).compute(*as_case(case, split)) == pytest.approx(value, rel=1e-12)


@given(cases())
def test_level_0_is_the_mean_of_awf_and_awq(case: Case) -> None:
    values = summarize(*case, ["P0SF", "AWF", "AWQ"])
    assert values["P0SF"] == pytest.approx((values["AWF"] + values["AWQ"]) / 2, rel=1e-13)


def test_swapping_equal_work_of_one_moment_changes_nothing() -> None:
    """Fig. 2b: two jobs submitted together change places, and the profile stays as it was.

    2  1 1 1 2 2 2          2  2 2 2 1 1 1
    1  1 1 1 2 2 2    =     1  2 2 2 1 1 1
    """
    workload = Workload.of([(0, 2, 3, 3), (0, 2, 3, 3)])
    first, second = Schedule([0, 3], [3, 6]), Schedule([3, 0], [6, 3])
    for name in ("AWF", "AWQ", *SIZE_BLIND):
        value = metric(name).compute(workload, Cluster.pool(2), first)
        assert metric(name).compute(workload, Cluster.pool(2), second) == value


@given(cases(), st.randoms(use_true_random=False))
def test_numbering_does_not_matter(case: Case, random) -> None:
    """Jobs in another order (all submitted at 0, to keep the workload sorted): the same values."""
    jobs = [(0, r, b, c) for _, r, b, c in jobs_of(case)]
    shuffled = jobs.copy()
    random.shuffle(shuffled)
    assert summarize(*as_case(case, shuffled)) == summarize(*as_case(case, jobs))


@given(cases(), st.data())
def test_starting_one_job_later_is_worse(case: Case, data: st.DataObject) -> None:
    """Any job. P2SF is a ratio: a job may bring it down by waiting (see the next test)."""
    delay = np.zeros(len(case.workload), np.int64)
    delay[data.draw(st.integers(0, len(case.workload) - 1))] = data.draw(st.integers(1, 1000))
    later = Schedule(case.schedule.start + delay, case.schedule.end + delay)
    for name in ("AWF", "AF", "wait"):
        one, other = (metric(name).compute(*case[:2], s) for s in (case.schedule, later))
        assert one < other


@given(cases())
def test_starting_all_jobs_later_is_worse(case: Case) -> None:
    later = Schedule(case.schedule.start + 1, case.schedule.end + 1)
    for name in ("AWF", "AF", "P2SF", "wait"):
        one, other = (metric(name).compute(*case[:2], s) for s in (case.schedule, later))
        assert one < other


def test_precision_on_extreme_values() -> None:
    """1e5 jobs, waits near 1e7 s, run times from 1 s, up to 1e5 processors: right to 1e-12."""
    rng = np.random.default_rng(7)
    n = 100_000
    submit = np.sort(rng.integers(0, 10**8, n))
    runtime = np.where(rng.random(n) < 0.5, 1, rng.integers(1, 10**6, n))
    workload = Workload(
        "extreme", np.arange(n), submit, runtime, runtime, rng.integers(1, 10**5, n)
    )
    wait = 10**7 + rng.integers(-3, 4, n)
    schedule = Schedule.from_wait(workload, wait)
    jobs = list(zip(workload.demand.tolist(), wait.tolist(), runtime.tolist(), strict=True))
    sums = [sum(r * ((q + d) ** k - q**k) for r, q, d in jobs) for k in range(6)]
    for alpha in (0, 1, 2, 3):
        exact = Fraction(alpha + 1, alpha + 2) * Fraction(sums[alpha + 2], sums[alpha + 1])
        value = metric(f"P{alpha}SF").compute(workload, Cluster.pool(10**5), schedule)
        assert abs(Fraction(value) / exact - 1) < Fraction(1, 10**12)


def test_one_second_after_a_year_keeps_its_digits() -> None:
    """F^4 - Q^4 for Q = 1e12, D = 1 loses every digit if it is subtracted as it stands."""
    workload = Workload.of([(0, 1, 1, 1)])
    q, d = 10**12, 1
    exact = Fraction(3, 4) * Fraction((q + d) ** 4 - q**4, (q + d) ** 3 - q**3)
    value = metric("P2SF").compute(workload, Cluster.pool(1), Schedule([q], [q + d]))
    assert value == float(exact)
    near = metric("P2.0000001SF").compute(workload, Cluster.pool(1), Schedule([q], [q + d]))
    assert near == pytest.approx(value, rel=1e-9)


@given(st.lists(st.floats(0, 1e30), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_sum_is_exact_to_the_last_bit_but_one(values: list[float], random) -> None:
    exact = sum(Fraction(value) for value in values)
    random.shuffle(values)
    assert abs(Fraction(total(np.array(values))) - exact) <= exact * Fraction(2, 2**53)
