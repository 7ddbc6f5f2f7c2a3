"""Measuring: replays against their naive twin, reading, stepping, growth."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.cases import READ_TRACE, Replay
from packwise import Cluster, Decision, View, Workload, load_workload, simulate
from packwise.registry import estimate, policy
from packwise.workloads.lublin import generate
from tests.oracle.naive_scheduler import naive_replay

#: Jobs on which the naive twin is timed: it takes seconds where the engine takes milliseconds.
NAIVE_JOBS = 1500


class Timing(NamedTuple):
    """One replay, and how many times faster it is than the naive twin on its first jobs."""

    case: Replay
    jobs: int
    rounds: int
    seconds: float
    naive_ratio: float
    megabytes: float

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds / 1e6

    @property
    def reached(self) -> bool:
        if self.case.seconds:
            return self.seconds <= self.case.seconds
        return self.rate >= (self.case.rate or 0)


def best_of(repeats: int, workload: Workload, cluster: Cluster, case: Replay) -> tuple[float, int]:
    """Engine seconds of the best run, and its rounds."""
    runs = [
        simulate(workload, cluster, policy(case.policy), estimate(case.estimate))
        for _ in range(repeats)
    ]
    return min(run.seconds for run in runs), len(runs[0].rounds)


def timed(traces: Path, case: Replay) -> Timing:
    """Time one case, and its ratio to the naive twin in the same process."""
    loaded = load_workload(traces / f"{case.trace}.swf.gz", procs=case.procs)
    workload, cluster = loaded.workload, loaded.cluster
    seconds, rounds = best_of(3 if len(workload) < 250_000 else 2, workload, cluster, case)
    return Timing(
        case,
        len(workload),
        rounds,
        seconds,
        _naive_ratio(workload, cluster, case),
        _peak_of_replay(traces, case),
    )


def _naive_ratio(workload: Workload, cluster: Cluster, case: Replay) -> float:
    few = workload.select(np.arange(NAIVE_JOBS))
    begin = time.perf_counter()
    starts = naive_replay(
        few, cluster.procs, estimate(case.estimate).estimates(few), policy(case.policy)
    )
    naive = time.perf_counter() - begin
    run = simulate(few, cluster, policy(case.policy), estimate(case.estimate))
    assert run.schedule.start.tolist() == starts
    return naive / best_of(5, few, cluster, case)[0]


def _peak_of_replay(traces: Path, case: Replay) -> float:
    """Peak memory in MB of a process that reads the trace and replays it."""
    code = (
        "from packwise import load_workload, simulate;"
        "from packwise.registry import estimate, policy;"
        f"l = load_workload({str(traces / (case.trace + '.swf.gz'))!r}, procs={case.procs});"
        f"simulate(l.workload, l.cluster, policy({case.policy!r}), estimate('exact'));"
        f"{_PEAK}"
    )
    return _kilobytes(code) / 1000


def reading(traces: Path) -> tuple[float, float, int]:
    """Seconds (warm), peak MB of a process that does only this, and jobs: read and clean one trace."""
    path = traces / f"{READ_TRACE}.swf.gz"
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        jobs = len(load_workload(path).workload)
        times.append(time.perf_counter() - begin)
    code = f"from packwise import load_workload;load_workload({str(path)!r});{_PEAK}"
    return min(times), _kilobytes(code) / 1000, jobs


#: The high-water mark of this process alone; getrusage would count its parent's too.
_PEAK = (
    "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"
)


def _kilobytes(code: str) -> int:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


def stepping() -> float:
    """Microseconds that the step loop adds to a round of a Python policy."""

    class First:
        name = "first"

        def decide(self, view: View) -> Decision:
            if view.queue.size and view.demand[view.queue[0]] <= view.free:
                return Decision(start=view.queue[:1])
            return Decision()

    workload = generate(10_000, 128, 1, load=0.6)
    best = np.inf
    for _ in range(3):
        run = simulate(workload, Cluster.pool(128), First())
        assert run.rounds.seconds is not None
        best = min(best, (run.seconds - run.rounds.seconds.sum()) / len(run.rounds) * 1e6)
    return float(best)


GROWTH = (
    ("easy", "requested"),
    ("list-reg", "exact"),
    ("list-reg", "requested"),
    ("list-laf", "requested"),
    ("cbf", "requested"),
)


def growth_with_jobs(sizes: tuple[int, ...]) -> dict[str, list[float]]:
    """Seconds against the number of jobs, on synthetic workloads of equal load."""
    found: dict[str, list[float]] = {f"{p}, {e}": [] for p, e in GROWTH}
    for size in sizes:
        workload = generate(size, 256, 1, load=0.8)
        for name, belief in GROWTH:
            case = Replay("", name, belief)
            found[f"{name}, {belief}"].append(best_of(2, workload, Cluster.pool(256), case)[0])
    return found


def growth_with_queue(sizes: tuple[int, ...]) -> dict[str, list[float]]:
    """Microseconds per round against the length of a queue that is submitted all at once."""
    found: dict[str, list[float]] = {f"{p}, {e}": [] for p, e in GROWTH}
    for size in sizes:
        base = generate(size, 256, 1)
        workload = base.replace(submit=np.zeros(size, np.int64))
        for name, belief in GROWTH:
            case = Replay("", name, belief)
            seconds, rounds = best_of(2, workload, Cluster.pool(256), case)
            found[f"{name}, {belief}"].append(seconds / rounds * 1e6)
    return found
