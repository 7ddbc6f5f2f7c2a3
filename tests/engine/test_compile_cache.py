"""The compile cache: kept between processes, dropped when anything changes that compiled code was made of."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import packwise

STAMPS = """
import sys
from packwise.engine.loop import run
from packwise.engine.pool.list_round import list_round
from packwise.optimise.kernels.search_round import search_round
from packwise.workloads.swf.scan import scan
kernels = (k._function_of_numba for k in (list_round, search_round))
for function in (run, *kernels, scan):
    print(hash(str(function._cache._cache_file._source_stamp)))
"""


def stamps(folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", STAMPS],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "0", "PATH": "/usr/bin", "NUMBA_CACHE_DIR": str(folder / "cache")},
    )
    return done.stdout.split()


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    source = Path(packwise.__file__).parent
    shutil.copytree(source, folder / "packwise", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize(
    ("changed", "who"),
    [
        ("engine/pool/profile.py", {"run", "list_round", "search_round", "scan"}),
        ("model/workload.py", {"run", "list_round", "search_round", "scan"}),
        ("compiled.py", {"run", "list_round", "search_round", "scan"}),
        ("optimise/kernels/cost.py", {"search_round"}),
        ("workloads/swf/fields.py", {"scan"}),
        ("readable.py", set()),
    ],
)
def test_a_change_drops_what_was_made_of_it(copy, changed, who):
    """``scan`` freezes the fields of the format and the largest number of the model."""
    path = copy / "packwise" / changed
    text = path.read_text()
    before = stamps(copy)
    path.write_text(text + "\n# changed\n")
    after = stamps(copy)
    path.write_text(text)
    names = ("run", "list_round", "search_round", "scan")
    found = {name for name, a, b in zip(names, before, after, strict=True) if a != b}
    assert found == who


def test_a_second_process_does_not_compile_again():
    code = (
        "from dataclasses import replace\n"
        "from numba.core import event\n"
        "from packwise import Cluster, ConservativePolicy, ListPolicy, Workload, order_key, simulate\n"
        "from packwise.energy.finding import find_energy\n"
        "from packwise.registry import policy\n"
        "class Said(event.Listener):\n"
        "    def on_start(self, happening):\n"
        "        function = happening.data['dispatcher'].py_func\n"
        "        if function.__module__.startswith('packwise.'):\n"
        "            print(function.__module__, function.__name__)\n"
        "    def on_end(self, happening):\n"
        "        pass\n"
        "event.register('numba:compile', Said())\n"
        "def widest(demand): return -demand\n"
        "jobs = Workload.of([(0, 1, 2, 3), (1, 2, 2, 2)])\n"
        "chosen = ListPolicy(), ListPolicy(order=order_key(widest)), ConservativePolicy(), policy('dbf')\n"
        "machine = replace(Cluster.pool(2), energy=find_energy('market'))\n"
        "for one in (*chosen, policy('packwise'), policy('packwise(energy=0.3)')):\n"
        "    for stepped in (False, True):\n"
        "        simulate(jobs, machine, one, stepped=stepped)\n"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert done.stdout == ""


def test_who_can_keep_nothing_compiles_all_the_same():
    """An account of the system without a home, to which the package is read-only."""
    code = (
        "from packwise.compiled import compiled, is_on_disk\n"
        "from packwise.engine.loop import run\n"
        "from packwise.engine.pool.room import pool_room\n"
        "def twice(x):\n"
        "    return 2 * x\n"
        "print(compiled(twice)(21), is_on_disk(run), is_on_disk(pool_room), pool_room.address > 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(packwise.__file__).parents[1],
        # Only for what is typed into a notebook: so there is no place for anything here.
        env={"PATH": "/usr/bin", "NUMBA_CACHE_LOCATOR_CLASSES": "IPythonCacheLocator"},
    )
    assert done.stdout.split() == ["42", "False", "False", "True"]
