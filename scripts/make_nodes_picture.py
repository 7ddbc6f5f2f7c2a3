"""Make docs/images/nodes.png: the map of nodes of a replay of generated jobs, with two outages.

``python scripts/make_nodes_picture.py``
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from packwise.reports.charts.clock import Clock

from packwise import simulate
from packwise.clusters.finding import find_cluster
from packwise.model import Outage
from packwise.registry import policy
from packwise.reports.material import Replayed
from packwise.reports.nodes.node_map import node_map, use_of
from packwise.reports.nodes.picture import draw_node_map
from packwise.workloads.accelerated import generate_accelerated

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "nodes.png"
HOUR = 3600


def main() -> None:
    outages = (
        Outage(tuple(range(32, 40)), 6 * HOUR, 10 * HOUR),
        Outage(tuple(range(19, 32)), 8 * HOUR, 12 * HOUR, kill=False),
    )
    cluster = replace(find_cluster("eurora"), outages=outages)
    jobs = generate_accelerated(3000, cluster, 1, load=0.8)
    run = simulate(jobs, cluster, policy("easy"))
    first, end = int(jobs.submit[0]), int(run.schedule.end.max())
    edges = np.linspace(first, end, 240).astype(np.int64)
    use = use_of("easy", Replayed(jobs, cluster, run.schedule), edges)
    assert use is not None
    draw_node_map(node_map(cluster, (use,), Clock.of(jobs, end)), use, PICTURE)


if __name__ == "__main__":
    main()
