"""Replays on nodes: EASY on workloads like Eurora's, on KIT's log and on ten thousand nodes, the naive twin,
and rounds of the order search. ``python -m benchmarks.nodes --traces FOLDER`` writes docs/benchmarks-nodes.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from packwise import Cluster, Decision, Requested, Workload, simulate
from packwise.clusters.finding import find_cluster
from packwise.engine import decide
from packwise.model import NodeGroup, View
from packwise.policies.catalogue import POLICIES
from packwise.registry import policy
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from scripts.page import filled
from tests.oracle.array_nodes import ArrayNodes
from tests.oracle.naive_scheduler import naive_jobs

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks-nodes.md"
EURORA = find_cluster("eurora")
KIT = find_cluster("kit-fh2")
LARGE = Cluster(
    "large",
    (
        NodeGroup("cpu", 8000, {"cores": 64, "memory": 262144}),
        NodeGroup("gpu", 2000, {"cores": 64, "memory": 524288, "gpus": 4}),
    ),
)
#: Jobs on which the naive twin is run.
NAIVE_JOBS = 2000


class Replayed(NamedTuple):
    """A replay: what of, on how many nodes, how long it took and should take at most, and how much memory the
    process had in all.
    """

    what: str
    nodes: int
    jobs: int
    queue: float
    seconds: float
    target: float | None
    gigabytes: float


def replayed(
    what: str, jobs: Workload, cluster: Cluster, name: str, target: float | None
) -> Replayed:
    """One replay with first fit, in a process of its own, so that its memory is its own."""
    forked = multiprocessing.get_context("fork")
    here, there = forked.Pipe()
    process = forked.Process(target=lambda: there.send(_replay(jobs, cluster, name)))
    process.start()
    queue, seconds, size = here.recv()
    process.join()
    return Replayed(what, cluster.nodes, len(jobs), queue, seconds, target, size)


def _replay(jobs: Workload, cluster: Cluster, name: str) -> tuple[float, float, float]:
    few = jobs.select(np.arange(min(len(jobs), 50)))
    simulate(few, cluster, policy(name), placement="first-fit")  # loads what is compiled
    run = simulate(jobs, cluster, policy(name), placement="first-fit")
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return float(run.rounds.queued.mean()), run.seconds, used


def kit(traces: Path, count: int | None = None) -> Workload:
    """KIT's log, a node's share of cores being a unit."""
    path = traces / "KIT-FH2-2016-1.first25127.swf.gz"
    return load_trace(path, None, Window(count=count), on=KIT, unit_cores="node").workload


def twins(jobs: Workload, cluster: Cluster) -> tuple[float, float]:
    """Seconds of the engine and of the naive twin, whose allocations are the same."""
    run = simulate(jobs, cluster, POLICIES["easy"], Requested(), placement="first-fit")
    begin = time.perf_counter()
    naive = naive_jobs(jobs, ArrayNodes(cluster, jobs), jobs.requested_time, POLICIES["easy"])
    took = time.perf_counter() - begin
    assert run.schedule.allocation is not None
    for place, job in enumerate(naive):
        assert run.schedule.start[place] == job.start
        assert run.schedule.allocation.of(place) == dict(sorted(job.where.items()))
    return run.seconds, took


def searched_rounds() -> list[tuple[str, int, float, float]]:
    """For each objective: rounds of 80 to 120 waiting jobs, and milliseconds of the mean and the longest."""
    views: list[View] = []

    class Spy:
        name = "spy"

        def decide(self, view: View) -> Decision:
            if 80 <= len(view.queue) <= 120:
                views.append(view._replace(memory=None))
            return POLICIES["easy"].decide(view)

    simulate(generate_accelerated(3000, EURORA, 1, load=0.9), EURORA, Spy())
    views = views[:: max(1, len(views) // 60)]
    found = []
    for name in ("packwise", "packwise(objective=AF)", "packwise(objective=BSLD)"):
        chosen = policy(name)
        chosen.decide(views[0])
        took = [_timed(chosen, view) for view in views]
        found.append((name, len(views), 1e3 * float(np.mean(took)), 1e3 * max(took)))
    return found


def _timed(chosen: Any, view: View) -> float:
    """Seconds of the round kernel alone."""
    took = []
    call = decide.call

    def timed(kernel: int, state: int) -> int:
        begin = time.perf_counter()
        count: int = call(kernel, state)
        took.append(time.perf_counter() - begin)
        return count

    decide.call = timed
    try:
        chosen.decide(view)
    finally:
        decide.call = call
    return sum(took)


def tables(traces: Path) -> dict[str, str]:
    """The tables of the page."""
    replays = [
        replayed(
            f"EASY, like Eurora, load {load:g}",
            generate_accelerated(400_000, EURORA, 1, load=load),
            EURORA,
            "easy",
            20,
        )
        for load in (0.7, 0.8)
    ]
    log = kit(traces)
    replays.append(replayed("EASY, KIT", log, KIT, "easy", 5))
    replays.append(replayed("List-SAF, KIT", log, KIT, "list-saf", None))
    replays.append(replayed("CBF, KIT", log, KIT, "cbf", None))
    for load in (0.5, 0.7):
        jobs = generate_accelerated(200_000, LARGE, 1, load=load)
        what = f"EASY, {LARGE.nodes:,} nodes, load {load:g}"
        replays.append(replayed(what, jobs, LARGE, "easy", None))
    rows = [
        "| replay | nodes | jobs | mean queue | seconds | at most | memory |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in replays:
        target = "" if one.target is None else f"{one.target:g}"
        rows.append(
            f"| {one.what} | {one.nodes:,} | {one.jobs:,} | {one.queue:,.0f} | {one.seconds:.1f} | {target} "
            f"| {one.gigabytes:.2f} GB |"
        )
    engine, naive = twins(kit(traces, NAIVE_JOBS), KIT)
    same = (
        f"On the first {NAIVE_JOBS:,} jobs of KIT's log the naive twin gives every job the same nodes at the "
        f"same time. It takes {naive:.0f} s, the engine {engine:.3f} s."
    )
    searched = ["| policy | rounds | mean | longest |", "|---|---|---|---|"]
    for name, count, mean, longest in searched_rounds():
        searched.append(f"| `{name}` | {count} | {mean:.0f} ms | {longest:.0f} ms |")
    return {"replays": "\n".join(rows), "twin": same, "searched": "\n".join(searched)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True, help="folder of KIT's log")
    found = tables(parser.parse_args().traces)
    PAGE.write_text(filled(PAGE.read_text(), found))
    for text in found.values():
        print(text, end="\n\n")


if __name__ == "__main__":
    main()
