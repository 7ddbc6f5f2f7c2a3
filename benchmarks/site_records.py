"""How fast a site's own records are read: a million lines of sacct, and the other formats beside it.

    python -m benchmarks.site_records --traces DIR

The lines are those of the two real dumps, over and over, each time later and with other ids. Each measurement
is a process of its own: from the first byte to jobs that can be replayed, imports included. The naive way is
Python's csv module with a dict for each line, which parses nothing. Writes docs/benchmarks-records.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.workloads.records import site

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks-records.md"
DUMPS = ("sacct-phillips-2016.txt.gz", "sacct-pozidriv-2016.txt.gz")
_MOMENTS = (10, 11, 12, 13)
_LAYOUT = "%Y-%m-%dT%H:%M:%S"
_DAYS = 11
_READ = """
import json, re, sys, time
from pathlib import Path
begin = time.perf_counter()
from packwise.workloads.loading import load_workload
loaded = load_workload(sys.argv[1])
print(json.dumps({
    "seconds": time.perf_counter() - begin,
    "megabytes": int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024,
    "records": loaded.report.jobs_read,
    "kept": loaded.report.jobs_kept,
}))
"""
_NAIVE = """
import csv, json, sys, time
begin = time.perf_counter()
with open(sys.argv[1], newline="") as stream:
    names = [str(k) for k in range(26)]
    rows = sum(1 for _ in csv.DictReader(stream, names, delimiter="|", quoting=csv.QUOTE_NONE))
print(json.dumps({"seconds": time.perf_counter() - begin, "records": rows}))
"""


class Measured(NamedTuple):
    """One file read."""

    what: str
    must: str
    size: float
    seconds: float
    megabytes: float
    records: int
    kept: int


def million(traces: Path, path: Path, lines: int) -> None:
    """So many lines of sacct."""
    rows = [
        line.split("|")
        for name in DUMPS
        for line in gzip.decompress((traces / name).read_bytes()).decode().splitlines()
    ]
    with path.open("w") as stream:
        for k in range(lines):
            again, place = divmod(k, len(rows))
            cells = list(rows[place])
            cells[0] = cells[1] = str(2_000_000 + k)
            cells[2] = "site"  # of two clusters one would have to be picked
            later = timedelta(days=_DAYS * again)
            for moment in _MOMENTS:
                try:
                    at = datetime.strptime(cells[moment], _LAYOUT)
                except ValueError:
                    continue
                cells[moment] = (at + later).strftime(_LAYOUT)
            stream.write("|".join(cells) + "\n")


def measured(what: str, must: str, path: Path) -> Measured:
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    told = json.loads(done.stdout)
    size = path.stat().st_size / 1e6
    found = Measured(
        what, must, size, *(told[key] for key in ("seconds", "megabytes", "records", "kept"))
    )
    print(f"{what}: {found.seconds:.1f} s, {found.megabytes:,.0f} MB, {found.records:,} records")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--lines", type=int, default=1_000_000)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "sacct.txt"
        million(given.traces, plain, given.lines)
        packed = Path(folder) / "sacct.txt.gz"
        with plain.open("rb") as source, gzip.open(packed, "wb", compresslevel=1) as stream:
            shutil.copyfileobj(source, stream)
        found = [
            measured(f"`sacct -P`, {given.lines:,} lines", "10 s, 1,000 MB", plain),
            measured("the same, gzip", "", packed),
        ]
        done = subprocess.run(
            [sys.executable, "-c", _NAIVE, str(plain)], capture_output=True, text=True, check=True
        )
        naive = json.loads(done.stdout)["seconds"]
        jobs = site.jobs(100_000)
        others: dict[str, Callable[[], str]] = {
            "`sacct --json`": lambda: site.sacct_json(jobs, newer=True),
            "`jobcomp/filetxt`": lambda: site.filetxt(jobs),
            "PBS accounting (three records a job)": lambda: site.pbs(jobs),
            "Batsim workload": lambda: site.batsim(jobs),
        }
        for what, write in others.items():
            path = Path(folder) / "other"
            path.write_text(write())
            found.append(measured(f"{what}, {len(jobs):,} jobs", "", path))
    _write(found, naive)


def _write(found: list[Measured], naive: float) -> None:
    lines = [
        "# Benchmarks of reading a site's records",
        "",
        "Written by `python -m benchmarks.site_records --traces DIR`; do not edit by hand. From the first "
        f"byte to jobs that can be replayed, a process each. Measured on {platform.machine()}, Python "
        f"{platform.python_version()}, {time.strftime('%Y-%m')}.",
        "",
        "| what | must reach | file | time | memory | records | jobs kept |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.what} | {one.must} | {one.size:,.0f} MB | {one.seconds:.1f} s | {one.megabytes:,.0f} MB | "
        f"{one.records:,} | {one.kept:,} |"
        for one in found
    ]
    ratio = naive / found[0].seconds
    lines += [
        "",
        f"Python's csv module takes {ratio:.1f} times as long as Packwise for the first file, to make a dict "
        "of each line and nothing more.",
        "",
    ]
    PAGE.write_text("\n".join(lines))
    print(f"Wrote {PAGE}; csv alone takes {ratio:.1f} times as long")


if __name__ == "__main__":
    main()
