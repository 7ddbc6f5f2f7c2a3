"""Measure everything, print it, and write docs/benchmarks.md, its picture and benchmarks/results.json.

    python -m benchmarks.run [--traces DIR] [--no-write]

DIR holds the archive logs named in benchmarks/cases.py; without it only synthetic workloads are measured.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path

from benchmarks.cases import (
    READ_MEGABYTES,
    READ_SECONDS,
    READ_TRACE,
    REPLAYS,
    STEP_MICROSECONDS,
)
from benchmarks.deadlines import Backfilled, backfilled, deadline_table
from benchmarks.measure import (
    NAIVE_JOBS,
    Timing,
    growth_with_jobs,
    growth_with_queue,
    reading,
    stepping,
    timed,
)
from benchmarks.prediction import Predicted, prediction_table, predictions
from packwise.files.output import atomic_output

ROOT = Path(__file__).resolve().parents[1]
JOB_SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
QUEUE_SIZES = (30, 100, 300, 1_000, 3_000)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, help="folder with archive logs")
    parser.add_argument("--no-write", action="store_true", help="print only")
    arguments = parser.parse_args()
    replays: list[Timing] = []
    predicted: list[Predicted] = []
    promised: list[Backfilled] = []
    lines = []
    if arguments.traces:
        for case in REPLAYS:
            found = timed(arguments.traces, case)
            replays.append(found)
            print(
                f"{case.trace:20} {case.policy:9} {case.estimate:10} {found.seconds:8.3f} s "
                f"{found.rate:6.2f} M jobs/s  {found.rounds:7} rounds  {found.naive_ratio:8.0f} x naive"
                f"  {found.megabytes:5.0f} MB  {'ok' if found.reached else 'MISSED'} "
                f"(must reach {case.target})",
                flush=True,
            )
        seconds, megabytes, jobs = reading(arguments.traces)
        print(f"read and clean {READ_TRACE} ({jobs} jobs): {seconds:.2f} s, {megabytes:.0f} MB")
        lines += replay_table(replays)
        lines += reading_table(seconds, megabytes, jobs)
        predicted = predictions(arguments.traces)
        lines += prediction_table(predicted)
        promised = backfilled(arguments.traces)
        lines += deadline_table(promised)
    step = stepping()
    print(f"step loop: {step:.1f} microseconds a round")
    lines += [
        "",
        "## A Python policy",
        "",
        f"The step loop adds {step:.0f} microseconds to each round of a policy written in Python "
        f"(must stay below {STEP_MICROSECONDS}).",
    ]
    jobs_growth = growth_with_jobs(JOB_SIZES)
    queue_growth = growth_with_queue(QUEUE_SIZES)
    for title, sizes, growth in (
        ("seconds by number of jobs", JOB_SIZES, jobs_growth),
        ("microseconds a round by queue length", QUEUE_SIZES, queue_growth),
    ):
        print(title, *sizes)
        for name, values in growth.items():
            print(f"  {name:22}", *(f"{value:10.4g}" for value in values))
    if arguments.no_write:
        return
    plot_growth(jobs_growth, queue_growth, ROOT / "docs" / "images" / "growth.png")
    write_page(lines)
    with atomic_output(ROOT / "benchmarks" / "results.json") as file:
        results = {
            "machine": machine(),
            "replays": [r.case._asdict() | r._replace(case=None)._asdict() for r in replays],
            "predictors": [
                each.case._asdict() | {"measured": each.seconds, "requested": each.requested}
                for each in predicted
            ],
            "backfilling": [each._asdict() for each in promised],
            "jobs": {"sizes": JOB_SIZES, **jobs_growth},
            "queue": {"sizes": QUEUE_SIZES, **queue_growth},
            "step_microseconds": step,
        }
        for row in results["replays"]:
            row.pop("case")
        file.write(json.dumps(results, indent=1).encode())


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def replay_table(replays: list[Timing]) -> list[str]:
    lines = [
        "## Replays of real traces",
        "",
        "| trace | jobs | policy | estimate | must reach | measured | jobs/s | rounds | "
        "against naive Python | peak memory |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in replays:
        measured = f"{r.seconds:.3f} s" if r.reached else f"**{r.seconds:.3f} s**"
        lines.append(
            f"| {r.case.trace} | {r.jobs:,} | {r.case.policy} | {r.case.estimate} | {r.case.target} "
            f"| {measured} | {r.rate:.2f} million | {r.rounds:,} | {r.naive_ratio:,.0f} x "
            f"| {r.megabytes:.0f} MB |"
        )
    return [
        *lines,
        "",
        f"The ratio is to the naive twin in `tests/oracle` on the first {NAIVE_JOBS} jobs of the "
        "trace, in the same run; the twin gives the same schedule. Peak memory is that of a process "
        "that reads the trace and replays it.",
    ]


def reading_table(seconds: float, megabytes: float, jobs: int) -> list[str]:
    return [
        "",
        "## Reading",
        "",
        f"Reading and cleaning {READ_TRACE} ({jobs:,} jobs) takes {seconds:.2f} s and "
        f"{megabytes:.0f} MB at most (must stay below {READ_SECONDS} s and {READ_MEGABYTES} MB).",
    ]


def plot_growth(jobs: dict[str, list[float]], queue: dict[str, list[float]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    colours = ("#0072B2", "#009E73", "#D55E00", "#CC79A7", "#E69F00")
    for (name, values), colour in zip(jobs.items(), colours, strict=True):
        left.loglog(JOB_SIZES, values, "o-", label=name, color=colour)
    for (name, values), colour in zip(queue.items(), colours, strict=True):
        right.loglog(QUEUE_SIZES, values, "o-", label=name, color=colour)
    left.set(title="Whole replay, load 0.8", xlabel="jobs", ylabel="seconds")
    right.set(
        title="All jobs submitted at once", xlabel="queue length", ylabel="microseconds a round"
    )
    for axes in (left, right):
        axes.grid(True, which="major", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_output(path) as file:
        figure.savefig(file, format="png", dpi=110, metadata={"Software": None})


def write_page(lines: list[str]) -> None:
    page = [
        "# Benchmarks",
        "",
        "Written by `python -m benchmarks.run --traces DIR`; do not edit by hand. One process, compile "
        f"cache warm, read time excluded, best of two or three runs. Measured on {machine()}.",
        "",
        *lines,
        "",
        "## Growth",
        "",
        "Left: synthetic workloads (Lublin-Feitelson) of equal load, so the queue stays about as long "
        "and time grows about in proportion to the number of jobs. Right: a queue that is submitted all at "
        "once, the worst case for planning.",
        "",
        "![Time against jobs and queue length](images/growth.png)",
    ]
    with atomic_output(ROOT / "docs" / "benchmarks.md") as file:
        file.write(("\n".join(page) + "\n").encode())


if __name__ == "__main__":
    main()
