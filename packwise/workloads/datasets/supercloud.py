"""MIT SuperCloud, 2021: the columns of Slurm's database.

The units of a job are the nodes of its request (``tres_req``: 1 cores, 2 memory in MB, 4 nodes, 1002 GPUs). Ids
were rounded by those who published the data; the jobs are numbered anew.
"""

from __future__ import annotations

import numpy as np

from packwise.files.table import Table
from packwise.model.workload import Ints
from packwise.workloads.datasets.jobs import Found, Rows, found, numbered, share

COLUMNS = frozenset(
    [
        "id_job",
        "id_user",
        "tres_req",
        "timelimit",
        "time_submit",
        "time_start",
        "time_end",
        "partition",
    ]
)
_CORES, _MEMORY, _NODES, _GPUS = "1", "2", "4", "1002"
_NO_LIMIT = 4294967295


def read(table: Table) -> Found:
    """The jobs of the file."""
    n = len(table)
    asked = [_parsed(table, i, text) for i, text in enumerate(table.texts("tres_req"))]

    def amounts(key: str, least: int = 0) -> Ints:
        return np.array([max(one.get(key, least), least) for one in asked], np.int64)

    units = amounts(_NODES, 1)
    start, end = table.whole("time_start"), table.whole("time_end")
    runtime = end - start
    minutes = table.whole("timelimit")
    unlimited = (minutes <= 0) | (minutes >= _NO_LIMIT)
    limit = np.where(unlimited, runtime, 60 * np.where(unlimited, 1, minutes))
    rows = Rows(
        id=np.arange(1, n + 1),
        submit=table.whole("time_submit"),
        start=start,
        runtime=runtime,
        limit=np.maximum(limit, 1),
        units=units,
        per_unit={
            "cores": share(amounts(_CORES, 1), units),
            "memory": share(amounts(_MEMORY), units),
            "gpus": share(amounts(_GPUS), units),
        },
        kept=(start > 0) & (runtime > 0),
        queue=numbered(table.texts("partition")),
        user=numbered(table.texts("id_user")),
    )
    return found(
        table, rows, [f"jobs without a limit, their run times taken: {int(unlimited.sum()):,}"]
    )


def _parsed(table: Table, row: int, text: str) -> dict[str, int]:
    pairs = [part.partition("=") for part in text.split(",") if part]
    if not all(
        (key + value).isascii() and key.isdigit() and value.isdigit() for key, _, value in pairs
    ):
        raise table.refusal(row, "in column 'tres_req' pairs such as 1=20,2=170000", f"'{text}'")
    return {key: int(value) for key, _, value in pairs}
