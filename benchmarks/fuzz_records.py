"""Damaged records of every kind, many of them: no traceback, no hang, nothing counted twice.

    python benchmarks/fuzz_records.py --count 200000 --processes 2

The same check as in the tests, on other draws. A file that takes longer than a minute is taken for a hang.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
_LONGEST = 60
_PART = 1000


def part(seed: int, count: int) -> tuple[int, int, list[str]]:
    """How many files were tried and how many could be read, and what went wrong."""
    from tests.workloads.records.fuzzing import hold
    from tests.workloads.records.mutations import damaged

    signal.signal(signal.SIGALRM, _give_up)
    read, wrong = 0, []
    with TemporaryDirectory() as folder:
        for k, (name, content) in enumerate(damaged(count, seed)):
            signal.alarm(_LONGEST)
            try:
                read += hold(Path(folder) / name, content)
            except BaseException:
                wrong.append(f"seed {seed}, file {k} ({name}):\n{traceback.format_exc(limit=-3)}")
            signal.alarm(0)
    return count, read, wrong


def _give_up(*_: object) -> None:
    raise TimeoutError("a hang")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1000)
    given = parser.parse_args()
    begin = time.perf_counter()
    seeds = range(given.seed, given.seed + -(-given.count // _PART))
    sizes = [min(_PART, given.count - _PART * k) for k in range(len(seeds))]
    tried = read = failed = 0
    with ProcessPoolExecutor(given.processes) as pool:
        for count, fine, wrong in pool.map(part, seeds, sizes):
            tried, read, failed = tried + count, read + fine, failed + len(wrong)
            for text in wrong:
                print(text)
    seconds = time.perf_counter() - begin
    print(
        f"{tried:,} damaged files, {read:,} of them could be read, {failed:,} failed; {seconds:,.0f} s"
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
