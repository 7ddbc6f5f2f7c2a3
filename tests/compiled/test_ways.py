"""The fast way to compile and the documented one give the same; the fast one is left where it does not fit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import packwise

ROOT = Path(packwise.__file__).parents[1]

SMALL = """
from packwise.compiled import _way, is_on_disk
from packwise.engine.pool.room import pool_room
from packwise.workloads.swf.scan import count_lines
import numpy as np
print(_way.__name__, is_on_disk(pool_room), pool_room.address > 0, is_on_disk(pool_room))
print(*count_lines(np.frombuffer(b"one\\ntwo\\n", np.uint8)))
"""
REPLAY = """
from packwise import Cluster, Workload, simulate
from packwise.registry import policy
jobs = Workload.of([(0, 1, 2, 3), (1, 2, 2, 2), (1, 1, 2, 2)])
for name in ("easy",):
    print(simulate(jobs, Cluster.pool(2), policy(name)).schedule.start.tolist())
"""


def run(code: str, folder: Path, plain: str = "0") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PACKWISE_PLAIN_NUMBA": plain}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.slow
def test_plain_numba_compiles_and_keeps_the_same(tmp_path):
    for there in ("False", "True"):
        done = run(SMALL, tmp_path, plain="1")
        way, *found = done.stdout.split()
        assert way == "packwise.compiled.plain_numba"
        assert found == [there, "True", "True", "2", "0"]
        assert done.stderr == ""


@pytest.mark.slow
def test_plain_numba_replays_the_same(tmp_path):
    assert run(REPLAY, tmp_path, plain="1").stdout == run(REPLAY, tmp_path).stdout != ""


NEWER = "import numba\nnumba.__version__ = '99.0'\n"


MOVED = {
    "a name": "import numba.core.sigutils\ndel numba.core.sigutils.normalize_signature\n",
    "a method": "from numba.core.compiler import CompilerBase\ndel CompilerBase.compile_extra\n",
    "an argument": (
        "from numba.core.typing.context import Context\n"
        "Context.resolve_function_type = lambda self, function: None\n"
    ),
}


@pytest.mark.parametrize(
    "moved",
    ["a method", *(pytest.param(one, marks=pytest.mark.slow) for one in ("a name", "an argument"))],
)
def test_a_numba_that_has_moved_something_is_used_plainly(tmp_path, moved):
    done = run(
        NEWER + MOVED[moved] + "import packwise.compiled as it\nprint(it._way.__name__)", tmp_path
    )
    assert done.stdout.split() == ["packwise.compiled.plain_numba"]
    warnings = [line for line in done.stderr.splitlines() if "RuntimeWarning" in line]
    assert len(warnings) == 1
    assert "numba 99.0 is not as Packwise knows it" in warnings[0]
    assert "0.61 to 0.68" in warnings[0]


@pytest.mark.slow
def test_a_newer_numba_that_fits_is_used_the_fast_way(tmp_path):
    done = run(NEWER + "import packwise.compiled as it\nprint(it._way.__name__)", tmp_path)
    assert done.stdout.split() == ["packwise.compiled.inside_numba"]
    assert done.stderr == ""


def test_the_inside_of_numba_is_used_in_one_folder():
    users = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "packwise").rglob("*.py")
        if "numba.core" in path.read_text()
    }
    allowed = {"inside_numba", "plain_numba", "told"}
    assert users == {f"packwise/compiled/{name}.py" for name in allowed}


def test_versions_that_are_promised_are_those_that_are_tried():
    from packwise.compiled import _NEWEST, _OLDEST

    project = (ROOT / "pyproject.toml").read_text()
    assert f'"numba>={_OLDEST}"' in project
    page = (ROOT / "docs" / "inside-numba.md").read_text()
    assert f"{_OLDEST} to {_NEWEST}" in page
