"""CINECA's Eurora, 2014: jobs with cores, memory, GPUs and MICs, and where and when they really ran.

The units of a job are the nodes that it asked for. The log's nodes 1 to 64 are nodes 0 to 63 of the preset
``eurora``. Many jobs ask for 200 GB, more than any node has; the real machine ran them, so what is asked for
beyond a node of the preset is taken as all of it.
"""

from __future__ import annotations

import numpy as np

from packwise.files.table import Table
from packwise.workloads.datasets.jobs import Found, Rows, found, numbered, share

COLUMNS = frozenset(
    [
        "job_id",
        "queue",
        "submit",
        "start",
        "runtime",
        "req_walltime",
        "req_nodes",
        "req_cores",
        "req_mem_gb",
        "gpus",
        "mics",
        "nodes_cores_gpus_mics",
    ]
)
_MEMORY = 16 * 1024


def read(table: Table) -> Found:
    """The jobs of the file."""
    units = np.maximum(table.whole("req_nodes"), 1)
    cores = share(np.maximum(table.whole("req_cores"), 1), units)
    memory = share(table.whole("req_mem_gb") * 1024, units)
    high = memory > _MEMORY
    notes = [f"asked for more memory than a node has, taken as all of it: {int(high.sum()):,}"]
    power = None
    if "predicted_power_w" in table:
        told = table.loose_numbers("predicted_power_w")
        power = np.where(np.isfinite(told) & (told >= 0), told, 0.0)
    rows = Rows(
        id=table.whole("job_id"),
        submit=table.whole("submit"),
        start=table.whole("start"),
        runtime=table.whole("runtime"),
        limit=np.maximum(table.whole("req_walltime"), 1),
        units=units,
        per_unit={
            "cores": cores,
            "memory": np.minimum(memory, _MEMORY),
            "gpus": share(table.whole("gpus"), units),
            "mics": share(table.whole("mics"), units),
        },
        kept=table.whole("runtime") > 0,
        queue=numbered(table.texts("queue")),
        power=power,
        nodes=[_nodes(table, i, text, int(cores[i])) for i, text in enumerate(_places(table))],
    )
    return found(table, rows, notes)


def _places(table: Table) -> list[str]:
    return table.texts("nodes_cores_gpus_mics")


def _nodes(table: Table, row: int, text: str, cores: int) -> dict[int, int]:
    """The units on each node, by the cores that the job had there."""
    places: dict[int, int] = {}
    for part in filter(None, text.split("|")):
        numbers = part.split(":")
        if (
            len(numbers) != 4
            or not all(number.isascii() and number.isdigit() for number in numbers)
            or numbers[0] == "0"
        ):
            raise table.refusal(row, "node:cores:gpus:mics joined by bars", f"'{part}'")
        node = int(numbers[0]) - 1
        places[node] = places.get(node, 0) + max(int(numbers[1]) // cores, 1)
    return places
