"""Nobody reads the output: the command ends quietly, with the status that other Unix tools give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (
    "policies",
    "policies --json",
    "metrics --list",
    "--help",
    "policies --help",
    "--version",
)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes of a shell")


def shell(text: str) -> tuple[int, str]:
    """The status of ``packwise`` in a pipeline, and what it said on stderr."""
    python = f"'{sys.executable}' -m packwise"
    script = text.replace("packwise ", f"{python} ", 1) + "\nexit ${PIPESTATUS[0]}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_the_reader_has_left(command):
    assert shell(f"packwise {command} | true") == (141, "")


@pytest.mark.parametrize("command", ["policies", "metrics --list --json"])
def test_stdout_is_closed_from_the_start(command):
    assert shell(f"packwise {command} >&-") == (141, "")
    assert shell(f"packwise {command} <&- >&- 2>&-") == (141, "")


def test_the_first_line_is_enough(log):
    """head reads a block and leaves while there is more to come."""
    status, said = shell(f"packwise workload info '{log}' --json | head -c 1 >/dev/null")
    assert (status, said) in ((141, ""), (0, ""))  # all of it may be in the pipe before head leaves
    assert shell("packwise policies | head -1 >/dev/null") == (141, "")


def test_files_are_written_all_the_same(log, tmp_path):
    plan = tmp_path / "plan.csv"
    status, said = shell(f"packwise replay '{log}' --output '{plan}' 2>/dev/null >&-")
    assert (status, said) == (141, "")
    assert len(plan.read_text().splitlines()) == 301


def test_messages_that_nobody_reads():
    assert shell("packwise replay nothing.swf 2>&1 >/dev/null | true")[0] == 141
    assert shell("packwise replay nothing.swf 2>&-")[0] == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["--help", "--version", "policies", "policies --json"])
def test_a_full_disk_is_another_thing(command):
    status, said = shell(f"packwise {command} >/dev/full")
    assert status == 3
    assert said.startswith("error: ")
    assert "No space left" in said
    assert "Traceback" not in said
