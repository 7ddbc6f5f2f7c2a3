"""A break on trial: a copy of the checkout has it, and the tests that reach it run there until one fails."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.teeth import watching
from tests.teeth.draw import Drawn
from tests.teeth.reach import Reach

#: What a copy can do without, or makes for itself.
_LEFT_BEHIND = (".git", ".venv", ".hypothesis", ".*_cache", "site", "demo", "*-pytest-*.pyc")
#: Test files that one pytest gets; the next one gets twice as many.
_FIRST_BATCH = 6
#: Who waits for something that never comes uses no processor time; on a busy machine, others use it.
_CLOCK_PER_PROCESSOR = 10
#: A test that used, or waited for, as much and had not ended is taken to hang.
_HANGS, _WAITS = 60.0, 400.0
#: Compiling does not count, up to so many seconds in one pytest: all kernels together take less. Where one
#: cannot be compiled, numba tries again and again, at each level of calls.
_COMPILING = 300.0
_ENDLESS = "does not end"
#: How pytest ends when tests could run: all passed, some failed, stopped, and none were found.
_ORDERLY = (0, 1, 2, 5)


class Failure(NamedTuple):
    """A test that does not pass, and how: it *fails*, *does not end*, or *breaks down*."""

    test: str
    how: str


@dataclass(frozen=True)
class Noticed:
    """Who noticed, or None, after how many seconds of processor time in how many test files."""

    failure: Failure | None
    seconds: float
    files: int
    used_up: bool = False


class Trials:
    """Trials of breaks of one checkout, in a folder for the copies."""

    def __init__(self, checkout: Path, package: str, folder: Path, limit: float) -> None:
        self._checkout = checkout
        self._reach = Reach(checkout, package)
        self._folder = folder
        self._limit = limit
        self._whole = self._copy("whole")
        #: Tests that fail in a copy that is not broken say nothing about a break.
        self.fail_anyway: set[str] = set()
        plugin = folder / "plugin"
        plugin.mkdir()
        shutil.copy(watching.__file__, plugin / "teeth_watching.py")

    def attempt(self, drawn: Drawn) -> Noticed:
        """Break the function in a copy, and run tests until one notices or the time is used up."""
        broken = self._copy("broken")
        source = broken / drawn.path
        source.write_bytes(drawn.broken.apply(source.read_bytes()))
        spent, done = 0.0, 0
        for batch in _batches(self._reach.tests(drawn)):
            while files := [file for file in batch if file not in self.fail_anyway]:
                if spent >= self._limit:
                    return Noticed(None, spent, done, used_up=True)
                failure, seconds = self._run(broken, files, self._limit - spent, drawn.name)
                spent += seconds
                if failure is None:
                    break
                if failure.how == _ENDLESS and self._passes(broken, failure.test):
                    continue  # something else held it up, such as a machine that sleeps
                if self._passes(self._whole, failure.test):
                    return Noticed(failure, spent, done + 1)
                self.fail_anyway.add(failure.test)
            done += len(batch)
        return Noticed(None, spent, done)

    def _passes(self, copy: Path, test: str) -> bool:
        return self._run(copy, [test], self._limit, "")[0] is None

    def _copy(self, name: str) -> Path:
        """A checkout of its own, with compiled code and the data beside it, in a folder of its own."""
        copy = self._folder / name / "checkout"
        shutil.rmtree(copy.parent, ignore_errors=True)
        shutil.copytree(self._checkout, copy, ignore=shutil.ignore_patterns(*_LEFT_BEHIND))
        beside = self._checkout.parent / "shared"
        if beside.exists():
            (copy.parent / "shared").symlink_to(beside.resolve())
        return copy

    def _run(
        self, copy: Path, tests: list[str], left: float, name: str
    ) -> tuple[Failure | None, float]:
        """The first test that does not pass, and the processor time of all, without that of compiling."""
        told = copy.parent / "told"
        told.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-m", "not slow"]
        command += ["-p", "no:cacheprovider", f"--basetemp={copy.parent / 'temporary'}"]
        command += ["-p", "teeth_watching", f"--told={told}", f"--processor={left}"]
        command += [f"--first={','.join(name.split('.'))}", "--hypothesis-seed=44"]
        command += [f"--deselect={test}" for test in sorted(self.fail_anyway)]
        places = f"{copy}{os.pathsep}{self._folder / 'plugin'}"
        caches = {"XDG_CACHE_HOME": f"{copy.parent / 'cache'}", "PYTHONPATH": places}
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "NUMBA_"))}
        begin = _processor_seconds()
        status = _start(command + tests, copy, {**clean, **caches}, left + _COMPILING)
        events = _events(told)
        compiling = events[-1]["compiling"] if events else 0.0
        failure = _failure(events, status, left + _COMPILING, tests[0])
        return failure, _processor_seconds() - begin - compiling


def _start(
    command: list[str], folder: Path, environment: dict[str, str], seconds: float
) -> int | None:
    """Run a command and all that it starts to its end; None if it was stopped, by the clock."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 5))

    with (folder.parent / "output").open("wb") as output:
        started = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=limited,
        )
        try:
            return started.wait(_CLOCK_PER_PROCESSOR * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
            return None


def _events(told: Path) -> list[dict[str, Any]]:
    lines = told.read_text("utf-8").splitlines() if told.exists() else []
    return [json.loads(line) for line in lines]


def _failure(
    events: list[dict[str, Any]], status: int | None, seconds: float, first: str
) -> Failure | None:
    """The test that failed, or took all down, or did not end; the first file if none could even begin."""
    inside, began = None, 0.0
    for event in events:
        if "failed" in event:
            return Failure(event["failed"], "fails")
        if "begins" in event or "ends" in event:
            inside, began = event.get("begins"), event["seconds"]
    if status in _ORDERLY:
        return None
    if status not in (-signal.SIGXCPU, -signal.SIGKILL, None):
        return Failure(inside or first, "breaks down")
    if inside is None:
        return None
    last = events[-1]
    if last.get("compiles"):
        hangs, waits = seconds - began >= _COMPILING, False
    else:
        hangs = seconds - last["seconds"] >= _HANGS
        waits = time.time() - last["clock"] >= _WAITS
    return Failure(inside, _ENDLESS) if (waits if status is None else hangs) else None


def _batches(tests: list[str]) -> Iterator[list[str]]:
    size = _FIRST_BATCH
    while tests:
        yield tests[:size]
        tests, size = tests[size:], 2 * size


def _processor_seconds() -> float:
    """What all programs that were run from here have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
