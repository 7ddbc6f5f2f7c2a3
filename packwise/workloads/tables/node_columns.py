"""What a table tells of nodes: the units of each job, what one needs, and the nodes that it ran on.

Columns ``units`` and ``unit_cores``, ``unit_memory`` (MB), ``unit_gpus``, ...: what one unit needs of a
resource. Column ``nodes``: numbers of nodes with the units on each, such as ``0-3:1 7:2``; empty for a job that
never ran.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packwise.files.table import Table, quote
from packwise.model.allocation import Allocation, nodes_of
from packwise.model.schedule import Schedule
from packwise.model.workload import CORES, Ints, Workload

UNITS, NODES, PARTITION = "units", "nodes", "partition"
UNIT = "unit_"
NODE_COLUMNS = (UNITS, NODES, PARTITION, f"{UNIT}*")

#: More nodes than these, in all jobs together, are a slip of the pen.
_MOST_IN_ALL = 50_000_000


def unit_columns(workload: Workload) -> dict[str, NDArray[Any]]:
    """The columns to write of a workload."""
    if workload.units is None:
        return {}
    needs = {f"{UNIT}{name}": column for name, column in workload.per_unit.items()}
    told = {PARTITION: workload.extra[PARTITION]} if PARTITION in workload.extra else {}
    return {UNITS: workload.units, **needs, **told}


def node_column(schedule: Schedule) -> list[str] | None:
    """The nodes of each job as text; None if they are not known."""
    allocation = schedule.allocation
    if allocation is None:
        return None
    first = allocation.first.tolist()
    node, units = allocation.node.tolist(), allocation.units.tolist()
    return [_text(node[begin:end], units[begin:end]) for begin, end in pairwise(first)]


def _text(node: list[int], units: list[int]) -> str:
    """Neighbouring nodes with equal numbers of units are written as a range."""
    parts: list[str] = []
    i = 0
    while i < len(node):
        j = i + 1
        while j < len(node) and node[j] == node[j - 1] + 1 and units[j] == units[i]:
            j += 1
        nodes = str(node[i]) if j == i + 1 else f"{node[i]}-{node[j - 1]}"
        parts.append(f"{nodes}:{units[i]}")
        i = j
    return " ".join(parts)


def described_units(table: Table, demand: Ints) -> dict[str, Any]:
    """The units that a table tells, as fields of a Workload, in the order of its rows."""
    named = [name for name in table.names if name.startswith(UNIT) and len(name) > len(UNIT)]
    if UNITS not in table:
        if named:
            table.need(UNITS)
        return {}
    table.need(f"{UNIT}{CORES}")
    units = table.whole(UNITS)
    per_unit = {name.removeprefix(UNIT): table.whole(name) for name in named}
    wrong = units * per_unit[CORES] != demand
    if wrong.any():
        i = int(np.argmax(wrong))
        raise table.refusal(
            i,
            f"a demand of {units[i] * per_unit[CORES][i]}, the {units[i]} units of {per_unit[CORES][i]} cores",
            f"{demand[i]}",
        )
    return {"units": units, "per_unit": per_unit}


def read_nodes(table: Table) -> list[dict[int, int]] | None:
    """The nodes of each job and the units on each, in the order of the rows; None if the table tells none."""
    if NODES not in table:
        return None
    found = []
    total = 0
    for row, text in enumerate(table.texts(NODES)):
        nodes = nodes_of(text)
        total += len(nodes or ())
        if nodes is None or total > _MOST_IN_ALL:
            raise table.refusal(
                row,
                f"in column '{NODES}' numbers of nodes, each once, and the units on each, such as 0-3:1 7:2",
                quote(text),
            )
        found.append(nodes)
    return found


def allocation_of(nodes: list[dict[int, int]] | None, order: Ints | slice) -> Allocation | None:
    """The allocation, its jobs in another order."""
    if nodes is None:
        return None
    places = np.arange(len(nodes))[order].tolist()
    return Allocation.from_parts({n: nodes[i][n] for n in sorted(nodes[i])} for i in places)
