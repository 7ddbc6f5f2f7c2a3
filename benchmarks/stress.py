"""Where time grows fastest: a queue that never empties, and a report of a million jobs.

    python -m benchmarks.stress [--no-write]

All jobs are made up. Other work on the machine lengthens every time, so ratios of the same run are told with
them. Writes docs/benchmarks-stress.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.large_site import Step, measured
from benchmarks.run import ROOT, machine
from packwise import Cluster, simulate
from packwise.files.output import atomic_output
from packwise.registry import policy
from packwise.workloads.lublin import generate

PAGE = ROOT / "docs" / "benchmarks-stress.md"
PROCS = 128
LOAD = 1.2
SIZES = (10_000, 100_000)
REPORT_JOBS = 1_000_000
REPORT_SECONDS = 60
REPORTED = ("easy", "list-saf")


class Overload(NamedTuple):
    """Replays of one log that asks for more than there is: the longest queue, and seconds of each policy."""

    jobs: int
    queue: int
    easy: float
    conservative: float


def overloaded(jobs: int) -> Overload:
    """Both policies on one log, in turn; the best of two."""
    log, cluster = generate(jobs, PROCS, 1, load=LOAD), Cluster.pool(PROCS)
    queue, times = 0, {name: float("inf") for name in ("easy", "cbf")}
    for _ in range(2):
        for name in times:
            run = simulate(log, cluster, policy(name))
            times[name] = min(times[name], run.seconds)
            queue = max(queue, int(run.rounds.queued.max()))
    found = Overload(jobs, queue, times["easy"], times["cbf"])
    print(
        f"{jobs:7} jobs at load {LOAD}: easy {found.easy:.3f} s, cbf {found.conservative:.3f} s, "
        f"{found.conservative / found.easy:.1f} x easy; queue of {queue}",
        flush=True,
    )
    return found


def report(folder: Path) -> tuple[Step, ...]:
    """A replay with one policy, which is what a report adds to, and a report of two; each a process."""
    log, policies = "million.swf.gz", ",".join(REPORTED)
    for name, jobs in (("few.swf.gz", 100), (log, REPORT_JOBS)):
        make = f"packwise workload generate {name} --jobs {jobs} --procs {PROCS} --load 0.8"
        subprocess.run([sys.executable, "-m", *make.split()], check=True, cwd=folder)
    # Once with a few, so that all is compiled before anything is measured.
    warm = f"packwise report few.swf.gz --policies {policies} -o few.html"
    subprocess.run([sys.executable, "-m", *warm.split()], check=True, cwd=folder)
    return (
        measured("Read, replayed and measured", f"packwise replay {log} --policy easy", folder),
        measured(
            "A report of two policies",
            f"packwise report {log} --policies {policies} --store runs -o million.html",
            folder,
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--no-write", action="store_true", help="print only")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    found = [overloaded(size) for size in SIZES]
    with TemporaryDirectory() as folder:
        steps = report(Path(folder))
    if not given.no_write:
        with atomic_output(PAGE) as stream:
            stream.write("\n".join(page(found, steps, load)).encode())


def page(found: list[Overload], steps: tuple[Step, ...], load: float) -> list[str]:
    """The page of what was found; ``load``: that of the machine before it began."""
    return [
        "# A queue that never empties, and a report of a million jobs",
        "",
        f"Written by `python -m benchmarks.stress`; do not edit by hand. Measured on {machine()}, compile "
        f"cache warm. Others had a load of {load:.1f} on the machine when it began: seconds by the clock are "
        "longer by that, ratios and seconds of processors change little.",
        "",
        "## Overload",
        "",
        f"Synthetic jobs (Lublin-Feitelson) that ask for {LOAD} times what {PROCS} processors can do, so the "
        "queue grows until the last has come. Conservative backfilling (`cbf`) plans every waiting job and "
        "moves plans forward whenever a job ends early; EASY (`easy`) plans one. Best of two replays, in turn.",
        "",
        "| jobs | longest queue | easy | cbf | times easy |",
        "|---|---|---|---|---|",
        *(
            f"| {one.jobs:,} | {one.queue:,} | {one.easy:.2f} s | {one.conservative:.2f} s "
            f"| {one.conservative / one.easy:.1f} |"
            for one in found
        ),
        "",
        "## A report of a million jobs",
        "",
        f"{REPORT_JOBS:,} synthetic jobs at load 0.8. Each command is a process of its own. A report measures "
        "each policy again without each part of the log, says of each user what chance could do, and draws; it "
        f"should take less than {REPORT_SECONDS} s on two cores.",
        "",
        "| what | command | time | of processors | memory |",
        "|---|---|---|---|---|",
        *(
            f"| {one.what} | `{one.command}` | {one.seconds:.0f} s | {one.busy:.0f} s "
            f"| {one.peak / 2**30:.1f} GiB |"
            for one in steps
        ),
        "",
    ]


if __name__ == "__main__":
    main()
