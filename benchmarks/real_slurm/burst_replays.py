"""The bursty workloads replayed: what limits of whole minutes do to the comparison.

    python -m benchmarks.real_slurm.burst_replays

Ten workloads (seeds that took no part in the runs) on 16 nodes, with times as they are and four times as
long; packwise against EASY, planned with limits and with exact run times. Writes ``burst_replays.json``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.real_slurm.burst import NODES, workload
from packwise import simulate
from packwise.metrics import metric
from packwise.model.cluster import Cluster
from packwise.model.workload import Workload

RESULTS = Path(__file__).parent / "burst_replays.json"
METRICS = ("AF", "AWF", "BSLD", "P2SF")
SEEDS = range(11, 21)


def jobs(seed: int, times: int) -> Workload:
    """A workload with times so many times as long; limits are whole minutes."""
    drawn = workload(seed, 200, times)
    return Workload(
        name="burst",
        id=np.arange(1, len(drawn) + 1),
        submit=np.array([int(one.at) for one in drawn]),
        demand=np.array([one.nodes for one in drawn]),
        runtime=np.array([one.seconds for one in drawn]),
        requested_time=np.array([60 * one.minutes for one in drawn]),
        user=np.zeros(len(drawn), np.int64),
    )


def main() -> None:
    found = []
    cluster = Cluster.pool(NODES)
    for times in (1, 4):
        for estimate in ("requested", "exact"):
            changes = []
            for seed in SEEDS:
                log = jobs(seed, times)
                runs = [
                    simulate(log, cluster, policy, estimate).schedule
                    for policy in ("easy", "packwise")
                ]
                base, ours = (
                    np.array([metric(name).compute(log, cluster, one) for name in METRICS])
                    for one in runs
                )
                changes.append(100 * (ours / base - 1))
            table = np.array(changes)
            row = {
                "times": times, "estimate": estimate, "change": table.mean(axis=0).tolist(),
                "error": (table.std(axis=0, ddof=1) / np.sqrt(len(table))).tolist(),
            }  # fmt: skip
            print(row, flush=True)
            found.append(row)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
