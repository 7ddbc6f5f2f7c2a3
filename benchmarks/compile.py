"""How long compiling takes, from nothing: everything, and what the demo needs; against another checkout.

    python -m benchmarks.compile [--against CHECKOUT] [--no-write]

Writes docs/benchmarks-compile.md. Measures processor time as well as time by the clock: on a machine that does
something else besides, the former still tells.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from packwise.files.output import atomic_output

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks-compile.md"
#: The parts that `packwise demo` compiles.
DEMO = ("lists", "loop", "reader")


class Took(NamedTuple):
    """Seconds by the clock and of the processors."""

    wall: float
    cpu: float


def measure(checkout: Path, *parts: str) -> Took:
    """Compile into an empty cache, with as many processes as the command likes."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(checkout)}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "packwise", "compile", *parts],
            env=environment,
            cwd=cache,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        wall = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(wall, cpu)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--against", type=Path, help="the root of another checkout")
    parser.add_argument("--no-write", action="store_true", help="print only")
    arguments = parser.parse_args()
    rows = [("everything", measure(ROOT)), ("what the demo needs", measure(ROOT, *DEMO))]
    if arguments.against:
        rows.append(("everything, the other checkout", measure(arguments.against.resolve())))
    for label, took in rows:
        print(f"{label:32} {took.wall:6.1f} s  {took.cpu:6.1f} s of processor time")
    if arguments.against:
        print(f"ratio of processor time: {rows[0][1].cpu / rows[2][1].cpu:.2f}")
    if not arguments.no_write:
        with atomic_output(PAGE) as file:
            file.write(page(rows).encode())


def page(rows: list[tuple[str, Took]]) -> str:
    """The page of what was measured."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    table = [f"| {label} | {took.wall:.0f} s | {took.cpu:.0f} s |" for label, took in rows]
    return "\n".join(
        [
            "# Compiling",
            "",
            "Written by `python -m benchmarks.compile --against CHECKOUT`; do not edit by hand. From an empty "
            f"cache, in as many processes as there are cores. Measured on {machine}.",
            "",
            "| what | by the clock | processor time |",
            "|---|---|---|",
            *table,
            "",
        ]
    )


if __name__ == "__main__":
    main()
