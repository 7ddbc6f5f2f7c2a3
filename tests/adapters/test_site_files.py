"""packwise.toml and the systemd unit of a site."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from packwise.adapters.slurm import commands
from packwise.adapters.slurm.unit import unit_text
from packwise.cli.app import app
from packwise.cli.slurm.advise import advise
from packwise.cli.slurm.site_file import defaults, options_of, site_file
from packwise.cli.slurm.steer import steer
from packwise.model.errors import InputError
from tests.adapters.fake_slurm import FakeSlurm

COMMANDS = {
    "steer": options_of(steer),
    "advise": options_of(advise),
}


def read(tmp_path, text):
    path = tmp_path / "packwise.toml"
    path.write_text(text)
    return defaults(path, COMMANDS)


def test_what_is_for_all_and_what_is_for_one(tmp_path):
    text = "[slurm]\ninterval = 3\n[slurm.advise]\nrounds = 30\ninterval = 5.5\n[slurm.steer]\nband = 7"
    assert read(tmp_path, text) == {
        "steer": {"interval": 3, "band": 7},
        "advise": {"interval": 5.5, "rounds": 30},
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[slrum]\n", "line 1: expected one of slurm, found 'slrum'"),
        ("[slurm]\nbnad = 3", "line 2"),
        ("[slurm.advise]\nband = 3", "line 2"),
        ("[slurm.steer]\nstate = 'here'", r"state in \[slurm\]"),
        ("[slurm.steer]\nband = 'x'", "band to be a whole number"),
        ("[slurm.steer]\ndry_run = 1", "dry_run to be true or false"),
        ("[slurm]\ninterval = 'often'", "interval to be a number"),
        ("[slurm.steer]\npartition = 3", "partition to be a text"),
        ("slurm = 3", "a table"),
        ("[slurm]\nsteer = 3", "a table"),
        ("[slurm", "not TOML"),
    ],
)
def test_mistakes_are_told_with_their_lines(tmp_path, text, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, text)


def test_where_it_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PACKWISE_CONFIG", raising=False)
    monkeypatch.setattr("packwise.cli.slurm.site_file.PLACES", ("packwise.toml",))
    assert site_file(None) is None
    (tmp_path / "packwise.toml").write_text("")
    assert site_file(None).name == "packwise.toml"
    monkeypatch.setenv("PACKWISE_CONFIG", str(tmp_path / "nowhere.toml"))
    with pytest.raises(InputError, match="no such file"):
        site_file(None)


def test_a_command_takes_it_and_the_command_line_counts(tmp_path, monkeypatch):
    path = tmp_path / "site.toml"
    path.write_text('[slurm]\npolicy = "no-such-policy"\n')
    monkeypatch.setattr(commands, "subprocess", FakeSlurm().as_subprocess())
    run = CliRunner().invoke
    done = run(app, ["slurm", "--config", str(path), "advise", "--once"], prog_name="packwise")
    assert done.exit_code == 2
    assert "no-such-policy" in done.stderr
    words = ["slurm", "--config", str(path), "advise", "--once", "--policy", "not-this-one-either"]
    assert "not-this-one-either" in run(app, words, prog_name="packwise").stderr


@pytest.mark.parametrize("mode", ["advise", "steer"])
def test_the_unit(mode, tmp_path):
    text = unit_text(
        mode, "packwise", "/opt/packwise/bin/packwise", ("--interval", "5"), "/etc/slurm/slurm.conf"
    )
    assert f"ExecStart=/opt/packwise/bin/packwise slurm {mode} --interval 5\n" in text
    assert ("ExecStopPost=/opt/packwise/bin/packwise slurm reset\n" in text) == (mode != "advise")
    assert "User=packwise\n" in text
    if shutil.which("systemd-analyze"):
        runnable = text.replace("/opt/packwise/bin/packwise", "/bin/true")
        assert faults(runnable, tmp_path) == []
        (fault,) = faults(runnable.replace("KillMode=mixed", "KillMode=mixd"), tmp_path)
        assert "mixd" in fault


def faults(unit, folder):
    """What systemd has against a unit; that pages it names are not installed here is not its fault."""
    path = folder / "packwise.service"
    path.write_text(unit)
    verify = ["systemd-analyze", "verify", "--man=no", str(path)]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    return [line for line in done.stderr.splitlines() if "packwise.service:" in line]


@pytest.mark.parametrize(
    ("mode", "user", "options"),
    [
        ("fly", "packwise", ()),
        ("steer", "a b", ()),
        ("steer", "x", ("--policy", "a\nExecStart=/bin/sh")),
        ("steer", "x", ("a;b",)),
    ],
)
def test_nothing_strange_gets_into_a_unit(mode, user, options):
    with pytest.raises(InputError):
        unit_text(mode, user, "/bin/packwise", options)
