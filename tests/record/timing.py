"""Does pieces of work when told, and says what processor time each took; one process for each tree.

A line on the input names a benchmark; a line on the output is what it took, in seconds.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.record.trees import ROOT

#: What several threads take together depends on what else runs.
_ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Timer:
    """A process that does the work with the package of one tree."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.record.timing"],
            cwd=folder,
            env={**environment, **_ONE_THREAD},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def took(self, name: str) -> float:
        """What a benchmark takes once."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline()
        if not told:
            raise SystemExit(f"'{name}' could not be timed: what went wrong is above.")
        return float(told)

    def end(self) -> None:
        self._process.communicate()


@contextmanager
def timer(folder: Path = ROOT, environment: Mapping[str, str] | None = None) -> Iterator[Timer]:
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = Timer(folder, here if environment is None else environment)
    try:
        yield found
    finally:
        found.end()


def _serve() -> None:
    from tests.record.benchmarks import BENCHMARKS

    ready = {}
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            name = line.strip()
            if name not in ready:
                ready[name] = BENCHMARKS[name](Path(folder))
                ready[name]()  # once for compiled code and caches
            gc.collect()
            begin = time.process_time()
            ready[name]()
            print(time.process_time() - begin, flush=True)


if __name__ == "__main__":
    _serve()
