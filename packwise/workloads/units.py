"""Units for logs that tell processors only, as SWF does."""

from __future__ import annotations

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.workload import CORES, Workload

#: Instead of a number of cores: as many as the smallest node has; or, for a job with more than those, what
#: divides both evenly.
NODE, DIVISOR = "node", "divisor"
_KILOBYTES = 1024


def parse_unit_cores(text: str) -> int | str:
    """The cores of a unit: a number, ``node`` or ``divisor``."""
    if text.lower() in (NODE, DIVISOR):
        return text.lower()
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise InputError(
            f"the cores of a unit should be a whole number of 1 or more, '{NODE}' for as many as the "
            f"smallest node has, or '{DIVISOR}' for what divides these and the job's; found '{text}'."
        )
    return int(text)


def with_units(workload: Workload, cluster: Cluster, unit_cores: str = "1") -> Workload:
    """A workload whose jobs have units, for a cluster of nodes.

    One that has them stays as it is. With one core a unit, any cores will do wherever they are; a larger unit
    stands for processes that share memory: a job becomes the fewest equal units of at most so many cores, which
    may round its demand up. With ``divisor`` it never is: a job that the smallest node cannot hold is cut into
    units of the greatest common divisor of its cores and the node's (the rule of Galleguillos, Kiziltan and
    Soto, CP 2021, in their published code; theirs takes the node of the job's partition).

    Where the log tells the memory of a processor that was asked for (field 10 of SWF, or else 7, what was
    used), and the nodes have memory, it is asked for here, in whole MB.
    """
    if workload.units is not None or cluster.is_pool:
        return workload
    asked = parse_unit_cores(unit_cores)
    if asked == DIVISOR:
        node = _smallest(cluster)
        cores = np.where(workload.demand <= node, workload.demand, np.gcd(workload.demand, node))
        units = workload.demand // cores
    else:
        most = _smallest(cluster) if asked == NODE else int(asked)
        units = -(-workload.demand // most)
        cores = -(-workload.demand // units)
    per_unit = {CORES: cores}
    memory = _memory(workload)
    if "memory" in cluster.resources and memory is not None:
        per_unit["memory"] = -(-(memory * cores) // _KILOBYTES)
    return workload.replace(demand=units * cores, units=units, per_unit=per_unit)


def _smallest(cluster: Cluster) -> int:
    """The cores of the smallest node that has any."""
    return min(group.capacity[CORES] for group in cluster.groups if group.capacity.get(CORES))


def _memory(workload: Workload) -> np.ndarray | None:
    """Kilobytes for each processor; 0 where it is not known, None where it never is."""
    asked = workload.extra.get("requested_memory")
    used = workload.extra.get("used_memory")
    known = [column for column in (asked, used) if column is not None and (column > 0).any()]
    if not known:
        return None
    found = np.zeros(len(workload), np.int64)
    for column in reversed(known):
        found = np.where(column > 0, np.ceil(column).astype(np.int64), found)
    return found
