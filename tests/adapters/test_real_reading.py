"""What a real Slurm shows, read as text and as JSON."""

from __future__ import annotations

import pytest

from benchmarks.real_slurm.small import SmallSlurm
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.reader import SlurmReader
from packwise.adapters.slurm.snapshot import QueuedJob
from packwise.model.outlook import outlook

EVIL = 'evil\nJobId=7 JobName=x UserId=root(0) |x|\x1f"q"\'; $(touch /tmp/packwise-was-here) `id` ünï\x1b[31m'


def full(slurm: SmallSlurm) -> str:
    """Somebody has the whole machine."""
    id = slurm.submit("-N16", "--exclusive", seconds=300, minutes=10)
    slurm.wait("its start", lambda: slurm.jobs()[id].state == "RUNNING")
    return id


@pytest.mark.parametrize("form", [pytest.param("text", marks=pytest.mark.smoke), "json"])
def test_jobs_are_read_whatever_they_are_called(slurm: SmallSlurm, form: str):
    first = full(slurm)
    evil = slurm.submit("-n", "6", "-J", EVIL, minutes=7)
    array = slurm.submit("--array=1-5%2", "-n", "2", minutes=3)
    picky = slurm.submit("-N2", "--exclusive", "-x", "n001", "-w", "n005", minutes=5)
    held = slurm.submit("-H", "-n1")
    later = slurm.submit("--begin=now+1hour", "-n1")
    slurm.wait(
        "a reason",
        lambda: (
            "None" not in {job.reason for job in slurm.jobs().values() if job.state == "PENDING"}
        ),
    )
    remarks: list[str] = []
    found = {job.id: job for job in SlurmReader(form=form).queue(remarks)}
    assert not remarks
    tasks = {f"{array}_{k}" for k in range(1, 6)}
    assert set(found) == {first, evil, picky, held, later} | tasks
    assert found[evil].name.replace("\x1f", "") == EVIL.replace("\x1f", "")
    assert (found[evil].cpus, found[evil].nodes, found[evil].limit) == (6, 2, 420)
    assert (found[picky].required, found[picky].excluded, found[picky].alone) == (
        "n005",
        "n001",
        True,
    )
    assert found[held].for_room is False
    # Whatever it says that it waits for: its time has not come.
    assert found[later].eligible > found[later].submit + 3000
    assert found[evil].for_room
    assert found[f"{array}_3"].raw == int(array)


def test_text_and_json_tell_the_same(slurm: SmallSlurm):
    full(slurm)
    for k in range(1, 4):
        slurm.submit("-N", str(k), "--exclusive", minutes=k)
    slurm.submit("--array=2-8:3", "-n", "3")
    slurm.wait(
        "a plan",
        lambda: all(
            job.reason != "None" for job in slurm.jobs().values() if job.state == "PENDING"
        ),
    )

    def read(form: str) -> list[QueuedJob]:
        # What changes from one moment to the next, and what squeue --json of 22.05 does not tell.
        jobs = SlurmReader(form=form).queue([])
        return sorted(
            job._replace(start=0 if job.waiting else job.start, reason="") for job in jobs
        )

    for _ in range(20):  # until Slurm has changed nothing meanwhile
        before, told, after = read("text"), read("json"), read("text")
        if before == after:
            break
    assert before == told


def test_a_job_whose_time_has_not_come_is_not_planned(slurm: SmallSlurm):
    full(slurm)
    later = slurm.submit("--begin=now+1hour", "-n1")
    now = slurm.submit("-n1")
    shown = Ledger().show(SlurmReader().snapshot())
    assert [shown.job[job].id for job in shown.view.queue.tolist()] == [now]
    assert [job.id for job in shown.left_out] == [later]


def test_the_view_of_a_real_queue_makes_sense(slurm: SmallSlurm):
    slurm.submit("-N8", "--exclusive", seconds=300, minutes=10)
    slurm.submit("-n", "10", seconds=300, minutes=20)
    slurm.wait(
        "their starts", lambda: [job.state for job in slurm.jobs().values()].count("RUNNING") == 2
    )
    slurm.told("scontrol", "update", "NodeName=n016", "State=DRAIN", "Reason=a test")
    waits = slurm.submit("-N8", "--exclusive", minutes=5)
    snapshot = SlurmReader().snapshot()
    shown = Ledger().show(snapshot)
    view = shown.view
    assert view.nodes is not None
    assert [shown.job[job].id for job in view.queue.tolist()] == [waits]
    # 16 nodes of 4 cores: 8 are taken, 10 cores more, and the 4 of a drained node.
    assert view.free == 64 - 32 - 10 - 4
    taken = view.nodes.capacity[:, 0] - view.nodes.free[:, 0]
    assert taken.sum() == 46
    assert outlook(view).queue.tolist() == view.queue.tolist()
    assert int(view.demand[view.queue[0]]) == 32
    assert snapshot.nodes["n016"].usable is False
