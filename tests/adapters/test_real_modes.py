"""Steer, drive and reset on a real Slurm: the plan is what happens, and nobody is stranded."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from benchmarks.real_slurm.small import SmallSlurm
from packwise.adapters.slurm.journal import read_journal
from packwise.adapters.slurm.reader import SlurmReader
from tests.adapters.real import LONGEST_FIRST, all_started, end, site_factors, started


@pytest.fixture
def policy(tmp_path: Path) -> str:
    path = tmp_path / "longest.py"
    path.write_text(LONGEST_FIRST)
    return f"{path}:longest_first"


def rounds(folder: Path) -> int:
    """Rounds that a daemon has made."""
    try:
        return sum(entry["kind"] == "decide" for entry in read_journal(folder))
    except Exception:
        return 0


def blocked(slurm: SmallSlurm, seconds: float = 300) -> str:
    """Somebody has the whole machine."""
    id = slurm.submit("-N16", "--exclusive", seconds=seconds, minutes=30)
    slurm.wait("its start", lambda: slurm.jobs()[id].state == "RUNNING")
    return id


def test_steer_starts_jobs_in_the_order_of_the_plan(slurm: SmallSlurm, policy: str, tmp_path: Path):
    first = blocked(slurm)
    # Whole-machine jobs run one after the other: their order shows.
    ids = [slurm.submit("-N16", "--exclusive", minutes=k, seconds=1.2) for k in (3, 5, 2, 4)]
    daemon = slurm.packwise(
        *("steer", "--policy", policy, "--interval", "0.3", "--state", str(tmp_path / "s")),
        folder=tmp_path,
    )
    try:
        slurm.wait("site factors", lambda: len(site_factors(slurm)) >= 3)
        slurm.told("scancel", first)
        slurm.wait("all to start", lambda: all_started(slurm, ids))
    finally:
        assert end(daemon) == 0
    # The whole machine is one job's at a time, for more than a second: no two start in the same one.
    found = sorted(started(slurm, ids), key=lambda job: job.start)
    assert [job.id for job in found] == [ids[1], ids[3], ids[0], ids[2]]
    assert site_factors(slurm) == {}


def test_after_kill_9_of_steer_all_jobs_run_and_reset_leaves_nothing(
    slurm: SmallSlurm, policy: str, tmp_path: Path
):
    first = blocked(slurm)
    ids = [slurm.submit("-N8", "--exclusive", minutes=k, seconds=0.2) for k in (3, 5, 2, 4)]
    state = str(tmp_path / "s")
    daemon = slurm.packwise(
        *("steer", "--policy", policy, "--interval", "0.3", "--state", state), folder=tmp_path
    )
    slurm.wait("site factors", lambda: len(site_factors(slurm)) >= 3)
    end(daemon, signal.SIGKILL)
    assert site_factors(slurm)
    assert slurm.packwise("reset", "--state", state, folder=tmp_path).wait(60) == 0
    assert site_factors(slurm) == {}
    slurm.told("scancel", first)
    slurm.wait("all to start", lambda: all_started(slurm, ids))


def test_drive_carries_out_a_plan_that_slurm_would_not_make_on_the_nodes_planned(
    slurm: SmallSlurm, policy: str, tmp_path: Path
):
    state = tmp_path / "s"
    daemon = slurm.packwise(
        *("drive", "--policy", policy, "--interval", "0.3", "--lease", "30", "--without-guard"),
        *("--state", str(state)),
        folder=tmp_path,
    )
    try:
        slurm.wait(
            "a reservation", lambda: "packwise" in slurm.answers("scontrol", "show", "reservation")
        )
        ids = [slurm.submit("-N10", "--exclusive", minutes=k, seconds=2) for k in (3, 5, 2, 4)]
        slurm.wait("all to start", lambda: all_started(slurm, ids))
    finally:
        assert end(daemon) == 0
    jobs = slurm.jobs()
    decided = [id for entry in read_journal(state) for id in entry.get("start", [])]
    # Ten of sixteen nodes: one at a time, as they were let in; the first may be whoever was seen first.
    assert [job.id for job in sorted(started(slurm, ids), key=lambda job: job.start)] == list(
        dict.fromkeys(decided)
    )
    assert decided.index(ids[3]) < decided.index(ids[2])
    for id in ids:
        assert jobs[id].nodes == "n[007-016]"
    slurm.wait(
        "no reservation", lambda: "packwise" not in slurm.answers("scontrol", "show", "reservation")
    )


def test_after_kill_9_of_drive_the_lease_ends_and_everybody_starts(
    slurm: SmallSlurm, tmp_path: Path
):
    state = str(tmp_path / "s")
    lease = 12
    arguments = (
        "drive",
        "--policy",
        "easy",
        "--interval",
        "0.3",
        "--lease",
        str(lease),
        "--without-guard",
    )
    daemon = slurm.packwise(*arguments, "--state", state, folder=tmp_path)
    slurm.wait(
        "a reservation", lambda: "packwise" in slurm.answers("scontrol", "show", "reservation")
    )
    ids = [slurm.submit("-N8", "--exclusive", minutes=2, seconds=8) for _ in range(5)]
    slurm.wait("the first to start", lambda: len(started(slurm, ids)) >= 2)
    end(daemon, signal.SIGKILL)
    killed = int(time.time())
    ends = [one.end for one in SlurmReader().reservations() if one.name == "packwise"]
    assert ends
    assert ends[0] <= killed + lease + 1, "nobody renews it any more"
    slurm.wait("all to start", lambda: all_started(slurm, ids))
    jobs = slurm.jobs()
    assert not any("held" in jobs[id].reason.lower() for id in ids)
    slurm.wait("their ends", slurm.ended)
    assert {slurm.jobs()[id].state for id in ids} == {"COMPLETED"}


def test_drive_goes_on_after_kill_9_of_slurmctld(slurm: SmallSlurm, tmp_path: Path):
    state = tmp_path / "s"
    daemon = slurm.packwise(
        *("drive", "--policy", "easy", "--interval", "0.3", "--lease", "20", "--without-guard"),
        *("--state", str(state)),
        folder=tmp_path,
    )
    try:
        slurm.wait(
            "a reservation", lambda: "packwise" in slurm.answers("scontrol", "show", "reservation")
        )
        ids = [slurm.submit("-N8", "--exclusive", minutes=2, seconds=4) for _ in range(6)]
        slurm.wait("the first to start", lambda: len(started(slurm, ids)) >= 2)
        slurm.kill_controller()
        time.sleep(1)
        slurm.start_controller()
        # A job that was about to start when the controller died is put off by Slurm, for two minutes.
        slurm.wait("all to start", lambda: all_started(slurm, ids), 300)
        before = rounds(state)
        slurm.wait("another round", lambda: rounds(state) > before)
        assert daemon.poll() is None
    finally:
        assert end(daemon) == 0
    slurm.wait("their ends", slurm.ended)
    assert {slurm.jobs()[id].state for id in ids} == {"COMPLETED"}


def test_hostile_names_are_data_and_nothing_is_executed(slurm: SmallSlurm, tmp_path: Path):
    victim = tmp_path / "was-here"
    names = [
        f"$(touch {victim})", f"`touch {victim}`", f"; touch {victim} #", "x\nupdate jobid=1 Priority=0\n",
        "naïve \U0001f642 'quote\" \\", "ReservationName=packwise",
    ]  # fmt: skip
    daemon = slurm.packwise(
        *("drive", "--policy", "easy", "--interval", "0.3", "--lease", "15", "--without-guard"),
        *("--state", str(tmp_path / "s")),
        folder=tmp_path,
    )
    try:
        slurm.wait(
            "a reservation", lambda: "packwise" in slurm.answers("scontrol", "show", "reservation")
        )
        ids = [slurm.submit("-N4", "--exclusive", "-J", name) for name in names]
        slurm.wait("all to start", lambda: all_started(slurm, ids))
    finally:
        assert end(daemon) == 0
    assert not victim.exists()
    slurm.wait("their ends", slurm.ended)
    assert {slurm.jobs()[id].state for id in ids} == {"COMPLETED"}


def test_a_node_goes_down_and_a_job_is_cancelled_while_drive_runs(
    slurm: SmallSlurm, tmp_path: Path
):
    state = tmp_path / "s"
    daemon = slurm.packwise(
        *("drive", "--policy", "packwise", "--interval", "0.3", "--lease", "20", "--without-guard"),
        *("--state", str(state)),
        folder=tmp_path,
    )
    try:
        slurm.wait(
            "a reservation", lambda: "packwise" in slurm.answers("scontrol", "show", "reservation")
        )
        ids = [slurm.submit("-N6", "--exclusive", minutes=2, seconds=3) for _ in range(5)]
        slurm.told("scontrol", "update", "NodeName=n[014-016]", "State=DRAIN", "Reason=a test")
        slurm.told("scancel", ids[3])
        # A user who names the reservation himself.
        sly = slurm.submit("-N6", "--exclusive", "--reservation=packwise", minutes=2, seconds=1)
        slurm.wait("all to start", lambda: all_started(slurm, [*ids[:3], ids[4], sly]))
    finally:
        assert end(daemon) == 0
    slurm.wait("their ends", slurm.ended)
    done = {slurm.jobs()[id].state for id in (*ids[:3], ids[4], sly)}
    assert done == {"COMPLETED"}


@pytest.mark.slow
def test_ten_kills_at_random_moments_strand_nobody(slurm: SmallSlurm, tmp_path: Path):
    import random

    draw = random.Random(21)
    state = str(tmp_path / "s")
    ids: list[str] = []
    for k in range(10):
        mode = ("drive", "--lease", "10", "--without-guard") if k % 3 else ("steer",)
        daemon = slurm.packwise(
            *mode, "--policy", "packwise", "--interval", "0.3", "--state", state, folder=tmp_path
        )
        sizes = [draw.choice((2, 4, 8, 16)) for _ in range(4)]
        ids += [
            slurm.submit("-N", str(n), "--exclusive", minutes=draw.randint(1, 9)) for n in sizes
        ]
        time.sleep(draw.uniform(0.5, 8))
        end(daemon, signal.SIGKILL)
        if k in (4, 7):
            slurm.kill_controller()
            slurm.start_controller()
    slurm.wait("all to start", lambda: all_started(slurm, ids), 300)
    slurm.wait("their ends", slurm.ended)
    jobs = slurm.jobs()
    assert {jobs[id].state for id in ids} == {"COMPLETED"}
    assert not any("held" in jobs[id].reason.lower() for id in ids)
    assert slurm.packwise("reset", "--state", state, folder=tmp_path).wait(60) == 0
    assert os.listdir(state)
