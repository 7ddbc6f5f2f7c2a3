"""Microsoft's Philly GPU clusters, 2017: GPUs and run times.

Each GPU is a unit of one GPU and one core: the data do not tell cores, memory, or limits (the run time is
taken), nor when jobs started. The virtual clusters become queues, in alphabetical order.
"""

from __future__ import annotations

import numpy as np

from packwise.files.table import Table
from packwise.workloads.datasets.jobs import Found, Rows, found, numbered

COLUMNS = frozenset(("submit", "duration", "num_gpus", "cluster"))


def read(table: Table) -> Found:
    """The jobs of the file."""
    n = len(table)
    runtime = np.ceil(table.numbers("duration")).astype(np.int64)
    gpus = table.whole("num_gpus")
    rows = Rows(
        id=np.arange(1, n + 1),
        submit=table.whole("submit"),
        start=np.full(n, -1),
        runtime=runtime,
        limit=np.maximum(runtime, 1),
        units=np.maximum(gpus, 1),
        per_unit={"cores": np.ones(n, np.int64), "gpus": np.minimum(gpus, 1)},
        kept=(runtime > 0) & (gpus >= 0),
        queue=numbered(table.texts("cluster")),
    )
    return found(table, rows, ["no limits are told: the run times are taken"])
