"""Small machines, workloads and rounds for the tests of the CP dispatchers."""

from __future__ import annotations

import numpy as np

from packwise import Cluster, Exact, Workload, simulate
from packwise.model import NodeGroup
from packwise.registry import policy

#: Two nodes with cores only, one with a GPU, one with more of both.
MIXED = Cluster(
    "mixed",
    (
        NodeGroup("cpu", 2, {"cores": 4, "memory": 8}),
        NodeGroup("gpu", 1, {"cores": 4, "memory": 8, "gpus": 1}),
        NodeGroup("fat", 1, {"cores": 6, "memory": 16, "gpus": 2}),
    ),
)
#: Some nodes are shared, of others a job has the whole.
OWN = Cluster(
    "own",
    (
        NodeGroup("shared", 2, {"cores": 4, "memory": 8, "gpus": 1}),
        NodeGroup("whole", 2, {"cores": 4, "memory": 8, "gpus": 1}, shared=False),
        NodeGroup("large", 1, {"cores": 8, "memory": 8, "gpus": 1}, shared=False),
    ),
)
ALIKE = Cluster("alike", (NodeGroup("cpu", 4, {"cores": 2}),))


def work(rows):
    """From (submit, units, cores, memory, gpus of a unit, run time) tuples."""
    submit, units, cores, memory, gpus, runtime = np.array(rows, np.int64).T
    return Workload(
        name="small",
        id=np.arange(1, len(rows) + 1),
        submit=submit,
        runtime=runtime,
        requested_time=runtime,
        demand=units * cores,
        units=units,
        per_unit={"cores": cores, "memory": memory, "gpus": gpus},
    )


def some_work(seed, jobs=12, *, gpus=True):
    rng = np.random.default_rng(seed)
    return work(
        [
            (
                int(at),
                int(rng.integers(1, 4)),
                int(rng.integers(1, 4)),
                int(rng.integers(0, 5)),
                int(rng.integers(0, 2)) * (gpus and rng.random() < 0.5),
                int(rng.integers(5, 60)),
            )
            for at in np.sort(rng.integers(0, 40, jobs))
        ]
    )


def views_of(jobs, cluster, name="easy"):
    """The rounds of a replay in which somebody waits on."""
    found = []

    class Watching:
        name = "watching"

        def decide(self, view):
            decision = policy(self.asked).decide(view)
            if len(decision.start) < len(view.queue):
                found.append(view._replace(memory=None))
            return decision

    watching = Watching()
    watching.asked = name
    simulate(jobs, cluster, watching, Exact())
    return found


def crowded(seed=1, cluster=MIXED, **more):
    """The round of a small replay with the longest queue."""
    return max(views_of(some_work(seed, **more), cluster), key=lambda view: len(view.queue))


def check_plan(view, found, plan):
    """Nobody has more of a node than it has, at any moment; every unit is somewhere."""
    nodes = view.nodes
    moments = {0, *plan.start.tolist()}
    for moment in moments:
        free = nodes.free.astype(np.int64)
        for k, job in enumerate(view.running.tolist()):
            if view.expected_end[k] <= view.now + moment:
                for node, units in nodes.held.of(k).items():
                    free[node] += units * nodes.per_unit[job]
        for place, job in enumerate(found.job.tolist()):
            if plan.start[place] <= moment < plan.start[place] + found.estimate[place]:
                for node, units in plan.where[place].items():
                    free[node] -= units * nodes.per_unit[job]
                    assert nodes.open[nodes.where[job], node]
        assert (free >= 0).all(), moment
    for place, job in enumerate(found.job.tolist()):
        assert sum(plan.where[place].values()) == nodes.units[job]
