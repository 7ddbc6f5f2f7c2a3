"""What really happened, as a policy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.feasibility import check_schedule
from packwise.model.errors import InputError
from packwise.model.workload import Workload
from packwise.policies.recorded import Recorded, RecordedOrder
from packwise.registry import estimate, policy
from packwise.simulation import simulate
from packwise.workloads.transform import round_demand, scale_load, shake

JOBS = Workload.of([(0, 2, 10, 20), (5, 1, 10, 10), (6, 2, 5, 9), (7, 1, 3, 3)]).replace(
    extra={"wait": np.array([1, 0, 20, -1])}
)


def test_jobs_start_when_they_did() -> None:
    run = simulate(JOBS, 3, policy("recorded"))
    assert run.workload.id.tolist() == [1, 2, 3]
    assert run.schedule.start.tolist() == [1, 5, 26]
    assert run.schedule.end.tolist() == [11, 15, 31]
    assert run.rejected.tolist() == [4]
    assert run.rounds.time.tolist() == [1, 5, 26]
    assert run.rounds.started.tolist() == [1, 1, 1]
    assert run.rounds.queued.tolist() == [1, 1, 1]
    assert run.first_estimate.tolist() == [20, 10, 9]


def test_a_machine_that_was_larger_is_no_reason_to_refuse() -> None:
    assert simulate(JOBS, 1, Recorded()).schedule.start.tolist() == [1, 5, 26]
    run = simulate(
        JOBS, 1, Recorded(), reject_too_large=True
    )  # who is refused under other policies is here, too
    assert run.workload.id.tolist() == [2]
    assert run.rejected.tolist() == [1, 3, 4]


def test_nothing_was_recorded() -> None:
    for name in ("recorded", "recorded-order"):
        with pytest.raises(InputError, match="does not tell when its jobs really started"):
            simulate(JOBS.replace(extra={}), 3, policy(name))
    for changed in (scale_load(JOBS, 2), shake(JOBS, 1), round_demand(JOBS, 2, 4)):
        with pytest.raises(InputError, match="or they were changed"):
            simulate(changed, 4, Recorded())
    with pytest.raises(InputError, match="decides nothing"):
        simulate(JOBS, 3, policy("recorded")) and Recorded().decide(None)  # type: ignore[arg-type]


def test_the_recorded_order_by_hand() -> None:
    """Job 3 really started before job 2: it does here, as soon as it fits, and nobody overtakes."""
    jobs = Workload.of([(0, 2, 10, 20), (5, 1, 10, 10), (6, 2, 5, 9)]).replace(
        extra={"wait": np.array([0, 50, 10])}
    )
    run = simulate(jobs, 2, RecordedOrder())
    assert run.schedule.start.tolist() == [0, 15, 10]
    # On three processors job 2 has room from its submission on, when job 3 is not there yet.
    assert simulate(jobs, 3, RecordedOrder()).schedule.start.tolist() == [0, 5, 10]


@given(st.data(), st.sampled_from(["fcfs", "easy"]))
def test_schedules_replayed_in_their_own_order(data: st.DataObject, name: str) -> None:
    """First come, first served comes out as it was; backfilling may, whoever comes later; both are feasible."""
    count = data.draw(st.integers(1, 25))
    rows = [
        (
            data.draw(st.integers(0, 60)),
            data.draw(st.integers(1, 8)),
            data.draw(st.integers(1, 30)),
            40,
        )
        for _ in range(count)
    ]
    jobs = Workload.of(rows)
    before = simulate(jobs, 8, policy(name), estimate("exact")).schedule
    told = jobs.replace(extra={"wait": before.wait(jobs)})
    again = simulate(told, 8, policy("recorded-order")).schedule
    assert check_schedule(told, 8, again).ok
    if name == "fcfs":
        assert (again.start == before.start).all()
