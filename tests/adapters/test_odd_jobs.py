"""Jobs of odd kinds on a Slurm in memory: parts of heterogeneous ones, tasks of arrays, rare states."""

from __future__ import annotations

import pytest

from packwise.adapters.slurm.snapshot import NOT_TOLD
from tests.adapters.fake_slurm import FakeJob
from tests.adapters.rig import updates
from tests.adapters.samples import NOW
from tests.adapters.samples import job as queued


def test_parts_of_heterogeneous_jobs_are_left_to_slurm(fake, rig):
    fake.submit(FakeJob("50+0"), FakeJob("50+1"))
    found = rig("steer")
    found.run(20)
    assert not any("jobid=50 " in one.stdin or "jobid=51 " in one.stdin for one in updates(fake))
    fake.advance(600)
    assert {"50+0", "50+1"} <= set(fake.started)


@pytest.mark.parametrize("state", ["STOPPED", "SIGNALING", "RESIZING"])
def test_who_runs_in_an_odd_state_still_runs(state):
    job = queued("1", state=state, held="n1", start=NOW - 5)
    assert job.running
    assert not job.waiting


@pytest.mark.parametrize("state", ["SPECIAL_EXIT", "REQUEUE_HOLD", "RESV_DEL_HOLD", "REQUEUED"])
def test_who_is_held_in_an_odd_state_still_waits_and_is_not_planned(state):
    job = queued("1", state=state, reason="None", start=NOT_TOLD)
    assert job.waiting
    assert not job.running
    assert not job.for_room


def test_what_a_task_has_of_its_array_is_ours(fake, rig):
    """A task that was requeued has a record of its own, with the factor of its array."""
    found = rig("steer")
    found.live.ledger.ours.factors[50] = 300
    requeued = FakeJob("50_7", site=300, record=77)
    fake.submit(requeued, FakeJob("8"))
    fake.schedule = lambda: None
    found.live.cycle()
    assert 77 in found.live.ledger.ours.factors
    found.live.give_back()
    assert requeued.site == 0


def test_site_factors_of_others_stay(fake, rig, tmp_path):
    fake.submit(*(FakeJob(str(k), base=1000 - 10 * k) for k in range(1, 5)))
    fake.jobs["2"].site = 5000
    fake.schedule = lambda: None
    found = rig("steer")
    found.run(20)
    assert fake.jobs["2"].site == 5000
    assert [fake.jobs[id].site for id in ("1", "3", "4")] == [0, 0, 0]  # given back
    assert any("1 jobs have site factors that are not ours" in text for text in found.said())
