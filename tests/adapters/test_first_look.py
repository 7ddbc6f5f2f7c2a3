"""Slurm's own data, before there is a plan: what is shown, when, and when it is not."""

from __future__ import annotations

import io
import time
from threading import Event
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from packwise.adapters.slurm import commands
from packwise.adapters.slurm.commands import Unreachable
from packwise.cli import terminal
from packwise.cli.app import app
from packwise.cli.slurm.first_look import FirstLook
from packwise.cli.terminal.interim import Interim
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.adapters.rig import Rig
from tests.adapters.samples import NOW, job, node, runs, snapshot

#: Nothing takes that long here.
NEVER, LONG = 10.0**6, 60.0
QUEUE = snapshot(
    [
        runs("1", "n1"),
        job("2", start=NOW + 600, user="bob"),
        job("3", priority=5),
        job("4", start=NOW + 60, partitions=("long",)),
        job("5", reason="Dependency"),
    ],
    [node("n1", used=4), node("n2")],
)


def a_look(partitions=None, shown=QUEUE):
    """What it says of a snapshot at once."""
    with FirstLook(partitions) as look:
        look.look(SimpleNamespace(snapshot=lambda: shown))
        look.now()


def test_the_queue_and_the_starts_that_slurm_expects(capsys):
    a_look()
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("... ")
    assert "3 wait, 1 run, 4 of 8 cores free; Slurm expects 4 " in said.err
    first, second = said.err.index("expects 4 "), said.err.index(", 2 ")
    assert first < second
    a_look(frozenset({"long"}))
    said = capsys.readouterr().err
    assert "1 wait" in said
    assert ", 2 " not in said
    a_look(shown=snapshot([job("3")]))
    assert "Slurm tells no starts yet" in capsys.readouterr().err


def test_on_a_terminal_it_is_a_table(monkeypatch):
    page = io.StringIO()
    console = Console(file=page, force_terminal=True, width=120, height=30, color_system=None)
    monkeypatch.setattr(terminal, "stderr", lambda: console)
    a_look()
    lines = page.getvalue().splitlines()
    assert "3 wait, 1 run, 4 of 8 cores free" in lines[0]
    assert [line.split()[0] for line in lines[3:6]] == ["4", "2", "3"]
    assert "plan" not in lines[1]


def test_a_slurm_that_does_not_answer_is_the_rounds_affair(capsys):
    def silent():
        raise Unreachable("nobody there")

    with FirstLook() as look:
        look.look(SimpleNamespace(snapshot=silent))
        look.now()
    assert capsys.readouterr().err == ""


def test_it_is_shown_after_a_while_and_once():
    said, told = [], Event()
    with Interim(0.0) as interim:
        interim.begin(lambda: (said.append(1), told.set()))
        assert told.wait(LONG)
        interim.now()
    interim.now()
    assert said == [1]


def test_it_is_not_shown_after_the_answer():
    said = []
    with Interim(NEVER) as interim:
        interim.begin(lambda: said.append(1))
    interim.now()
    assert said == []


@pytest.mark.parametrize("words", [("advise", "--once", "--json"), ("steer", "--rounds", "1")])
def test_it_comes_on_stderr_and_before_what_plans_is_loaded(monkeypatch, tmp_path, words):
    fake = FakeSlurm()
    fake.now = int(time.time())
    fake.submit(*(FakeJob(str(k), base=1000 - k) for k in range(1, 6)))
    monkeypatch.setattr(commands, "subprocess", fake.as_subprocess())
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    shown = []
    monkeypatch.setattr(FirstLook, "begin", lambda self, say: (say(), shown.append("queue")))
    from packwise.cli.slurm import options

    planner = options.live_policy
    monkeypatch.setattr(
        options, "live_policy", lambda name: (shown.append("policy"), planner(name))[1]
    )
    folder = ("--state", str(tmp_path / "state"))
    done = CliRunner().invoke(app, ["slurm", *words, "-p", "easy", *folder], prog_name="packwise")
    assert done.exit_code == 0, done.output
    assert shown == ["queue", "policy"]
    assert "5 wait, 0 run, 8 of 8 cores free; Slurm tells no starts yet" in done.stderr
    assert "the plan is being made" not in done.stdout


def test_the_first_plan_does_not_wait_for_a_forecast(tmp_path, monkeypatch):
    fake = FakeSlurm()
    fake.submit(*(FakeJob(str(k)) for k in range(1, 6)))
    rig = Rig(fake, tmp_path, monkeypatch, "advise")
    looks = []
    rig.live._forecaster = SimpleNamespace(
        look=lambda seen: looks.append(rig.live.cycles), starts={}
    )
    rig.live.cycle()
    assert rig.live.shown is not None
    assert looks == []
    rig.live.cycle()
    assert looks == [2]
