"""Nobody reads the output: the command ends quietly, with the status that other Unix tools give."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from tests.lanes import broad

OURS = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
COMMANDS = ("metrics --list", "policies --json", "--help", "--version")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes of a shell")


@pytest.fixture
def nobody() -> Iterator[int]:
    """A pipe that is written to, and whose reader has left."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


def shell(text: str, **streams: int) -> tuple[int, str]:
    """The status of ``packwise`` with streams redirected, and what it said on stderr."""
    script = text.replace("packwise ", f"'{sys.executable}' -m packwise ", 1)
    given = {"stdout": PIPE, "stderr": PIPE, **streams}
    done = subprocess.run(["bash", "-c", script], text=True, env=OURS, check=False, **given)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", broad(COMMANDS))
def test_the_reader_has_left(command, nobody):
    assert shell(f"packwise {command}", stdout=nobody) == (141, "")


@pytest.mark.parametrize("command", broad(["policies --help", "metrics --list --json"]))
def test_stdout_is_closed_from_the_start(command):
    assert shell(f"packwise {command} >&-") == (141, "")
    assert shell(f"packwise {command} <&- >&- 2>&-") == (141, "")


def test_the_first_line_is_enough():
    """Its reader takes a block and leaves while there is more to come: the pipe holds little."""
    command = [sys.executable, "-m", "packwise", "compare", "--help"]
    with Popen(command, stdout=PIPE, stderr=PIPE, text=True, env=OURS, pipesize=4096) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


@pytest.mark.slow
def test_files_are_written_all_the_same(log, tmp_path):
    plan = tmp_path / "plan.csv"
    status, said = shell(f"packwise replay '{log}' --output '{plan}' 2>/dev/null >&-")
    assert (status, said) == (141, "")
    assert len(plan.read_text().splitlines()) == 301


@pytest.mark.slow
def test_messages_that_nobody_reads(nobody):
    assert shell("packwise replay nothing.swf", stderr=nobody)[0] == 141
    assert shell("packwise replay nothing.swf", stdout=nobody, stderr=nobody)[0] == 141
    assert shell("packwise replay nothing.swf 2>&-")[0] == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", broad(["--version", "policies --json"]))
def test_a_full_disk_is_another_thing(command, nobody):
    status, said = shell(f"packwise {command} >/dev/full")
    assert status == 3
    assert said.startswith("error: ")
    assert "No space left" in said
    assert "Traceback" not in said
    assert shell(f"packwise {command} >/dev/full", stderr=nobody)[0] == 141
