"""A bursty workload on a real Slurm: as it is, tuned and steered, at the same time and with the same jobs.

    python -m benchmarks.real_slurm.burst --seeds 1,2,3 --times 4    # an hour each; see small for packages

Each way has a cluster of its own; all run side by side, so that whatever else the machine does is the same for
all. Appends to ``bursts.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.real_slurm.small import QUICK, Job, SmallSlurm
from packwise.metrics import metric
from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.model.workload import Workload

RUNS = Path(__file__).parent / "bursts.jsonl"
NODES, CORES = 16, 4
METRICS = ("AF", "AWF", "BSLD", "P2SF", "wait", "utilization")


class Way(NamedTuple):
    """How the queue is served: lines of slurm.conf, and what Packwise is told, if it has a part."""

    name: str
    site: str
    packwise: tuple[str, ...] = ()


WAYS = (
    Way("Slurm, default parameters", ""),
    Way("Slurm, tuned parameters", QUICK),
    # Its plans count in minutes unless told otherwise: long for jobs of seconds.
    Way("Slurm, tuned, to the second", QUICK.rstrip("\n") + ",bf_resolution=1\n"),
    Way("steer", QUICK, ("steer", "--policy", "packwise", "--band", "100000", "--no-forecast")),
)


class Submission(NamedTuple):
    """A job: when it comes, how long it sleeps, what it asks for."""

    at: float
    seconds: int
    minutes: int
    nodes: int


def workload(seed: int, count: int, times: int = 1) -> list[Submission]:
    """Jobs in bursts; a busy site's times divided by two hundred or so, since they pass in real time, and then
    ``times`` as long.
    """
    rng = np.random.default_rng((21, seed))
    seconds = times * np.clip(rng.lognormal(np.log(12), 1.0, count), 2, 120).astype(int)
    nodes = rng.choice([1, 2, 3, 4, 6, 8, 16], count, p=(0.35, 0.2, 0.1, 0.15, 0.1, 0.07, 0.03))
    minutes = np.ceil(seconds * rng.choice([1.1, 1.5, 2, 4], count) / 60).astype(int)
    length = float((seconds * nodes).sum()) / NODES
    bursts = rng.uniform(0, 0.85 * length, max(count // 20, 1))
    at = np.sort(
        np.where(
            rng.random(count) < 0.7, rng.choice(bursts, count), rng.uniform(0, 0.85 * length, count)
        )
    )
    return [
        Submission(*row)
        for row in zip(at.tolist(), seconds.tolist(), minutes.tolist(), nodes.tolist(), strict=True)
    ]


def run(
    way: Way, jobs: Sequence[Submission], interval: float, folder: Path, found: dict[str, object]
) -> None:
    """Submit the jobs when they come, wait until all have ended, measure."""
    slurm = SmallSlurm(folder, NODES, CORES, way.site + "MaxJobCount=20000\nMinJobAge=100000\n")
    daemon: subprocess.Popen[bytes] | None = None
    try:
        if way.packwise:
            options = ("--interval", str(interval), "--state", str(folder / "live"))
            daemon = slurm.packwise(*way.packwise, *options)
            slurm.wait("Packwise", (folder / "live/status.json").exists)
        begin = time.monotonic()
        ids = []
        for job in jobs:
            time.sleep(max(begin + job.at - time.monotonic(), 0))
            asked = ("-N", str(job.nodes), "--exclusive")
            ids.append(slurm.submit(*asked, seconds=job.seconds, minutes=job.minutes))
        slurm.wait("the end", slurm.ended, 7200)
        ended = slurm.jobs()
        found[way.name] = measure(jobs, [ended[id] for id in ids])
    finally:
        if daemon is not None:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait(60)
        slurm.end()


def measure(jobs: Sequence[Submission], ended: Sequence[Job]) -> dict[str, float]:
    """The metrics of what has happened."""
    lost = [job.id for job in ended if job.state != "COMPLETED"]
    if lost:
        raise SystemExit(f"jobs have not completed: {lost}")
    submit = np.array([job.submit for job in ended])
    start, end = (np.array([getattr(job, name) for job in ended]) for name in ("start", "end"))
    runtime = np.maximum(end - start, 1)
    log = Workload(
        name="burst",
        id=np.array([int(job.id) for job in ended]),
        submit=submit - submit.min(),
        demand=np.array([job.nodes for job in jobs]),
        runtime=runtime,
        requested_time=np.maximum(np.array([60 * job.minutes for job in jobs]), runtime),
        user=np.zeros(len(jobs), np.int64),
    )
    schedule = Schedule(start - submit.min(), start - submit.min() + runtime)
    return {
        name: float(metric(name).compute(log, Cluster.pool(NODES), schedule)) for name in METRICS
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--interval", type=float, default=1.0)
    parser.add_argument("--way", action="append", choices=[way.name for way in WAYS])
    given = parser.parse_args()
    ways = [way for way in WAYS if given.way is None or way.name in given.way]
    for seed in map(int, given.seeds.split(",")):
        jobs = workload(seed, given.count, given.times)
        found: dict[str, object] = {}
        with TemporaryDirectory(prefix="packwise-burst-") as work:
            os.chmod(work, 0o755)  # munge wants its socket to be reached by all
            threads = []
            for k, way in enumerate(ways):
                told = (way, jobs, given.interval, Path(work) / str(k), found)
                thread = threading.Thread(target=run, args=told)
                thread.start()
                threads.append(thread)
                time.sleep(2)  # each looks for free ports
            for thread in threads:
                thread.join()
        if len(found) < len(ways):
            raise SystemExit(f"seed {seed}: only {', '.join(found) or 'nothing'} was measured")
        measured = {
            "seed": seed, "jobs": len(jobs), "times": given.times, "interval": given.interval, "found": found,
        }  # fmt: skip
        print(json.dumps(measured, indent=1), flush=True)
        with RUNS.open("a") as file:
            file.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
