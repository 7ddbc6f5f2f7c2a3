"""What drive of earlier versions has left is found, told, and given back: nothing else is touched."""

from __future__ import annotations

import json
import time

import pytest
from typer.testing import CliRunner

from packwise.adapters.slurm import commands, left_by_drive, probe
from packwise.adapters.slurm.journal import read_journal
from packwise.adapters.slurm.left_by_drive import DriveRecord, find_left, record_of
from packwise.adapters.slurm.ours import Ours, load_ours, save_ours
from packwise.cli.app import app
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.adapters.rig import updates
from tests.adapters.samples import NOW, OF_DRIVE, job, reservation, runs

#: As drive wrote it: nodes that it named for 2, 3 and 4, those of 3 twice; and factors of an earlier steer.
OURS = {
    "nodes": {"2": [["n1"], NOW], "3": [["n2", "n1"], NOW], "4": [["n[1-2]"], NOW]},
    "factors": {"5": -40},
    "reservation": "packwise",
}


def of_drive(name="packwise"):
    return reservation(name, "n[1-4]", flags=OF_DRIVE)


RECORD = record_of(OURS)


def test_who_has_what():
    jobs = [
        job("1", reservation="packwise"),
        job("2", reservation="packwise", required="n1"),
        job("3", required="n1"),
        job("4", required="n1,n2", priority=0, reason="BadConstraints"),
        job("5", required="n3"),
        job("6+1", raw=7, reservation="packwise"),
    ]
    left = find_left(jobs, [of_drive()], RECORD)
    assert left.inside == ("1", "2", "7")
    assert left.named == ("2", "3", "4")
    assert left.held == ("4",)
    assert (left.reservation, left.kept, left.bound) == ("packwise", None, ())
    assert left.lines() == [
        "update jobid=1 ReservationName=",
        "update jobid=2 ReservationName= ReqNodeList=",
        "update jobid=7 ReservationName=",
        "update jobid=3 ReqNodeList=",
        "update jobid=4 ReqNodeList=",
        "release 4",
        "delete ReservationName=packwise",
    ]
    assert left.words() == [
        "the reservation 'packwise'",
        "3 waiting jobs in it (1, 2, 7)",
        "3 waiting jobs with nodes that it named (2, 3, 4)",
        "1 waiting job held for these nodes (4)",
    ]


@pytest.mark.parametrize(
    "one",
    [
        job("2", required="n2"),  # its user has changed his mind
        job("2", required=""),
        job("2", required="n[1"),
        job("9", required="n1"),  # never let in
        job("9", required="n1", priority=0, reason="BadConstraints"),
        job("2", priority=0, reason="JobHeldUser"),
        job("2", priority=0, reason="JobHeldAdmin"),
        job("2", priority=7, reason="BadConstraints"),
        job("2", reservation="theirs"),
    ],
)
def test_what_is_of_others_stays(one):
    assert find_left([one], [reservation("theirs", "n1")], RECORD).lines() == []


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("packwise", ""),
        ("packwise", "MAINT"),
        ("packwise", "FLEX,IGNORE_JOBS"),  # whose jobs Slurm would hold
        ("other", "FLEX,IGNORE_JOBS,NO_HOLD_JOBS_AFTER_END"),
    ],
)
def test_a_reservation_that_drive_has_not_made(name, flags):
    theirs = of_drive(name)._replace(flags=flags)
    left = find_left([job("1", reservation=name)], [theirs], DriveRecord())
    assert (left.lines(), left.words()) == ([], [])


def test_a_reservation_of_another_name():
    jobs = [job("1", reservation="plan")]
    assert find_left(jobs, [of_drive("plan")], DriveRecord({}, "plan")).reservation == "plan"
    assert find_left(jobs, [of_drive("plan")], DriveRecord(), "plan").reservation == "plan"
    assert find_left(jobs, [of_drive("plan")], DriveRecord()).lines() == []


def test_slurm_keeps_a_reservation_in_which_jobs_run():
    jobs = [runs("8", "n1", reservation="packwise"), job("1", reservation="packwise")]
    left = find_left(jobs, [of_drive()], RECORD)
    assert left.lines() == ["update jobid=1 ReservationName="]
    assert left.kept == of_drive()
    assert left.words()[0] == "the reservation 'packwise'"


def test_who_runs_has_its_nodes_again_when_it_is_requeued():
    left = find_left([runs("2", "n1", required="n1"), runs("5", "n2", required="n2")], [], RECORD)
    assert (left.bound, left.lines(), left.words()) == (("2",), [], [])
    assert RECORD.of(left.bound) == DriveRecord({"2": ("n1",)})


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"nodes": 3, "reservation": None},
        {"nodes": {"x y": [["n1"], 0], "2": 3, "3": [], "4": [["n1", 7], 0]}, "reservation": ["a"]},
        {"nodes": [["n1"]], "reservation": {}},
    ],
)
def test_a_record_that_is_broken(document):
    found = record_of(document)
    assert found.reservation == ""
    assert all(isinstance(one, str) for lists in found.nodes.values() for one in lists)
    assert find_left([job("4", required="n1")], [of_drive()], found).reservation == "packwise"


def test_what_is_written_down_is_read_again(tmp_path):
    save_ours(tmp_path, Ours({5: -40}, RECORD))
    assert load_ours(tmp_path) == Ours({5: -40}, RECORD)
    save_ours(tmp_path, Ours({5: -40}))
    assert json.loads((tmp_path / "ours.json").read_text()) == {"factors": {"5": -40}}
    assert load_ours(tmp_path) == Ours({5: -40})


# As an operator sees it


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """A Slurm as a killed drive leaves it: 1 runs, the others wait."""
    found = FakeSlurm()
    found.now = int(time.time())  # the clocks of both go alike
    found.submit(*(FakeJob(str(k), base=1000 - k) for k in range(1, 6)))
    found.reservations["packwise"] = (["n1", "n2"], found.now + 50)
    found.jobs["2"].reservation = "packwise"
    found.jobs["2"].required = found.jobs["3"].required = "n1"
    found.jobs["4"].nodes, found.jobs["4"].cpus, found.jobs["4"].required = 2, 8, "n1,n2"
    found.jobs["4"].reason = "BadConstraints"
    found.jobs["5"].site = -40
    found.schedule = lambda: None
    monkeypatch.setattr(commands, "subprocess", found.as_subprocess())
    monkeypatch.setattr(probe.os, "geteuid", lambda: 0)
    monkeypatch.setattr(left_by_drive, "_UNITS", tmp_path / "units")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    (tmp_path / "state").mkdir()
    (tmp_path / "state/ours.json").write_text(json.dumps(OURS))
    return found


@pytest.fixture
def slurm(tmp_path):
    def run(*words):
        given = ["slurm", *words, "--state", str(tmp_path / "state")]
        return CliRunner().invoke(app, given, prog_name="packwise")

    return run


def test_reset_gives_all_of_it_back(fake, slurm, tmp_path):
    dry = slurm("reset", "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert not updates(fake)
    done = slurm("reset")
    assert done.exit_code == 0, done.output
    assert done.stdout == dry.stdout + "given back\n"
    assert not fake.reservations
    assert [(one.reservation, one.required, one.site) for one in fake.jobs.values()] == [
        ("", "", 0)
    ] * 5
    assert all(one.priority for one in fake.jobs.values())
    del fake.schedule
    fake.advance(1000)
    assert sorted(fake.started) == ["1", "2", "3", "4", "5"]
    assert load_ours(tmp_path / "state") == Ours()
    assert slurm("reset").stdout == "nothing of ours is there\n"
    sent = [one["text"] for one in read_journal(tmp_path / "state") if one["kind"] == "send"]
    assert "delete ReservationName=packwise" in sent[-1]


def test_what_is_refused_stays_written_down(fake, slurm, tmp_path):
    fake.refuses.add("3")
    done = slurm("reset")
    assert done.exit_code == 2
    assert "not available" in done.stderr
    assert load_ours(tmp_path / "state").of_drive == record_of(OURS)


@pytest.mark.parametrize("words", [("advise",), ("steer",), ("steer", "--dry-run")])
def test_whoever_begins_says_what_is_there_and_touches_nothing_of_it(fake, slurm, tmp_path, words):
    done = slurm(*words, "--rounds", "1", "--policy", "easy")
    assert done.exit_code == 0, done.output
    (told,) = [
        line for line in done.stderr.splitlines() if "earlier `packwise slurm drive`" in line
    ]
    for part in ("the reservation 'packwise'", "(2, 3, 4)", "held for these nodes (4)"):
        assert part in told
    assert f"`packwise slurm reset --state {tmp_path / 'state'}` gives that back" in told
    assert fake.reservations
    assert fake.jobs["2"].required == "n1"
    assert load_ours(tmp_path / "state").of_drive == record_of(OURS)
    assert any("earlier `packwise" in one["text"] for one in read_journal(tmp_path / "state"))
    slurm("reset")
    done = slurm(*words, "--rounds", "1", "--policy", "easy")
    assert "earlier" not in done.stderr


def test_a_reservation_is_told_where_nothing_is_written_down(fake, slurm, tmp_path):
    (tmp_path / "state/ours.json").unlink()
    told = slurm("advise", "--once", "--policy", "easy").stderr
    assert (
        "has left the reservation 'packwise', 1 waiting job in it (2). `packwise slurm reset`"
        in told
    )
    done = slurm("reset")
    assert "nothing is written down of the nodes that jobs 2 have to have" in done.stderr
    assert done.exit_code == 0
    assert not fake.reservations
    assert fake.jobs["2"].required == "n1"  # its user may have asked for it


def test_the_record_of_the_service_counts(fake, slurm, tmp_path, monkeypatch):
    service = tmp_path / "service"
    service.mkdir()
    (tmp_path / "state/ours.json").rename(service / "ours.json")
    monkeypatch.setattr("packwise.cli.slurm.options.SERVICE", service)
    told = slurm("advise", "--once", "--policy", "easy").stderr
    assert "3 waiting jobs with nodes that it named (2, 3, 4)" in told
    assert "`packwise slurm reset` gives that back" in told
    done = CliRunner().invoke(app, ["slurm", "reset"], prog_name="packwise")
    assert done.exit_code == 0, done.output
    assert not any(one.required for one in fake.jobs.values())


def test_jobs_that_run_in_the_reservation(fake, slurm, tmp_path):
    fake.jobs["3"].state, fake.jobs["3"].held, fake.jobs["3"].start = "RUNNING", ["n1"], fake.now
    fake.jobs["3"].reservation = "packwise"
    done = slurm("reset")
    assert done.exit_code == 0, done.output
    assert "jobs run in the reservation 'packwise', so Slurm keeps it" in done.stderr
    assert "1 running job has nodes that drive named for it" in done.stderr
    assert fake.reservations
    assert fake.jobs["2"].reservation == ""
    assert load_ours(tmp_path / "state").of_drive == DriveRecord({"3": ("n2", "n1")})
    # Slurm requeues it, with what it has to have.
    fake.jobs["3"].state, fake.jobs["3"].held, fake.jobs["3"].start = "PENDING", [], 0
    assert slurm("reset").exit_code == 0
    assert fake.jobs["3"].required == ""
    assert not fake.reservations


def test_units_and_the_guard_are_told(fake, slurm, tmp_path):
    units, etc = tmp_path / "units", tmp_path / "etc"
    units.mkdir()
    etc.mkdir()
    fake.settings["SLURM_CONF"] = str(etc / "slurm.conf")
    (units / "packwise-advise.service").write_text("ExecStart=/bin/packwise slurm advise\n")
    (etc / "job_submit.lua").write_text("-- somebody else's\n")
    assert "left /" not in slurm("advise", "--once", "--policy", "easy").stderr
    unit, guard = units / "packwise-drive.service", etc / "job_submit.lua"
    unit.write_text("[Service]\nExecStart=/bin/packwise slurm drive --lease 60\n")
    guard.write_text("function packwise_guard(job, uid)\n")
    for words in (("advise", "--once", "--policy", "easy"), ("reset",)):
        told = slurm(*words).stderr
        assert f"has left a unit, {unit}: systemctl disable --now packwise-drive; rm {unit}" in told
        assert f"has left its guard in {guard}: take the lines with packwise_guard out" in told


# Who still asks for it


@pytest.mark.parametrize(
    "words",
    [("drive",), ("drive", "--partition", "batch", "--lease", "60", "x"), ("unit", "drive")],
)
def test_it_is_refused_with_what_to_do(words):
    done = CliRunner().invoke(app, ["slurm", *words], prog_name="packwise")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: the mode drive is gone, as it could strand jobs.")
    for part in ("`packwise slurm reset`", "`packwise slurm steer`"):
        assert part in done.stderr
    assert "│ drive" not in CliRunner().invoke(app, ["slurm", "--help"]).stdout


@pytest.mark.parametrize(
    "text",
    [
        '[slurm]\n[slurm.drive]\npartition = "batch"\n',
        "[slurm]\nlease = 60\n",
        "[slurm]\nwithout_guard = true\n",
    ],
)
def test_a_site_file_that_still_has_it(fake, slurm, tmp_path, text):
    path = tmp_path / "packwise.toml"
    path.write_text(text)
    config = ("slurm", "--config", str(path))
    done = CliRunner().invoke(app, [*config, "steer", "--rounds", "1"], prog_name="packwise")
    assert done.exit_code == 2
    for part in ("line 2", "drive, which is gone", "`packwise slurm reset`", "out of the file"):
        assert part in done.stderr
    state = ("--state", str(tmp_path / "state"))
    done = CliRunner().invoke(app, [*config, "reset", *state], prog_name="packwise")
    assert done.exit_code == 0, done.output
    assert not fake.reservations
