"""From the columns of a data set to a workload with units, and what was done to them on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.files.table import Table
from packwise.model.allocation import Allocation
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import CORES, Ints, Workload
from packwise.workloads.log_name import log_name


class Found(NamedTuple):
    """The jobs of a data set, when they ran, the ids of those cut to their limit, and what there is to say."""

    workload: Workload
    schedule: Schedule
    cut: Ints
    notes: tuple[str, ...]


class Rows(NamedTuple):
    """What a data set tells of each job, in its own order. ``start`` is -1 where it is not known. A row that is
    not ``kept`` is left out.
    """

    id: Ints
    submit: Ints
    start: Ints
    runtime: Ints
    limit: Ints
    units: Ints
    per_unit: Mapping[str, Ints]
    kept: NDArray[np.bool_]
    queue: Ints | None = None
    user: Ints | None = None
    power: NDArray[np.float64] | None = None
    nodes: list[dict[int, int]] | None = None


def found(table: Table, rows: Rows, notes: list[str]) -> Found:
    """The jobs in the order of their submission, times counted from the first one's."""
    kept = np.flatnonzero(rows.kept)
    order = kept[np.lexsort((rows.id[kept], rows.submit[kept]))]
    if not order.size:
        raise table.refusal(0, "a job that ran", "none in the whole file")
    origin = int(rows.submit[order].min())
    over = rows.runtime[order] > rows.limit[order]
    runtime = np.minimum(rows.runtime, rows.limit)[order]
    if dropped := len(rows.id) - len(order):
        notes = [f"left out, as they never ran: {dropped:,}", *notes]
    none = np.empty(0, np.int64)
    needs = {name: column[order] for name, column in rows.per_unit.items()}
    units = rows.units[order]
    workload = Workload(
        name=log_name(table.path),
        id=rows.id[order],
        submit=rows.submit[order] - origin,
        runtime=runtime,
        requested_time=rows.limit[order],
        demand=units * needs[CORES],
        units=units,
        per_unit=needs,
        user=none if rows.user is None else rows.user[order],
        queue=none if rows.queue is None else rows.queue[order],
        power=None if rows.power is None else rows.power[order],
        start_time=origin,
    )
    start = rows.start[order]
    ran = start >= 0
    begin = np.where(ran, start - origin, NEVER)
    end = np.where(ran, begin + rows.runtime[order], NEVER)
    where = None
    if rows.nodes is not None:
        where = Allocation.from_parts(dict(sorted(rows.nodes[i].items())) for i in order.tolist())
    schedule = Schedule(begin, end, allocation=where)
    return Found(workload, schedule, workload.id[over], tuple(notes))


def numbered(names: list[str]) -> Ints:
    """Names as numbers, in their alphabetical order."""
    _, numbers = np.unique(np.array(names), return_inverse=True)
    return numbers.reshape(-1).astype(np.int64)


def share(total: Ints, units: Ints) -> Ints:
    """What each of so many equal units needs of a total, rounded up."""
    return -(-total // units)
