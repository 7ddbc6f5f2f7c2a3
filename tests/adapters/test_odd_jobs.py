"""Jobs of odd kinds on a Slurm in memory: parts of heterogeneous ones, tasks of arrays, rare states."""

from __future__ import annotations

import time

import pytest
from typer.testing import CliRunner

from packwise.adapters.slurm import commands, probe
from packwise.adapters.slurm.ours import load_ours
from packwise.adapters.slurm.snapshot import NOT_TOLD
from packwise.cli.app import app
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.adapters.samples import NOW
from tests.adapters.samples import job as queued


@pytest.fixture
def fake():
    found = FakeSlurm()
    found.now = int(time.time())  # the clocks of both go alike
    return found


@pytest.mark.parametrize("named", [False, True])
def test_heterogeneous_jobs_run_under_drive(fake, rig, named):
    """No policy plans them: they are let in, and Slurm finds room. To name our reservation changes nothing."""
    found = rig("drive")
    found.live.cycle()
    fake.submit(FakeJob("50+0"), FakeJob("50+1"), FakeJob("7"))
    if named:
        fake.jobs["50+0"].reservation = "packwise"
        fake.jobs["50+0"].nodes, fake.jobs["50+0"].cpus = 2, 8  # it has no room at first
    found.go(400)
    assert sorted(fake.started) == ["50+0", "50+1", "7"]


def test_a_heterogeneous_job_keeps_nothing_from_being_given_back(fake, rig, monkeypatch, tmp_path):
    found = rig("drive")
    found.live.cycle()
    fake.submit(FakeJob("7", nodes=2, cpus=8), FakeJob("50+0", nodes=2, cpus=8))
    found.live.cycle()
    fake.jobs["7"].reason = "JobHeldUser"  # both are in, and neither starts
    assert [fake.jobs[id].reservation for id in ("7", "50+0")] == ["packwise"] * 2
    fake.schedule = lambda: None
    monkeypatch.setattr(commands, "subprocess", fake.as_subprocess())
    monkeypatch.setattr(probe.os, "geteuid", lambda: 0)
    done = CliRunner().invoke(app, ["slurm", "reset", "--state", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert [(job.reservation, job.required) for job in fake.jobs.values()] == [("", "")] * 2
    fake.advance(2)
    assert not fake.reservations


def test_a_part_that_slurm_does_not_let_go_is_taken_out_by_its_number(fake, rig):
    """It is held while it is in our reservation: nothing ends, and it is out."""
    found = rig("drive")
    found.live.cycle()
    fake.submit(FakeJob("50+1", reason="JobHeldUser"))
    fake.jobs["50+1"].reservation = "packwise"
    found.go(20)
    assert fake.jobs["50+1"].reservation == ""


def test_reset_knows_the_reservation_of_drive(fake, rig, monkeypatch, tmp_path):
    found = rig("drive")
    found.mode.own = "plan"
    found.live.cycle()
    assert load_ours(tmp_path).reservation == "plan"
    monkeypatch.setattr(commands, "subprocess", fake.as_subprocess())
    monkeypatch.setattr(probe.os, "geteuid", lambda: 0)
    assert CliRunner().invoke(app, ["slurm", "reset", "--state", str(tmp_path)]).exit_code == 0
    fake.advance(2)
    assert not fake.reservations


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
