"""packwise slurm serve: what it says, what it refuses, and how it ends."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from packwise.adapters.slurm.web import libraries
from packwise.adapters.slurm.web.serving import open_door
from packwise.cli.app import app
from packwise.model.errors import InputError
from tests.adapters.web.statuses import make_status, write


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path):
    for name in ("PACKWISE_TOKEN", "STATE_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))


def refused(*arguments):
    result = CliRunner().invoke(app, ["slurm", "serve", *map(str, arguments)], prog_name="packwise")
    assert result.exit_code == 2, (result.stdout, result.stderr)
    return " ".join(result.stderr.split())


@pytest.mark.parametrize(
    "sign", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.kills)]
)
def test_it_serves_until_it_is_told_to_stop(tmp_path, sign):
    from urllib.request import urlopen

    write(tmp_path, make_status())
    command = [sys.executable, "-m", "packwise", "slurm", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--state", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        said = process.stdout.readline()
        address = said.split()[0]
        assert said == f"{address} shows the plan in {tmp_path}. Ctrl-C ends this.\n"
        with urlopen(f"{address}status.json") as answer:
            assert b'"elm"' in answer.read()
        with urlopen(f"{address}events") as stream:
            stream.readline()
            process.send_signal(sign)
            assert process.wait() == 0
        assert process.stderr.read() == ""


def test_the_only_folder_of_this_account_is_taken(tmp_path):
    folder = tmp_path / "home" / "packwise" / "slurm" / "elm"
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "packwise", "slurm", "serve", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PACKWISE_TOKEN": "x" * 16}
    ) as process:
        assert f"shows the plan in {folder}." in process.stdout.readline()
        process.terminate()
        assert process.wait() == 0


def test_no_folder_and_several(tmp_path):
    assert "advise" in refused()
    for name in ("elm", "oak"):
        (tmp_path / "home" / "packwise" / "slurm" / name).mkdir(parents=True)
    assert "several clusters" in refused()
    assert "no such folder" in refused("--state", tmp_path / "none")


def test_a_port_that_is_taken(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = refused("--port", port, "--state", tmp_path)
    assert f"port {port} is taken on 127.0.0.1" in said
    assert "--port" in said


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 70 + ".example", "203.0.113.7"])
def test_addresses_that_are_not_ours(tmp_path, host):
    assert f"--host {host}" in refused("--port", 0, "--host", host, "--state", tmp_path)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_others_need_a_token(tmp_path, host):
    said = refused("--port", 0, "--host", host, "--state", tmp_path)
    assert "a token is needed" in said
    assert "--token-file" in said


def test_a_token_that_others_can_read(tmp_path):
    path = tmp_path / "token"
    path.write_text("x" * 20)
    path.chmod(0o644)
    said = refused("--port", 0, "--state", tmp_path, "--token-file", path)
    assert "chmod 600" in said
    assert "x" * 20 not in said


@pytest.mark.parametrize(
    ("host", "local"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_what_only_this_machine_can_reach(host, local):
    door = open_door(host, 0)
    door.socket.close()
    assert door.local is local
    assert door.address.startswith("http://")
    assert "0.0.0.0" not in door.address


def test_without_the_extra(tmp_path, monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(
        libraries, "find_spec", lambda name: None if name == "uvicorn" else there(name)
    )
    said = refused("--state", tmp_path)
    assert "needs uvicorn, which is not installed" in said
    assert "pip install 'packwise[live]'" in said
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="starlette and uvicorn and prometheus_client, which are"):
        libraries.check_libraries()


def test_help_teaches():
    result = CliRunner().invoke(app, ["slurm", "serve", "--help"], prog_name="packwise")
    for word in ("ssh -L 9301:localhost:9301", "/metrics", "--token-file", "PACKWISE_TOKEN"):
        assert word in result.stdout
