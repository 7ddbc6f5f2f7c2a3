"""Measure studies and reports, print it, and write docs/benchmarks-studies.md.

    python -m benchmarks.studies --traces DIR [--no-write]

DIR holds KTH-SP2, CTC-SP2, SDSC-SP2 and SDSC-BLUE (.swf.gz). Commands are started as a user starts them, in
processes of their own, with the compile cache warm.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.run import ROOT, machine
from packwise.experiments.provenance import code_digest
from packwise.experiments.record import sealed
from packwise.experiments.store import Store
from packwise.experiments.study_file import read_study
from packwise.experiments.work import Done, Task, perform
from packwise.files.output import atomic_output

FOUR = ("KTH-SP2", "CTC-SP2", "SDSC-SP2", "SDSC-BLUE")
TINY = """
metrics = ["BSLD", "AWF"]
replicas = 1000
[[workload]]
generate = { jobs = 10, procs = 8, seed = 1 }
[[policy]]
name = "list"
order = ["fcfs", "saf", "laf", "sjf"]
depth = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]
"""
LARGE = """
policies = ["list-reg", "easy", "easy-sjbf", "list-saf", "list-laf"]
[[workload]]
generate = { jobs = 250000, procs = 1024, load = 0.85, seed = 1 }
"""


class Row(NamedTuple):
    """One measurement; ``limit`` is what it must reach."""

    what: str
    found: float
    unit: str
    limit: float | None
    note: str = ""

    @property
    def reached(self) -> bool:
        return self.limit is None or self.found <= self.limit


def packwise(*arguments: object) -> tuple[float, str]:
    """Seconds that a command takes, and what it prints."""
    begin = time.perf_counter()
    answer = subprocess.run(
        [sys.executable, "-m", "packwise", *map(str, arguments)],
        check=True,
        capture_output=True,
        text=True,
    )
    return time.perf_counter() - begin, answer.stdout


def four_traces(folder: Path) -> Path:
    """Table II without CEA-Curie: 80 scenarios."""
    text = (ROOT / "studies" / "packing-and-fairness.toml").read_text()
    kept = [
        part for part in re.split(r"(?m)^(?=\[\[)", text) if 'archive = "CEA-Curie"' not in part
    ]
    path = folder / "four.toml"
    path.write_text("".join(kept))
    return path


def table_two(traces: Path, folder: Path) -> Iterator[Row]:
    study = four_traces(folder)
    options = ("--traces", traces, "--store")
    packwise("compile")
    processes, _ = packwise("study", "run", study, *options, folder / "processes")
    yield Row("Table II of four traces, 80 scenarios, worker processes", processes, "s", 120)
    again, _ = packwise("study", "run", study, *options, folder / "processes")
    yield Row("the same again, everything in the store", again, "s", 3)
    dask, _ = packwise("study", "run", study, *options, folder / "dask", "--dask", "local")
    overhead = 100 * (dask / processes - 1)
    yield Row(
        "Dask (`--dask local`) against worker processes", overhead, "% more", 20, f"{dask:.1f} s"
    )


def many(folder: Path) -> Iterator[Row]:
    """100,000 results, written past the store's flushing to the disk, which alone would take minutes."""
    study = folder / "tiny.toml"
    study.write_text(TINY)
    read = read_study(study)
    store = Store.open(read.store, create=True)
    model = perform(Task(read.scenarios[0], code=code_digest()))
    assert isinstance(model, Done)
    for scenario in read.scenarios:
        record = store.path(scenario.key, ".json")
        record.parent.mkdir(parents=True, exist_ok=True)
        spec = {**model.record, "key": scenario.key, "scenario": scenario.specification()}
        record.write_text(json.dumps(sealed(spec)))
        store.path(scenario.key, ".parquet").write_bytes(model.schedule)
    begin = time.perf_counter()
    store.frame()
    yield Row("100,000 results: first index", time.perf_counter() - begin, "s", None)
    listing, _ = packwise("study", "list", study)
    yield Row("100,000 results: `study list`", listing, "s", 5)
    tabling, _ = packwise("study", "table", study, "--metric", "AWF")
    yield Row("100,000 results: `study table`", tabling, "s", 5)
    rerun, _ = packwise("study", "run", study)
    yield Row("100,000 results: `study run` with nothing to do", rerun, "s", None)


def report(folder: Path) -> Iterator[Row]:
    study = folder / "large.toml"
    study.write_text(LARGE)
    packwise("study", "run", study)
    page = folder / "report.html"
    seconds, _ = packwise("report", study, "--output", page)
    size = page.stat().st_size / 1e6
    yield Row("Report of 250,000 jobs and five policies: size", size, "MB", 10)
    yield Row("Report of 250,000 jobs and five policies: time", seconds, "s", None)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--no-write", action="store_true", help="print only")
    arguments = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        traces = arguments.traces.resolve()
        for part in (table_two(traces, Path(folder)), many(Path(folder)), report(Path(folder))):
            for row in part:
                rows.append(row)
                limit = "" if row.limit is None else f"(must reach {row.limit:g})"
                missed = "" if row.reached else " MISSED"
                print(
                    f"{row.what:60} {row.found:8.2f} {row.unit} {limit}{missed} {row.note}",
                    flush=True,
                )
    if not arguments.no_write:
        write_page(rows)


def write_page(rows: list[Row]) -> None:
    lines = [
        "# Benchmarks of studies and reports",
        "",
        "Written by `python -m benchmarks.studies --traces DIR`; do not edit by hand. Commands as a user "
        f"starts them, compile cache warm. Measured on {machine()}.",
        "",
        "| what | must reach | measured |",
        "|---|---|---|",
    ]
    for row in rows:
        limit = "" if row.limit is None else f"{row.limit:g} {row.unit}"
        found = f"{row.found:.1f} {row.unit}" + (f" ({row.note})" if row.note else "")
        lines.append(f"| {row.what} | {limit} | {found if row.reached else f'**{found}**'} |")
    with atomic_output(ROOT / "docs" / "benchmarks-studies.md") as file:
        file.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
