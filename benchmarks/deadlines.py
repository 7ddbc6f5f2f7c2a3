"""Conservative and deadline-based backfilling on the logs of N'Takpé and Suter, JSSPP 2017, as they prepared
them. Their Table 3 is the anchor: minutes on a laptop, by a simulator and a scheduler in Python.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from packwise import Cluster, Workload, simulate
from packwise.registry import policy
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.oracle.naive_scheduler import naive_replay

#: Jobs on which the naive twin is timed: Algorithm 1 word for word, capacity added up job by job.
NAIVE_JOBS = 400

SHARES = (20, 40, 60, 80)


class Log(NamedTuple):
    """A log, how the paper prepares it, what CBF and DBF must reach in seconds, and what the paper took: CBF,
    and DBF by share.
    """

    trace: str
    window: Window
    cbf: float
    dbf: float
    paper_cbf: float
    paper_dbf: tuple[float, ...]


LOGS = (
    Log(
        "SDSC-BLUE-2000-4.2-cln",
        Window(drop_queues=(0,), drop_unallocated=True),
        5,
        15,
        215,
        (273, 274, 278, 313),
    ),
    Log("SDSC-DS-2004-2.1-cln", Window(drop_partitions=(1, 3)), 2, 6, 109, (120, 133, 127, 122)),
    Log("HPC2N-2002-2.2-cln", Window(), 10, 60, 441, (1383, 1791, 2066, 1827)),
)


class Backfilled(NamedTuple):
    """One replay: the best of two, its ratio to the naive twin, and what the paper took."""

    trace: str
    jobs: int
    policy: str
    share: int
    target: float
    seconds: float
    naive_ratio: float
    paper: float

    @property
    def reached(self) -> bool:
        return self.seconds <= self.target


def backfilled(traces: Path) -> list[Backfilled]:
    """CBF, and DBF at each share, on each log."""
    found = []
    for log in LOGS:
        path = traces / f"{log.trace}.swf.gz"
        runs = [("cbf", 20, log.cbf, log.paper_cbf)]
        runs += [
            ("dbf", share, log.dbf, paper)
            for share, paper in zip(SHARES, log.paper_dbf, strict=True)
        ]
        for name, share, target, paper in runs:
            window = replace(log.window, deadlines=(f"slack(share={share}%)",))
            loaded = load_trace(path, None, window)
            seconds = min(
                simulate(loaded.workload, loaded.cluster, policy(name)).seconds for _ in range(2)
            )
            one = Backfilled(
                log.trace,
                len(loaded.workload),
                name,
                share,
                target,
                seconds,
                _naive_ratio(loaded.workload, loaded.cluster, name),
                paper,
            )
            found.append(one)
            print(
                f"{one.trace:24} {name} {share:3} %  {seconds:7.3f} s  {one.naive_ratio:8.0f} x naive  "
                f"{paper / seconds:6.0f} x the paper's  {'ok' if one.reached else 'MISSED'} (must reach "
                f"{target:g} s)",
                flush=True,
            )
    return found


def _naive_ratio(workload: Workload, cluster: Cluster, name: str) -> float:
    few = workload.select(np.arange(NAIVE_JOBS))
    begin = time.perf_counter()
    starts = naive_replay(few, cluster.procs, few.requested_time, policy(name))
    naive = time.perf_counter() - begin
    runs = [simulate(few, cluster, policy(name)) for _ in range(5)]
    assert runs[0].schedule.start.tolist() == starts
    return naive / min(run.seconds for run in runs)


def deadline_table(found: list[Backfilled]) -> list[str]:
    lines = [
        "",
        "## Promises and deadlines",
        "",
        "Conservative (`cbf`) and deadline-based (`dbf`) backfilling with requested limits, on logs prepared "
        "as by N'Takpé and Suter, JSSPP 2017; their Table 3 has what their simulation took, on a laptop. "
        f"The naive twin runs the first {NAIVE_JOBS} jobs.",
        "",
        "| log | jobs | policy | with deadlines | must reach | measured | against naive Python | paper |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in found:
        share = f"{one.share} %" if one.policy == "dbf" else ""
        measured = f"{one.seconds:.2f} s" if one.reached else f"**{one.seconds:.2f} s**"
        lines.append(
            f"| {one.trace} | {one.jobs:,} | {one.policy} | {share} | {one.target:g} s | {measured} "
            f"| {one.naive_ratio:,.0f} x | {one.paper / 60:.1f} min |"
        )
    return lines
