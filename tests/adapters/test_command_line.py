"""packwise slurm on the command line, on a Slurm in memory: results, one-line errors, exit status."""

from __future__ import annotations

import io
import json
import os
import signal
import stat
import time

import pytest
from rich.console import Console
from typer.testing import CliRunner

from packwise.adapters.slurm import commands, probe
from packwise.adapters.slurm.journal import Journal, read_journal
from packwise.cli.app import app
from packwise.cli.tables.live import live_plan
from tests.adapters.fake_slurm import FakeJob, FakeSlurm


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Slurm's programs, and an account that may use them."""
    found = FakeSlurm()
    found.now = int(time.time())  # the clocks of both go alike
    found.submit(*(FakeJob(str(k), base=1000 - k) for k in range(1, 6)))
    monkeypatch.setattr(commands, "subprocess", found.as_subprocess())
    monkeypatch.setattr(probe.os, "geteuid", lambda: 0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    return found


@pytest.fixture
def slurm(tmp_path):
    def run(*words, state=True):
        folder = ("--state", str(tmp_path / "state")) if state else ()
        done = CliRunner().invoke(app, ["slurm", *map(str, words), *folder], prog_name="packwise")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return run


def refused(done, *words, status=2):
    """One line on stderr, with these words, and nothing else."""
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(lines) == 1
    for word in words:
        assert word in lines[0]


def updates(fake):
    return [one for one in fake.asked if one.argv[0] == "scontrol" and "show" not in one.argv]


def test_advise(fake, slurm, tmp_path):
    fake.advance(1)
    done = slurm("advise", "--once", "--policy", "easy")
    assert done.exit_code == 0
    assert "advise with easy" in done.stdout
    assert "3 wait, 2 run, 0 of 8 cores free" in done.stdout
    told = json.loads(slurm("advise", "--once", "--policy", "easy", "--json").stdout)
    assert [job["id"] for job in told["waiting"]] == ["3", "4", "5"]
    assert not updates(fake)
    names = {path.name for path in (tmp_path / "state").iterdir()}
    assert names == {
        "journal.jsonl",
        "status.json",
        "ledger.pickle",
        "lock",
        "ours.json",
        "site.conf",
    }


def test_advise_reads_json_as_well(fake, slurm):
    done = slurm("advise", "--once", "--policy", "easy", "--read", "json")
    assert done.exit_code == 0
    assert "5 wait" in done.stdout


def test_names_of_jobs_cannot_use_the_terminal(fake, slurm):
    fake.jobs["1"].name = "\x1b[2J"
    fake.jobs["2"].user = "\x1b[31meve"
    done = slurm("advise", "--once", "--policy", "easy")
    assert "\x1b" not in done.stdout
    assert json.loads(slurm("advise", "--once", "--policy", "easy", "--json").stdout)


def test_a_line_for_each_round(fake, slurm):
    done = slurm("steer", "--rounds", "1", "--policy", "easy")
    assert done.exit_code == 0
    assert done.stdout.startswith("5 wait, 0 run, 8 of 8 cores free; start: 1, 2")


def test_steer_says_at_its_start_what_a_kill_leaves(fake, slurm):
    told = slurm("steer", "--rounds", "1", "--policy", "easy").stderr
    assert "if this is killed (kill -9), jobs that it has lowered stay behind newcomers" in told
    assert "`packwise slurm reset`" in told
    assert "kill -9" not in slurm("steer", "--dry-run", "--rounds", "1", "--policy", "easy").stderr


def test_steer_gives_its_factors_back(fake, slurm, tmp_path):
    fake.jobs["5"].base = 2000
    done = slurm("steer", "--rounds", "1", "--policy", "easy", "--band", "3000")
    assert done.exit_code == 0
    assert [job.site for job in fake.jobs.values()] == [0] * 5
    sent = [entry["text"] for entry in read_journal(tmp_path / "state") if entry["kind"] == "send"]
    assert len(sent) == 2
    assert "jobid=5 SiteFactor=-" in sent[0]


def test_what_a_dry_run_prints_can_be_typed(fake, slurm, tmp_path):
    fake.jobs["1"].base, fake.jobs["5"].base = 5, 2000
    done = slurm("steer", "--dry-run", "--rounds", "1", "--policy", "easy")
    assert done.stdout.startswith("scontrol <<'END'\nupdate jobid=1 SiteFactor=")
    assert done.stdout.endswith("quit\nEND\n")
    assert not updates(fake)


def test_a_site_that_forbids_it(fake, slurm, monkeypatch):
    fake.settings["PriorityType"] = "priority/basic"
    refused(slurm("steer", "--rounds", "1"), "priority/basic", "toy")
    monkeypatch.setattr(probe.os, "geteuid", lambda: 1000)
    refused(slurm("steer", "--rounds", "1"), "AdminLevel=Operator")
    assert slurm("advise", "--once", "--policy", "easy").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("advise", "--policy", "eassy"), "easy"),
        (("advise", "--partition", "bath"), "batch"),
        (("advise", "--partition", ","), "--partition"),
        (("steer", "--partition", "nowhere"), "nowhere"),
        (("advise", "--interval", "inf"), "--interval"),
        (("journal", "--kind", "sent"), "send"),
        (("journal",), "there is no such folder"),
    ],
)
def test_options_that_cannot_be(fake, slurm, words, said):
    more = ("--rounds", "1") if words[0] != "journal" else ()
    refused(slurm(*words, *more), said)
    assert not updates(fake)


@pytest.mark.parametrize(
    "words",
    [
        ("steer", "--band", "0"),
        ("steer", "--band", "x"),
        ("advise", "--interval", "0"),
        ("advise", "--interval", "nan"),
        ("advise", "--rounds", "0"),
        ("advise", "--read", "xml"),
        ("journal", "--last", "0"),
        ("nonsense",),
    ],
)
def test_options_out_of_range(fake, slurm, words):
    done = slurm(*words)
    assert done.exit_code == 2
    assert "Traceback" not in done.output


@pytest.mark.parametrize("policy", ["recorded", "recorded-order"])
def test_policies_that_cannot_run_live(fake, slurm, policy):
    refused(slurm("advise", "--once", "--policy", policy), "a whole log")
    assert not updates(fake)


def test_a_slurm_conf_that_is_not_there(slurm, monkeypatch, tmp_path):
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "none"))
    refused(slurm("advise", "--once"), "SLURM_CONF names", "no such file")


@pytest.mark.parametrize(("width", "there"), [(80, False), (120, True)])
def test_a_narrow_terminal_has_fewer_columns(fake, slurm, tmp_path, width, there):
    slurm("advise", "--once", "--policy", "easy")
    told = json.loads((tmp_path / "state/status.json").read_text())
    console = Console(file=io.StringIO(), width=width)
    console.print(live_plan(told, width=width))
    said = console.file.getvalue()
    assert ("partition" in said) is there
    assert "10.0 min" in said


def test_no_slurm_is_there(slurm, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    for words in (("advise", "--once"), ("steer",), ("reset",)):
        refused(slurm(*words), "'scontrol' was not found")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    refused(slurm("journal", state=False), "there is nothing in")


def test_real_programs_in_the_path(slurm, monkeypatch, tmp_path):
    """Programs of that name, which say what a host that is in no cluster says."""
    path = tmp_path / "scontrol"
    path.write_text(
        "#!/bin/sh\necho 'fatal: Could not establish a configuration source' >&2\nexit 1\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    refused(slurm("advise", "--once"), "SLURM_CONF")


def test_a_controller_that_is_down(fake, slurm):
    fake.silent = True
    refused(slurm("advise", "--once"), "Is slurmctld running?")
    refused(slurm("reset"), "Is slurmctld running?")


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("steer",), "stdout"),
        (("steer", "--dry-run"), "stderr"),
        (("advise",), "stdout"),
    ],
)
def test_a_controller_that_goes_down_later(fake, slurm, monkeypatch, words, where):
    monkeypatch.setattr("packwise.cli.slurm.going.Event", away_in_the_second_of_three(fake))
    done = slurm(*words, "--policy", "easy")
    assert done.exit_code == 0
    told = getattr(done, where)
    assert told.count("this round has failed, and is tried again") == 1
    assert "Is slurmctld running?" in told


def test_a_plan_in_json_says_that_rounds_fail(fake, slurm, monkeypatch):
    monkeypatch.setattr("packwise.cli.slurm.going.Event", away_in_the_second_of_three(fake))
    done = slurm("advise", "--json", "--policy", "easy", "--no-forecast")
    decoder, text, found = json.JSONDecoder(), done.stdout, []
    while text.strip():
        told, end = decoder.raw_decode(text.lstrip())
        found.append(told)
        text = text.lstrip()[end:]
    assert ["failing" in told for told in found] == [False, True, False]


def test_a_wrong_folder(fake, slurm, tmp_path):
    (tmp_path / "state").write_text("a file")
    refused(slurm("advise", "--once"), "state", status=3)
    (tmp_path / "state").unlink()
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "lock").mkdir()
    refused(slurm("advise", "--once"), "--state DIR", status=3)


def test_a_folder_of_the_service_or_of_the_account(fake, slurm, tmp_path, monkeypatch):
    assert slurm("advise", "--once", "--policy", "easy", state=False).exit_code == 0
    assert list((tmp_path / "home").rglob("toy/journal.jsonl"))
    monkeypatch.setenv("STATE_DIRECTORY", f"{tmp_path / 'service'}:{tmp_path / 'other'}")
    assert slurm("advise", "--once", "--policy", "easy", state=False).exit_code == 0
    assert (tmp_path / "service/journal.jsonl").is_file()


def test_a_policy_of_yours_that_fails(fake, slurm, tmp_path, monkeypatch):
    path = tmp_path / "mine.py"
    path.write_text(
        "class Mine:\n    name = 'mine'\n    def decide(self, view):\n        raise ValueError('no idea')\n"
        "mine = Mine()\n"
    )
    monkeypatch.setattr("packwise.cli.slurm.going.Event", Hurried)
    refused(slurm("steer", "--policy", f"{path}:mine"), "no idea", status=4)
    assert not any(job.site for job in fake.jobs.values())


class Hurried:
    """An event for which nobody waits."""

    def __init__(self):
        self.told = False

    def is_set(self):
        return self.told

    def set(self):
        self.told = True

    def wait(self, seconds):
        return self.told


def away_in_the_second_of_three(fake):
    """Rounds: in the second one nobody answers."""

    class Later(Hurried):
        rounds = 0

        def wait(self, seconds):
            self.rounds += 1
            fake.silent = self.rounds == 1
            self.told = self.rounds == 3
            return self.told

    return Later


def test_with_a_number_of_rounds_one_that_fails_ends_it(fake, slurm, monkeypatch):
    monkeypatch.setattr("packwise.cli.slurm.going.Event", away_in_the_second_of_three(fake))
    refused(slurm("advise", "--policy", "easy", "--rounds", "3"), "Is slurmctld running?")


def test_what_could_not_be_given_back_is_said_at_the_end(fake, slurm, monkeypatch):
    class Away(Hurried):
        def wait(self, seconds):
            self.told = fake.silent = True
            return True

    monkeypatch.setattr("packwise.cli.slurm.going.Event", Away)
    refused(slurm("steer", "--policy", "easy"), "may be left", "packwise slurm reset")


def test_after_a_reset_factors_are_those_of_others(fake, slurm, tmp_path):
    slurm("steer", "--rounds", "1", "--policy", "easy")
    (tmp_path / "state/ours.json").write_text(json.dumps({"factors": {"1": 300}}))
    fake.jobs["1"].site = 300
    assert slurm("reset").exit_code == 0
    assert fake.jobs["1"].site == 0
    fake.jobs["1"].site = 77
    assert slurm("reset").exit_code == 0
    assert fake.jobs["1"].site == 77


def test_it_stops_when_told(fake, slurm, monkeypatch):
    """As a service manager says it: what was set is given back."""
    fake.jobs["5"].base = 2000
    fake.schedule = lambda: None
    rounds = []

    class Told(Hurried):
        def wait(self, seconds):
            rounds.append(any(job.site for job in fake.jobs.values()))
            if len(rounds) == 3:
                os.kill(os.getpid(), signal.SIGTERM)
            return self.told

    monkeypatch.setattr("packwise.cli.slurm.going.Event", Told)
    before = signal.getsignal(signal.SIGTERM)
    done = slurm("steer", "--policy", "easy", "--band", "3000")
    assert done.exit_code == 0
    assert rounds == [True] * 3
    assert signal.getsignal(signal.SIGTERM) == before
    assert not any(job.site for job in fake.jobs.values())


def test_reset(fake, slurm):
    assert "nothing of ours is there" in slurm("reset").stdout
    fake.jobs["1"].site = 77
    told = slurm("reset", "--dry-run")
    assert "SiteFactor" not in told.stdout
    assert "1 site factors are not ours" in told.stderr
    dry = slurm("reset", "--dry-run", "--all")
    assert dry.exit_code == 0
    assert "SiteFactor=0" in dry.stdout
    assert "given back" not in dry.stdout
    assert fake.jobs["1"].site == 77
    done = slurm("reset", "--all")
    assert done.exit_code == 0
    assert done.stdout.startswith(dry.stdout)
    assert done.stdout.endswith("given back\n")
    assert fake.jobs["1"].site == 0


def test_reset_where_site_factors_mean_nothing(fake, slurm):
    fake.settings["PriorityType"] = "priority/basic"
    assert slurm("reset").exit_code == 0
    assert not [one for one in fake.asked if one.argv[0] == "sprio"]


def test_a_reset_that_is_refused(fake, slurm):
    fake.jobs["1"].site = 5
    fake.refuses.add("1")
    refused(slurm("reset", "--all"), "not available")


def test_journal(fake, slurm, tmp_path):
    fake.jobs["5"].base = 2000
    slurm("steer", "--rounds", "1", "--policy", "easy", "--band", "3000")
    shown = slurm("journal").stdout
    assert "steer with easy" in shown
    assert "steer has ended" in shown
    sent = slurm("journal", "--kind", "send,end", "--json")
    assert {entry["kind"] for entry in json.loads(sent.stdout)} == {"send", "end"}
    assert len(json.loads(slurm("journal", "-n", "2", "--json").stdout)) == 2
    named = json.loads(slurm("journal", "--job", "2", "--kind", "decide", "--json").stdout)
    assert named
    assert slurm("journal", "--job", "777").stdout == "no such entries\n"
    assert slurm("journal", "--job", "(", "--kind", "decide").stdout == "no such entries\n"


def test_a_journal_cannot_use_the_terminal(fake, slurm, tmp_path):
    Journal(tmp_path / "state").write("note", "\x1b[2Jgone\nnext")
    shown = slurm("journal").stdout
    assert "\x1b" not in shown
    assert "gone" in shown


def test_the_journal_of_the_only_cluster_needs_no_slurm(fake, slurm):
    slurm("advise", "--once", "--policy", "easy", state=False)
    fake.silent = True
    assert "advise has ended" in slurm("journal", state=False).stdout


def test_the_journal_of_a_job(fake, slurm, tmp_path):
    fake.jobs["5"].base = fake.jobs["4"].base = 2000
    slurm("steer", "--rounds", "2", "--policy", "easy", "--interval", "0.2", "--band", "3000")
    lines = slurm("journal", "--job", "5").stdout.splitlines()
    sent = [line for line in lines if " send " in line]
    assert len(sent) == 2  # lowered, and given back
    assert all("jobid=5 " in line and "jobid=4" not in line for line in sent)
    assert any("job 5 is number 5 in the plan" in line for line in lines)
    assert "job 2 is to start now" in slurm("journal", "--job", "2").stdout


def test_a_dry_run_does_not_pass_for_a_true_one(fake, slurm, tmp_path):
    fake.jobs["5"].base = 2000
    slurm("steer", "--dry-run", "--rounds", "1", "--policy", "easy")
    told = slurm("journal", "--kind", "begin,send,note").stdout.splitlines()
    assert any("dry run: steer with easy" in line for line in told)
    assert any("dry run: scontrol: update jobid=" in line for line in told)
    assert not (tmp_path / "state/status.json").exists()


def test_the_journal_of_a_cluster_by_name(fake, slurm):
    slurm("advise", "--once", "--policy", "easy", state=False)
    assert "advise with easy" in slurm("journal", "--cluster", "toy", state=False).stdout
    assert "advise with easy" in slurm("journal", state=False).stdout
    refused(slurm("journal", "--cluster", "../toy", state=False), "there is no journal")


def test_another_one_works_with_the_folder(fake, slurm, tmp_path):
    from packwise.adapters.slurm.state_file import alone

    with alone(tmp_path / "state"):
        refused(slurm("advise"), "another Packwise")
        # A look is possible all the same, and leaves nothing there.
        assert slurm("advise", "--once", "--policy", "easy").exit_code == 0
        assert not (tmp_path / "state/journal.jsonl").exists()


def test_a_table_of_a_plan_that_is_old():
    told = {
        "written": 1_790_000_000, "cluster": "toy", "mode": "steer", "policy": "easy", "free": 0, "cores": 8,
        "seconds": {"read": 0.1, "plan": 0.1}, "waiting": [], "running": [], "left_out": [], "notes": [],
        "health": {"slurm": "nobody answers"}, "failing": 90.0,
    }  # fmt: skip
    console = Console(file=io.StringIO(), width=120)
    console.print(live_plan(told))
    said = console.file.getvalue().splitlines()
    assert said[1:] == [
        "! this plan is 90 s old: rounds fail, and are tried again",
        "! nobody answers",
    ]


def test_a_table_of_far_away_starts():
    waits = {
        "id": "1", "user": "ann", "partition": "batch", "node_count": 1, "cores": 4, "limit": None,
        "submit": 5, "planned": 10**15, "slurm": None,
    }  # fmt: skip
    told = {
        "written": 10, "cluster": "toy", "mode": "advise", "policy": "easy", "free": 0, "cores": 4,
        "seconds": {"read": 0.0, "plan": 0.0}, "waiting": [waits] * 40, "running": [], "left_out": [],
        "health": {}, "notes": [],
    }  # fmt: skip
    console = Console(width=160, file=io.StringIO())
    console.print(live_plan(told, 3))
    shown = console.file.getvalue()
    assert "years away" in shown
    assert "37 more wait" in shown


def test_help_names_what_there_is():
    done = CliRunner().invoke(app, ["slurm", "--help"], prog_name="packwise")
    for name in ("advise", "steer", "reset", "journal", "unit"):
        assert name in done.output
