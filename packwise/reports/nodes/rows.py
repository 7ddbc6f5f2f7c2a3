"""The rows of a map of nodes: one for each node, or for several of a group where there are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.workload import Ints

#: More rows than this are too thin to be told apart.
MOST: Final = 128


@dataclass(frozen=True, eq=False)
class Rows:
    """``of`` has the row of each node, ``names`` those of the rows, ``first`` where each group begins."""

    of: Ints
    names: tuple[str, ...]
    groups: tuple[str, ...]
    first: tuple[int, ...]


def rows_of(cluster: Cluster, most: int = MOST) -> Rows:
    """As few nodes in a row as it takes; nodes of two groups are never in one."""
    together = 1
    while sum(-(-group.count // together) for group in cluster.groups) > max(
        most, len(cluster.groups)
    ):
        together += 1
    parts: list[Ints] = []
    names: list[str] = []
    first: list[int] = []
    for group in cluster.groups:
        first.append(len(names))
        parts.append(len(names) + np.arange(group.count) // together)
        for low in range(1, group.count + 1, together):
            high = min(low + together - 1, group.count)
            names.append(f"{group.name}-{low}" + (f" to {high}" if high > low else ""))
    return Rows(
        np.concatenate(parts),
        tuple(names),
        tuple(group.name for group in cluster.groups),
        tuple(first),
    )
