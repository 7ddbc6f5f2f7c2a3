"""Packwise on a real Slurm with accounting, as an Operator who is not root, for jobs of other users."""

from __future__ import annotations

import json
import shutil
import signal
from itertools import cycle
from pathlib import Path

import pytest

from tests.adapters.accounted import OPERATOR, USERS, AccountedSlurm, packwise
from tests.adapters.real import (
    LONGEST_FIRST,
    all_started,
    end,
    left_by_drive,
    site_factors,
    started,
)


@pytest.fixture
def policy(accounts: AccountedSlurm) -> str:
    path = accounts.operator.home / "longest.py"
    path.write_text(LONGEST_FIRST)
    return f"{path}:longest_first"


@pytest.fixture
def state(accounts: AccountedSlurm, request: pytest.FixtureRequest) -> Path:
    """A folder that the operator makes."""
    return accounts.operator.home / request.node.name[:40]


def submit(slurm: AccountedSlurm, nodes: int, seconds: float, *minutes: int) -> list[str]:
    """A job of a user for each of the limits, of the users in turn."""
    return [
        slurm.submit(f"--uid={user}", f"-N{nodes}", "--exclusive", minutes=limit, seconds=seconds)
        for user, limit in zip(cycle(USERS), minutes, strict=False)
    ]


def blocked(slurm: AccountedSlurm) -> str:
    """A user has the whole machine."""
    (id,) = submit(slurm, 8, 300, 30)
    slurm.wait("its start", lambda: all_started(slurm, [id]))
    return id


def told(stderr: str) -> list[str]:
    """What is said, but for lines that only a slow machine prints."""
    return [line for line in stderr.splitlines() if not line.startswith("...")]


def test_an_operator_steers_and_resets_jobs_of_others(
    accounts: AccountedSlurm, policy: str, state: Path
):
    first = blocked(accounts)
    ids = submit(accounts, 8, 1.2, 3, 5, 2, 4)
    steer = (
        "steer",
        "--policy",
        policy,
        "--interval",
        "0.3",
        "--no-forecast",
        "--state",
        str(state),
    )
    daemon = accounts.operator.start(*steer)
    try:
        accounts.wait("site factors", lambda: len(site_factors(accounts)) >= 3)
    finally:
        end(daemon, signal.SIGKILL)
    assert site_factors(accounts)
    done = accounts.operator.packwise("reset", "--state", str(state))
    assert (done.returncode, told(done.stderr)) == (0, [])
    assert site_factors(accounts) == {}

    daemon = accounts.operator.start(*steer)
    try:
        accounts.wait("site factors", lambda: len(site_factors(accounts)) >= 3)
        accounts.told("scancel", first)
        accounts.wait("all to start", lambda: all_started(accounts, ids))
    finally:
        assert end(daemon) == 0
    # The whole machine is one job's at a time, for more than a second: no two start in the same one.
    found = sorted(started(accounts, ids), key=lambda job: job.start)
    assert [job.id for job in found] == [ids[1], ids[3], ids[0], ids[2]]
    assert site_factors(accounts) == {}


def test_an_operator_gives_back_what_drive_has_left(accounts: AccountedSlurm, state: Path):
    first = blocked(accounts)
    named, inside = submit(accounts, 2, 1, 3, 4)
    left_by_drive(accounts, state, {named: "n001,n002"}, [inside], OPERATOR)
    shutil.chown(state, OPERATOR)
    shutil.chown(state / "ours.json", OPERATOR)
    done = accounts.operator.packwise("reset", "--state", str(state))
    assert (done.returncode, told(done.stderr)) == (0, [])
    assert done.stdout.splitlines()[1:4] == [
        f"update jobid={inside} ReservationName=",
        f"update jobid={named} ReqNodeList=",
        "delete ReservationName=packwise",
    ]
    assert "packwise" not in accounts.answers("scontrol", "show", "reservation")
    accounts.told("scancel", first)
    accounts.wait("all to start", lambda: all_started(accounts, [named, inside]))


@pytest.mark.smoke
def test_a_user_is_told_why_not_and_what_would_help(accounts: AccountedSlurm):
    done = accounts.users["mail"].packwise("steer", "--policy", "easy", "--rounds", "1")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: steer is not possible on 'small': account 'mail' may not change")
    assert "sacctmgr modify user mail set AdminLevel=Operator" in line
    assert done.stdout == ""


def test_an_operator_without_a_home_sees_what_would_be_sent(
    accounts: AccountedSlurm, policy: str, state: Path
):
    blocked(accounts)
    ids = submit(accounts, 8, 1, 2, 3)
    steer = ("steer", "--policy", policy, "--rounds", "1", "--dry-run", "--state", str(state))
    done = accounts.operator.run("HOME=/nonexistent", *packwise(*steer))
    assert (done.returncode, told(done.stderr)) == (0, [])
    assert f"update jobid={ids[1]} SiteFactor=" in done.stdout
    assert site_factors(accounts) == {}


def test_when_draws_from_the_accounting_for_everybody(accounts: AccountedSlurm):
    past = submit(accounts, 1, 0.2, 3, 4, 5, 6)
    accounts.wait("their ends", accounts.ended)
    ended = ("sacct", "-X", "-n", "-P", "-S", "now-1hour", "-E", "now", "-s", "CD", "-o", "JobID")
    accounts.wait("the accounting", lambda: set(past) <= set(accounts.answers(*ended).split()))
    blocked(accounts)
    before, id = submit(accounts, 8, 1, 5, 5)

    done = accounts.operator.packwise("when", id, "--futures", "20", "--json")
    assert (done.returncode, told(done.stderr)) == (0, [])
    facts = json.loads(done.stdout)
    assert facts["p10"] <= facts["p50"] <= facts["p90"]
    assert facts["history"].endswith("(sacct)")
    assert facts["why"][0].startswith("1 job of the same priority waits before it")

    done = accounts.users["mail"].packwise("when", before, "--futures", "20")
    assert (done.returncode, told(done.stderr)) == (0, [])
    for words in ("(P10)", "(P50)", "(P90)", "(sacct)", "Why:    it is the next one"):
        assert words in done.stdout
