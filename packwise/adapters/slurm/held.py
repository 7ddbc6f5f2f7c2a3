"""On which nodes the running jobs are, and with how many units.

Slurm tells the nodes of a job and its cores in all, and what is used of each node. Where a job has a node to
itself, that tells its share; the rest is spread evenly over what is left.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from packwise.model.allocation import Allocation
from packwise.model.workload import Ints


def allocation(
    runs: Ints,
    units: Ints,
    per_unit: Ints,
    places: Mapping[int, list[int]],
    used: Ints,
    capacity: Ints,
    cores: int,
) -> tuple[Allocation, Ints]:
    """The nodes of each of ``runs``, and what they take of each node by that.

    ``places``: the nodes of each job by its number; ``used``: cores that are taken of each node. No node gets
    more than it has: who has no room there (Slurm has changed its mind meanwhile) is left out of it.
    """
    jobs = runs.tolist()
    on_node: dict[int, list[int]] = {}
    for job in jobs:
        for node in places[job]:
            on_node.setdefault(node, []).append(job)
    taken = np.zeros_like(capacity)
    shares = {job: _shares(job, units, per_unit, places[job], on_node, used, cores) for job in jobs}
    parts = []
    for job in jobs:
        part = {}
        for node, count in shares[job].items():
            needs = per_unit[job]
            some = needs > 0
            room = capacity[node, some] - taken[node, some]
            count = min(count, int((room // needs[some]).min())) if some.any() else 0
            if count > 0:
                part[node] = count
                taken[node] += count * needs
        parts.append(part)
    return Allocation.from_parts(parts), taken


def _shares(
    job: int,
    units: Ints,
    per_unit: Ints,
    nodes: list[int],
    on_node: Mapping[int, list[int]],
    used: Ints,
    cores: int,
) -> dict[int, int]:
    """How many units of a job each of its nodes has."""
    total, count = int(units[job]), len(nodes)
    if not count:
        return {}
    if total <= count:
        return dict.fromkeys(nodes[:total], 1)
    each = max(int(per_unit[job, cores]), 1)
    known = {node: int(used[node]) // each for node in nodes if on_node[node] == [job]}
    if sum(known.values()) > total or min(known.values(), default=1) < 1:
        known = {}
    others = [node for node in nodes if node not in known]
    left = total - sum(known.values())
    if others:
        share, more = divmod(left, len(others))
        known |= {node: share + (k < more) for k, node in enumerate(others)}
    elif left:  # the nodes tell of fewer than there are
        share, more = divmod(total, count)
        known = {node: share + (k < more) for k, node in enumerate(nodes)}
    return {node: share for node, share in known.items() if share > 0}
