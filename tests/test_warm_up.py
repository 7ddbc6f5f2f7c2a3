"""Compiled parts: all of them are known, all that is needed is found there, and it is compiled side by side."""

from __future__ import annotations

import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

import packwise
from packwise.compiled import CallableFromC
from packwise.model import Cluster, NodeGroup
from packwise.predict.catalogue import PREDICTORS
from packwise.registry import POLICIES, estimate, policy
from packwise.warm_up import crew, needs, parts, telling
from packwise.warm_up.parts import PARTS, Part

ROOT = Path(packwise.__file__).parents[1]
NODES = Cluster("two", (NodeGroup("a", 2, {"cores": 2}),))


def in_a_process(code: str, cache: Path | None = None, **more) -> subprocess.CompletedProcess[str]:
    """Text that comes in on stdin, as of a user who has no file, and no ``__main__`` to be imported again."""
    told = {} if cache is None else {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable],
        input=code,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env={**os.environ, **told},
        **more,
    )


def compiled_functions() -> Iterator[str]:
    """All that Python calls or that is called by its address, wherever it was made."""
    from packwise.compiled.inside_numba import _Dispatcher, _Part

    for found in pkgutil.walk_packages(packwise.__path__, "packwise."):
        if found.name.endswith("__main__"):
            continue
        for value in vars(import_module(found.name)).values():
            if isinstance(value, CallableFromC):
                function = value.python_function
            elif isinstance(value, _Dispatcher) and not isinstance(value, _Part):
                function = value.py_func
            else:
                continue
            yield f"{function.__module__.removeprefix('packwise.')}:{function.__name__}"


def test_every_compiled_function_belongs_to_a_part():
    known = {text.partition("(")[0] for part in PARTS.values() for text in part.functions}
    assert known == set(compiled_functions())


def test_what_policies_and_estimates_need_are_parts():
    believed = [estimate(name) for name in PREDICTORS]
    for one in POLICIES.values():
        for machine, matter in ((Cluster.pool(4), False), (NODES, True), (NODES, False)):
            for stepped in (False, True):
                found = needs.of_replay(one, believed[0], machine, matter=matter, stepped=stepped)
                assert set(found) <= PARTS.keys()
        assert set(needs.of_rounds(one)) <= PARTS.keys()
    for one in believed:
        assert set(getattr(one, "parts", ())) <= PARTS.keys()
    beside = {*needs.READING, *needs.FAIRNESS, *needs.SOLVING, *needs.EXPLAINING}
    assert beside | {*needs.PROFIT_ON_NODES} <= PARTS.keys()


def test_nobody_waits_for_what_he_does_not_need():
    pairs = [(policy(name), estimate("requested")) for name in ("packwise", "easy", "cbf")]
    found = list(dict.fromkeys(needs.at_first_sight("kth.swf.gz", pairs, None)))
    assert found == ["reader", "loop", "promises", "lists", "search"]
    assert needs.at_first_sight("sacct.csv", pairs[1:2], None) == ["loop", "lists"]
    asked = needs.of_replay(policy("easy"), None, Cluster.pool(4), matter=False, stepped=True)
    assert asked == ["steps", "decide", "lists"]


@pytest.mark.slow
def test_who_has_compiled_all_compiles_nothing_more():
    list(crew.make_all(PARTS))
    done = subprocess.run(
        [sys.executable, "-m", "tests.everything_once"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert int(done.stderr.split()[-2]) > 500


@pytest.mark.slow
def test_side_by_side_from_a_script_without_a_file(tmp_path):
    """It is not run again by the workers; what they make is found."""
    done = in_a_process(
        "print('once')\n"
        "from packwise.warm_up import crew, telling\n"
        "crew._SMALL = telling._PATIENCE = 0.01\n"
        "names = ['hierarchy', 'last2', 'trees']\n"
        "crew.begin(names)\n"
        "print(len(crew._crew._families) > 0 or crew._cores() == 1)\n"
        "crew.ready(names)\n"
        "print(crew.are_ready(names), len(crew._crew._made) == 3 or crew._cores() == 1)\n",
        tmp_path,
    )
    assert done.stdout.split() == ["once", "True", "True", "True"]
    assert "... Compiling 3 parts of Packwise (estimates: hierarchy" in done.stderr
    assert {path.suffix for path in tmp_path.rglob("*") if path.is_file()} == {".kernel"}


def test_where_nothing_can_be_kept_it_is_compiled_here(tmp_path):
    nowhere = tmp_path / "file"
    nowhere.touch()
    done = in_a_process(
        "from packwise.warm_up import crew\n"
        "crew._SMALL = 0.01\n"
        "from packwise.warm_up.parts import PARTS\n"
        "crew.ready(['last2', 'trees'])\n"
        "print(PARTS['last2'].is_there, crew.are_ready(['last2', 'trees']))\n",
        nowhere,
    )
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_who_has_started_them(tmp_path, how):
    """In the middle of a part that takes long; nothing half-written is left."""
    code = (
        "import time\n"
        "from packwise.warm_up import crew\n"
        "process = crew._start()\n"
        "for name in ('last2', 'node-search'):\n"
        "    print(name, file=process.stdin, flush=True)\n"
        "assert process.stdout.readline().startswith('last2')\n"
        "print(process.pid, flush=True)\n"
        "time.sleep(1000)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )
    with parent:
        worker = int(parent.stdout.readline())
        parent.send_signal(how)
        parent.wait()
    while runs(worker):
        time.sleep(0.1)
    kept = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert [name.partition("-")[0] for name in kept] == ["last2.last2"]


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_worker_that_dies_is_no_harm(monkeypatch):
    """Who waits compiles it, and would see what is wrong."""
    here: list[str] = []
    monkeypatch.setattr(crew, "_crew", crew._Crew())
    monkeypatch.setattr(crew, "missing", list)
    monkeypatch.setattr(crew, "make", here.append)
    monkeypatch.setattr(crew, "_may_start_processes", lambda: True)
    monkeypatch.setattr(crew.sys, "executable", "/bin/false" if os.name == "posix" else "")
    crew.ready(["lists", "search"])
    assert here == ["lists", "search"]


def test_workers_have_ended_when_all_is_made(tmp_path, monkeypatch):
    """Else what the last one took of the processors would not count with the command."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(parts, "_there", set())
    monkeypatch.setattr(crew, "_may_start_processes", lambda: True)
    workers: list[subprocess.Popen[str]] = []
    start = crew._start

    def started():
        workers.append(start())
        return workers[-1]

    monkeypatch.setattr(crew, "_start", started)
    made = {one.part for one in crew.make_all(["last2", "data-driven"], 2)}
    assert made == {"last2", "data-driven"}
    assert workers
    assert {worker.returncode for worker in workers} == {0}


def assignment(names: list[str], workers: int) -> list[list[str]]:
    """Who would do what, each in no time."""
    team = crew._Crew()
    team._waiting = list(names)
    team._families = {number: set() for number in range(workers)}
    done: list[list[str]] = [[] for _ in range(workers)]
    clock = [0.0] * workers
    while team._waiting:
        number = min(range(workers), key=clock.__getitem__)
        name = team._next(number)
        assert name is not None
        done[number].append(name)
        clock[number] += PARTS[name].seconds
    return done


def test_what_is_needed_first_and_what_takes_longest():
    names = ["reader", "loop", "lists", "search"]
    assert assignment(names, 2) == [["reader", "loop", "lists"], ["search"]]
    assert assignment(names, 1) == [names]


def test_workers_stay_with_a_family():
    for each in assignment(list(PARTS), 2):
        families = [PARTS[name].family for name in each]
        changes = sum(a != b for a, b in pairwise(families))
        assert changes <= len(set(families))


def test_collecting_garbage_is_as_it_was(monkeypatch):
    import gc

    seen: list[bool] = []
    sample = Part("None", 0.0, "none", (), lambda: seen.append(gc.isenabled()))
    monkeypatch.setitem(PARTS, "none", sample)
    monkeypatch.setattr(parts, "_there", set())
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            parts.make("none")
            assert gc.isenabled() == enabled
        finally:
            gc.enable()
    assert seen == [False, False]


def test_what_is_said(capsys):
    telling.say_begin(["Event loop"], 0.5)
    assert capsys.readouterr().err == ""
    telling.say_begin(["Event loop", "List scheduling", "Slurm", "Nodes", "Plans"], 12.4)
    assert capsys.readouterr().err == (
        "... Compiling 5 parts of Packwise (event loop, list scheduling, slurm, nodes, ...), first use only, "
        "about 12 s\n"
    )


def test_nobody_need_be_there_to_be_told(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    telling.say_begin(["Event loop"], 5.0)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace())
    telling.say_begin(["Event loop"], 5.0)
