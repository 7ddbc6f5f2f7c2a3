"""Alibaba's GPU cluster of 2023 (openb): pods with cores, memory and GPUs.

A pod is one unit. Parts of cores are rounded up to whole ones, and a share of a GPU to the whole of it; limits
are not told, the run times are taken.
"""

from __future__ import annotations

import numpy as np

from packwise.files.table import Table
from packwise.workloads.datasets.jobs import Found, Rows, found, numbered

COLUMNS = frozenset(
    [
        "name",
        "cpu_milli",
        "memory_mib",
        "num_gpu",
        "gpu_milli",
        "creation_time",
        "deletion_time",
        "scheduled_time",
    ]
)


def read(table: Table) -> Found:
    """The pods of the file."""
    n = len(table)
    milli = table.whole("cpu_milli")
    gpus = table.whole("num_gpu")
    scheduled = table.loose_numbers("scheduled_time")
    began = np.isfinite(scheduled)
    start = np.where(began, scheduled, -1).astype(np.int64)
    runtime = np.where(began, table.whole("deletion_time") - start, 0)
    parts = int((milli % 1000 != 0).sum())
    shares = int(((table.whole("gpu_milli") % 1000 != 0) & (gpus > 0)).sum())
    rows = Rows(
        id=np.arange(1, n + 1),
        submit=table.whole("creation_time"),
        start=start,
        runtime=runtime,
        limit=np.maximum(runtime, 1),
        units=np.ones(n, np.int64),
        per_unit={
            "cores": np.maximum(-(-milli // 1000), 1),
            "memory": table.whole("memory_mib"),
            "gpus": gpus,
        },
        kept=runtime > 0,
        queue=numbered(table.texts("qos")) if "qos" in table else None,
    )
    notes = [
        "no limits are told: the run times are taken",
        f"parts of cores rounded up to whole ones: {parts:,}",
        f"shares of a GPU taken as a whole one: {shares:,}",
    ]
    return found(table, rows, notes)
