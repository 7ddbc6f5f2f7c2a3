"""How long compiling takes, from nothing: everything, what the demo needs, and the same the documented way of
numba; divided by a fixed piece of compiling in the same run, and against another checkout.

    python -m benchmarks.compile [--against CHECKOUT] [--no-write]

Writes docs/benchmarks-compile.md. Processor time is what tells: by the clock it is less the more cores there
are, and more on a machine that does something else besides.
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


def measure(checkout: Path, *arguments: str, **environment: str) -> Took:
    """What a module of Python takes, with nothing compiled before."""
    with tempfile.TemporaryDirectory() as cache:
        known = {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(checkout)}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", *arguments],
            env=os.environ | known | environment,
            cwd=cache,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        wall = time.perf_counter() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(wall, cpu)


def measure_all(other: Path | None) -> dict[str, Took]:
    """What everything takes, and the yardstick before and after."""
    measure(ROOT, "benchmarks.calibration")  # numba's own files are in memory from now on
    first = measure(ROOT, "benchmarks.calibration")
    compile_all = "packwise", "compile"
    found = {
        "everything": measure(ROOT, *compile_all),
        "what the demo needs": measure(ROOT, *compile_all, *DEMO),
        "the same, as numba documents": measure(
            ROOT, *compile_all, *DEMO, PACKWISE_PLAIN_NUMBA="1"
        ),
    }
    if other is not None:
        found["everything, the other checkout"] = measure(other, *compile_all)
    second = measure(ROOT, "benchmarks.calibration")
    found["the calibration"] = Took((first.wall + second.wall) / 2, (first.cpu + second.cpu) / 2)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--against", type=Path, help="the root of another checkout")
    parser.add_argument("--no-write", action="store_true", help="print only")
    arguments = parser.parse_args()
    found = measure_all(arguments.against and arguments.against.resolve())
    print("\n".join(table(found)))
    if not arguments.no_write:
        with atomic_output(PAGE) as file:
            file.write(page(found).encode())


def table(found: dict[str, Took]) -> list[str]:
    """The lines of a table of what was measured."""
    unit = found["the calibration"].cpu
    return [
        "| what | by the clock | processor time | over the calibration |",
        "|---|---|---|---|",
        *(
            f"| {label} | {took.wall:.0f} s | {took.cpu:.0f} s | {took.cpu / unit:.1f} |"
            for label, took in found.items()
        ),
    ]


def page(found: dict[str, Took]) -> str:
    """The page of what was measured."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return "\n".join(
        [
            "# Compiling",
            "",
            "Written by `python -m benchmarks.compile --against CHECKOUT`; do not edit by hand. From an empty "
            f"cache, in as many processes as there are cores. Measured on {machine}.",
            "",
            "The calibration is a fixed piece of compiling (`benchmarks/calibration.py`), not of Packwise: "
            "what is divided by it holds on other machines. What is gained [inside numba](inside-numba.md) is "
            "the difference of the second and the third line.",
            "",
            *table(found),
            "",
        ]
    )


if __name__ == "__main__":
    main()
