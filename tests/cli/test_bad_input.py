"""No bad input gives a traceback; each gives one line that says what to do."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import pytest

from tests.lanes import broad

LINE = "1 0 5 10 4 -1 -1 4 20 -1 1 1 1 1 1 -1 -1 -1"
HEAD = "; MaxProcs: 8\n"

BAD = {
    "missing file": (None, "no such file"),
    "folder": ("folder", "folder"),
    "truncated gzip": (gzip.compress((HEAD + LINE).encode())[:-9], "a complete gzip file"),
    "binary": (bytes(range(256)) * 8, "error:"),
    "17 fields": (HEAD + LINE.rsplit(" ", 1)[0], "line 2"),
    "NaN": (HEAD + LINE.replace(" 10 ", " NaN "), "line 2"),
    "empty": ("", "empty"),
    "no machine size": (LINE.replace(" 5 ", " -1 "), "--procs"),
    "no job left": (HEAD + LINE.replace(" 10 ", " -1 "), "no job is left"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(
    "command",
    [("replay",), ("compare",), ("check",), ("metrics",), ("workload", "info")],
    ids=" ".join,
)
def test_bad_files(packwise, tmp_path, name, command):
    content, expected = BAD[name]
    path = tmp_path / "bad.swf"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = packwise(*command, path)
    assert done.status == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert expected in done.stderr.replace("No such", "no such")


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (("--policy", "eazy"), 2, "Did you mean easy"),
        (("--policy", "list(order=sav)"), 2, "saf"),
        (("--policy", "list(dept=3)"), 2, "depth"),
        (("--policy", "nowhere.py:mine"), 2, "does not exist"),
        (("--estimate", "exakt"), 2, "exact"),
        (("--estimate", "exact*zero"), 2, "exact*1.5"),
        (("--metrics", "BSLT"), 2, "BSLD"),
        (("--procs", "0"), 2, "--procs 0"),
        (("--procs", "many"), 2, "--procs"),
        (("--from", "soon"), 2, "--from"),
        (("--drop-queue", "x"), 2, "--drop-queue"),
        (("--drop-queue", "77"), 2, "queue 77"),
        (("--count", "0"), 2, "count"),
        (("--output", "missing/folder/plan.swf"), 3, "does not exist"),
        (("--output", "plan.xls"), 2, ".parquet"),
        (("--output", "."), 2, "ends in"),
        (("--plot", "plan.txt"), 2, ".png"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_bad_options(packwise, log, arguments, status, expected):
    done = packwise("replay", log, *arguments)
    assert done.status == status
    assert done.stdout == ""
    assert expected in done.stderr


def test_a_broken_policy_has_its_own_status(packwise, log, tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("def lazy(view):\n    return None\n\ndef wrong(view):\n    return 1 / 0\n")
    for name, expected in (("lazy", "should return a Decision"), ("wrong", "ZeroDivisionError")):
        done = packwise("replay", log, "--policy", f"{file}:{name}")
        assert done.status == 4
        assert expected in done.stderr
    done = packwise("policies", "--check", f"{file}:lazy")
    assert done.status == 1
    assert "breaks its contract" in done.stdout


def test_the_file_that_is_read_is_never_replaced(packwise, log):
    before = log.read_bytes()
    done = packwise("replay", log, "--output", log)
    assert done.status == 3
    assert "is the file that is read" in done.stderr
    assert log.read_bytes() == before


def test_a_device_or_pipe_is_never_replaced(packwise, log, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = packwise("replay", log, "--output", pipe, "--format", "swf")
    assert done.status == 3
    assert "not a regular file" in done.stderr
    assert pipe.is_fifo()


def test_an_archive_name_that_was_not_fetched(packwise, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = packwise("replay", "KTH-SP2")
    assert done.status == 2
    assert "packwise workload fetch KTH-SP2" in done.stderr
    done = packwise("replay", "kth-sp3")
    assert done.status == 2
    assert "fetch --list" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    broad(
        [(["nothing"], 2), (["replay", "nowhere.swf"], 2), (["replay", "nowhere.swf", "--json"], 2)]
    ),
)
def test_as_a_process(arguments, status, tmp_path):
    command = [sys.executable, "-m", "packwise", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == status
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_interrupted(packwise, log, tmp_path):
    file = tmp_path / "interrupted.py"
    file.write_text("def stop(view):\n    raise KeyboardInterrupt\n")
    done = packwise("replay", log, "--policy", f"{file}:stop")
    assert done.status == 130
    assert "interrupted" in done.stderr
