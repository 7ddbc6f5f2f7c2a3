"""A year of a large site on one machine: 44 million jobs read, summarised, replayed and measured.

    python -m benchmarks.large_site [--jobs N] [--folder DIR] [--no-write]

The jobs are made up (benchmarks/large_site_jobs.py) and written as a Parquet table into DIR, a folder that goes
away at the end unless it is given; a table that is there already is used again. Every command is a process of
its own, as a user starts it, with the compile cache warm. Writes docs/benchmarks-large.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.large_site_jobs import PROCS, YEAR_JOBS, write_site
from packwise.files.output import atomic_output

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks-large.md"


class Step(NamedTuple):
    """One command: how long it took, by the clock and of processors, and the most memory that it had."""

    what: str
    command: str
    seconds: float
    busy: float
    peak: float
    printed: str


def site_file(jobs: int) -> str:
    return f"site-{jobs}.parquet"


def measured(what: str, command: str, folder: Path) -> Step:
    """Run a command in a folder."""
    begin = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", *command.split()], stdout=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if process.returncode:
        sys.exit(f"{command}: exit status {process.returncode}")
    busy = used.ru_utime + used.ru_stime
    step = Step(what, command, seconds, busy, 1024 * used.ru_maxrss, printed)
    memory = f"{step.peak / 2**30:.1f} GiB"
    print(f"{what}: {seconds:.0f} s, {busy:.0f} s of processors, {memory}\n{printed}", flush=True)
    return step


def steps(jobs: int, folder: Path) -> list[Step]:
    """The table of jobs, if it is not there yet, and all that is done with it."""
    site, plan = site_file(jobs), f"plan-{jobs}.parquet"
    if not (folder / site).exists():
        write_site(folder / site, jobs)
    subprocess.run([sys.executable, "-m", "packwise", "compile"], check=True)
    return [
        measured("Read and summarised", f"packwise workload info {site}", folder),
        measured(
            "Read, replayed, measured, and the schedule written",
            f"packwise replay {site} --policy easy --output {plan}",
            folder,
        ),
        measured("The schedule read, checked and measured", f"packwise metrics {plan}", folder),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=YEAR_JOBS)
    parser.add_argument("--folder", type=Path, help="where the tables are kept")
    parser.add_argument("--no-write", action="store_true", help="print only")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    with TemporaryDirectory() as made:
        folder = Path(made) if given.folder is None else given.folder.resolve()
        found = steps(given.jobs, folder)
        size = (folder / site_file(given.jobs)).stat().st_size
    if not given.no_write:
        with atomic_output(PAGE) as stream:
            stream.write("\n".join(page(given.jobs, size, found, load)).encode())


def page(jobs: int, size: int, found: list[Step], load: float) -> list[str]:
    """The page of what was found; ``load``: that of the machine before it began."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    summarised, replayed = found[0].printed, found[1].printed
    return [
        "# A year of a large site",
        "",
        "Written by `python -m benchmarks.large_site`; do not edit by hand. Measured on "
        f"{platform.machine()} with {os.cpu_count()} cores and {memory / 2**30:.0f} GiB, Python "
        f"{platform.python_version()}, {time.strftime('%Y-%m')}.",
        "",
        f"{jobs:,} jobs on {PROCS:,} processors, made up: five partitions, from seconds on a core to hours on "
        "hundreds, submitted in arrays by 3,000 users of 400 accounts, more by day than by night and at "
        "weekends, so that there is a queue of thousands by day, which is gone by most mornings. One Parquet "
        f"file of {size / 1e6:,.0f} MB. Each command is a process of its own, compile cache warm; memory is "
        "the most that was resident at any moment. Others had a load of "
        f"{load:.1f} on the machine when it began: the more that is, the longer it takes by the clock, while "
        "the time of processors changes little.",
        "",
        "| what | command | time | of processors | memory | of a job |",
        "|---|---|---|---|---|---|",
        *(
            f"| {one.what} | `{one.command}` | {one.seconds:,.0f} s | {one.busy:,.0f} s | "
            f"{one.peak / 2**30:.1f} GiB | {one.busy / jobs * 1e6:.1f} µs, {one.peak / jobs:.0f} bytes |"
            for one in found
        ),
        "",
        "What the summary begins with, and what the replay shows:",
        "",
        "```text",
        *summarised.rstrip().split("\n")[:3],
        "",
        *(line.rstrip() for line in replayed.rstrip().split("\n")),
        "```",
        "",
        "Time and memory grow with the number of jobs, and time with the longest queue, too, as EASY looks at "
        "all who wait: `--jobs 4000000` is a month of the same site. A column of job names takes more, four "
        "bytes for each character of the longest in every job; so do policies that plan reservations, which "
        "keep a profile. A table of another kind that `--map` explains takes more than twice as much to read, "
        "2.4 GB for 4 million jobs when we looked: by that, 44 million do not fit into 24 GiB. Read such a one "
        "in parts.",
        "",
    ]


if __name__ == "__main__":
    main()
