"""What the balanced policy costs: against objective=P2SF, and on five million jobs. Fills in docs/balanced.md.

python -m benchmarks.balanced --traces TRACES [--no-write]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from packwise import Cluster, Workload, load_workload, simulate
from packwise.files.output import atomic_output
from packwise.registry import policy
from scripts.page import filled

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "balanced.md"
LOGS = ("KTH-SP2", "SDSC-SP2", "Theta-2022")
REPEATS = 3
MOST_RATIO = 1.5
JOBS, PROCS, MOST_SECONDS = 5_000_000, 1024, 120.0


def milliseconds_a_round(workload: Workload, cluster: Cluster, name: str) -> float:
    """Processor time of a replay, divided by the rounds that were searched."""
    begin = time.process_time()
    run = simulate(workload, cluster, policy(name))
    spent = time.process_time() - begin
    return 1000.0 * spent / float((run.rounds.notes["evaluations"] > 0).sum())


def short_queue(jobs: int, procs: int, seed: int = 1) -> Workload:
    """Jobs of minutes to hours at a load of 0.7: some wait, few at a time."""
    chance = np.random.default_rng(seed)
    demand = 2 ** chance.integers(0, 7, jobs)
    runtime = np.maximum(chance.lognormal(6.5, 1.5, jobs).astype(np.int64), 1)
    gap = float((demand * runtime).sum()) / (0.7 * procs * jobs)
    return Workload(
        name="short queue",
        id=np.arange(1, jobs + 1),
        submit=np.cumsum(chance.exponential(gap, jobs)).astype(np.int64),
        demand=demand,
        runtime=runtime,
        requested_time=runtime * chance.integers(1, 5, jobs),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--no-write", action="store_true")
    given = parser.parse_args()
    rows = ["| log | objective=P2SF, ms a searched round | balanced | ratio |", "|---|---|---|---|"]
    for log in LOGS:
        loaded = load_workload(given.traces / f"{log}.swf.gz")
        pairs = np.array(
            [
                [
                    milliseconds_a_round(loaded.workload, loaded.cluster, name)
                    for name in ("packwise(objective=P2SF)", "packwise")
                ]
                for _ in range(REPEATS)
            ]
        )
        before, after = pairs.min(axis=0)
        print(
            f"{log}: {before:.3f} -> {after:.3f} ms, ratio {after / before:.2f} (must reach {MOST_RATIO})"
        )
        rows.append(f"| {log} | {before:.2f} | {after:.2f} | {after / before:.2f} |")
    workload = short_queue(JOBS, PROCS)
    run = simulate(workload, PROCS, policy("packwise"))
    waited = float((run.schedule.start > workload.submit).mean())
    print(
        f"{JOBS:,} jobs: {run.seconds:.0f} s (must reach {MOST_SECONDS:.0f}), {waited:.1%} waited"
    )
    text = "\n".join(rows) + (
        f"\n\nIn turn, the best of {REPEATS}; it must stay below {MOST_RATIO}. Five million jobs of a log "
        f"with a short queue ({100 * waited:.0f} % of the jobs wait at all) take {run.seconds:.0f} s; it must "
        f"stay below {MOST_SECONDS:.0f}."
    )
    if not given.no_write:
        page = filled(PAGE.read_text(), {"speed": text})
        with atomic_output(PAGE) as stream:
            stream.write(page.encode())


if __name__ == "__main__":
    main()
