"""Steer and reset on a real Slurm: the plan is what happens, and nobody is stranded."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from benchmarks.real_slurm.small import SmallSlurm
from packwise.adapters.slurm.journal import read_journal
from packwise.adapters.slurm.reader import SlurmReader
from tests.adapters.real import (
    LONGEST_FIRST,
    all_started,
    end,
    left_by_drive,
    site_factors,
    started,
)


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


def test_steer_goes_on_after_kill_9_of_slurmctld(slurm: SmallSlurm, policy: str, tmp_path: Path):
    state = tmp_path / "s"
    daemon = slurm.packwise(
        *("steer", "--policy", policy, "--interval", "0.3", "--no-forecast"),
        *("--state", str(state)),
        folder=tmp_path,
    )
    try:
        slurm.wait("a round", lambda: rounds(state))
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


def test_hostile_names_are_data_and_nothing_is_executed(
    slurm: SmallSlurm, policy: str, tmp_path: Path
):
    victim = tmp_path / "was-here"
    names = [
        f"$(touch {victim})", f"`touch {victim}`", f"; touch {victim} #", "x\nupdate jobid=1 Priority=0\n",
        "naïve \U0001f642 'quote\" \\", "ReservationName=packwise",
    ]  # fmt: skip
    first = blocked(slurm)
    daemon = slurm.packwise(
        *("steer", "--policy", policy, "--interval", "0.3", "--no-forecast"),
        *("--state", str(tmp_path / "s")),
        folder=tmp_path,
    )
    try:
        ids = [
            slurm.submit("-N4", "--exclusive", "-J", name, minutes=k)
            for k, name in enumerate(names, 1)
        ]
        slurm.wait("site factors", lambda: len(site_factors(slurm)) >= len(ids) - 1)
        slurm.told("scancel", first)
        slurm.wait("all to start", lambda: all_started(slurm, ids))
    finally:
        assert end(daemon) == 0
    assert not victim.exists()
    slurm.wait("their ends", slurm.ended)
    assert {slurm.jobs()[id].state for id in ids} == {"COMPLETED"}


def test_reset_gives_back_what_drive_has_left(slurm: SmallSlurm, tmp_path: Path):
    """A reservation, nodes named for jobs, and jobs that Slurm holds as they can no longer have these."""
    state = tmp_path / "s"
    left_by_drive(slurm, state, {})
    held, inside, named = (slurm.submit("-N2", "--exclusive", minutes=10) for _ in range(3))
    own = slurm.submit("-N1", "--exclusive", "-w", "n003", minutes=10)
    slurm.told(
        *("scontrol", "create", "reservation", "ReservationName=maint", "Nodes=ALL", "Users=root"),
        *("StartTime=now+120", "EndTime=now+600", "Flags=MAINT,IGNORE_JOBS"),
    )
    left_by_drive(slurm, state, {held: "n001,n002", named: "n004,n005"}, [inside, held])
    slurm.wait("a held job", lambda: slurm.jobs()[held].priority == 0)
    assert slurm.jobs()[held].reason == "BadConstraints"

    for mode in (("advise", "--once"), ("steer", "--rounds", "1", "--no-forecast")):
        words = (*mode, "--policy", "easy", "--state", str(state))
        assert slurm.packwise(*words, folder=tmp_path).wait(120) == 0
    told = (tmp_path / "packwise.log").read_text()
    assert told.count("an earlier `packwise slurm drive` has left the reservation 'packwise'") == 2
    assert f"`packwise slurm reset --state {state}` gives that back" in told
    assert slurm.packwise("reset", "--state", str(state), folder=tmp_path).wait(60) == 0

    assert "packwise" not in slurm.answers("scontrol", "show", "reservation")
    there = {job.id: job for job in SlurmReader().snapshot().jobs}
    ids = (inside, held, named)
    assert [(there[id].required, there[id].reservation) for id in ids] == [("", "")] * 3
    assert there[own].required == "n003"
    assert all(there[id].priority for id in (*ids, own))
    slurm.told("scontrol", "delete", "ReservationName=maint")
    slurm.wait("all to start", lambda: all_started(slurm, [*ids, own]))
    assert slurm.packwise("reset", "--state", str(state), folder=tmp_path).wait(60) == 0
    assert "nothing of ours is there" in (tmp_path / "packwise.log").read_text()


def test_ten_kills_at_random_moments_strand_nobody(slurm: SmallSlurm, tmp_path: Path):
    import random

    draw = random.Random(21)
    state = str(tmp_path / "s")
    ids: list[str] = []
    for k in range(10):
        daemon = slurm.packwise(
            *("steer", "--policy", "packwise", "--interval", "0.3", "--state", state),
            folder=tmp_path,
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
