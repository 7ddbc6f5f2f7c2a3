"""What is timed: a piece of work that is made ready once, and done again and again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from packwise import Cluster, Workload, read, simulate
from packwise.model.workload import NO_DEADLINE
from packwise.workloads.lublin import generate
from tests.record.workloads import gpus

Work = Callable[[], object]
_PROCS = 128


def _pool(policy: str, jobs: int, **told: bool) -> Work:
    work = generate(jobs, _PROCS, 1, load=0.9)
    cluster = Cluster.pool(_PROCS)
    return lambda: simulate(work, cluster, policy, **told)


def _with_deadlines(jobs: int) -> Work:
    work = generate(jobs, _PROCS, 2, load=0.9)
    due = np.where(work.id % 2 == 0, work.submit + 3 * work.requested_time, NO_DEADLINE)
    work = work.replace(deadline=due)
    cluster = Cluster.pool(_PROCS)
    return lambda: simulate(work, cluster, "dbf")


def _nodes(policy: str, jobs: int) -> Work:
    case = gpus(jobs, gap=170)
    return lambda: simulate(case.workload, case.cluster, policy, reject_too_large=True)


def _log(jobs: int, folder: Path) -> Work:
    path = folder / "log.swf"
    path.write_text(_swf(generate(jobs, _PROCS, 3)), encoding="utf-8")
    return lambda: read(path)


def _swf(work: Workload) -> str:
    columns = (work.id, work.submit, work.runtime, work.demand, work.requested_time)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    lines = [
        f"{id} {submit} -1 {runtime} {demand} -1 -1 {demand} {limit} -1 1 1 1 1 1 1 -1 -1"
        for id, submit, runtime, demand, limit in rows
    ]
    return f"; MaxProcs: {_PROCS}\n" + "\n".join(lines) + "\n"


def _calibration() -> Work:
    """Nothing of Packwise: how fast the machine is just now, at loops and at arrays."""
    column = np.random.default_rng(1).random(300_000)

    def work() -> float:
        total = 0
        for number in range(400_000):
            total += number & 7
        return float(np.sort(column)[::2].sum()) + total

    return work


CALIBRATION = "calibration"
#: How each is made ready, given a folder for files.
BENCHMARKS: dict[str, Callable[[Path], Work]] = {
    CALIBRATION: lambda _: _calibration(),
    "easy on a pool": lambda _: _pool("easy", 50_000),
    "cbf on a pool": lambda _: _pool("cbf", 5_000),
    "list-saf on a pool": lambda _: _pool("list-saf", 30_000),
    "easy on nodes": lambda _: _nodes("easy", 2_500),
    "list-saf on nodes": lambda _: _nodes("list-saf", 1_500),
    "rounds that are searched": lambda _: _pool("packwise", 300),
    "easy asked by decide": lambda _: _pool("easy", 300, stepped=True),
    "deadline-based backfilling": lambda _: _with_deadlines(8_000),
    "a log that is read": lambda folder: _log(60_000, folder),
}
