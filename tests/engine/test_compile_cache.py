"""The compile cache: kept between processes, dropped when any source of the engine changes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import packwise

STAMP = (
    "from packwise.engine.list_loop import run_list;"
    "print(run_list._cache._cache_file._source_stamp)"
)


def stamp(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", STAMP], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_change_in_any_source_of_the_engine_drops_the_cache(tmp_path):
    source = Path(packwise.__file__).parent
    shutil.copytree(source, tmp_path / "packwise", ignore=shutil.ignore_patterns("__pycache__"))
    before = stamp(tmp_path)
    assert stamp(tmp_path) == before
    profile = tmp_path / "packwise" / "engine" / "profile.py"
    profile.write_text(profile.read_text() + "\n# changed\n")
    assert stamp(tmp_path) != before


def test_a_second_process_does_not_compile_again():
    """The loops load from the cache; only then is ``make install`` worth its minute."""
    code = (
        "from packwise import Cluster, ConservativePolicy, ListPolicy, Workload, order_key, simulate\n"
        "from packwise.engine.conservative import run_conservative\n"
        "from packwise.engine.list_loop import run_list\n"
        "def widest(demand): return -demand\n"
        "jobs = Workload.of([(0, 1, 2, 3), (1, 2, 2, 2)])\n"
        "for policy in (ListPolicy(), ListPolicy(order=order_key(widest)), ConservativePolicy()):\n"
        "    simulate(jobs, Cluster.pool(2), policy)\n"
        "print(sum(run_list.stats.cache_misses.values()), "
        "sum(run_conservative.stats.cache_misses.values()))\n"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert done.stdout.split() == ["0", "0"]
