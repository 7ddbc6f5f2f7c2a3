"""Our own table of a schedule, as CSV and Parquet: one row per job."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from packwise.files.table import Table
from packwise.model.cluster import Cluster
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import DESCRIBING, UNKNOWN, Ints, Workload
from packwise.workloads.deadlines.cells import Cells
from packwise.workloads.deadlines.impossible import Impossible
from packwise.workloads.tables.node_columns import (
    NODE_COLUMNS,
    NODES,
    PARTITION,
    allocation_of,
    described_units,
    node_column,
    read_nodes,
    unit_columns,
)
from packwise.workloads.tables.parquet_file import read_parquet_table
from packwise.workloads.tables.workload_columns import described as more_columns
from packwise.workloads.tables.workload_columns import in_order

if TYPE_CHECKING:
    import polars as pl

#: wait, start and end are -1 for a job that never ran; estimate is what was believed of the run time at
#: submission. deadline is -1 for a job without one, promised_start for one that was promised nothing. booting:
#: for how long a job held its nodes before its start.
COLUMNS = (
    "job_id",
    "submit",
    "wait",
    "start",
    "end",
    "runtime",
    "requested_time",
    "demand",
    "user",
    "estimate",
    "deadline",
    "promised_start",
    "booting",
)
#: What else a store keeps of who jobs belong to, as far as it is known.
KEPT_GROUPS = ("group", "queue", PARTITION, "account", "qos")
#: Columns that a file may lack.
OPTIONAL = ("user", "estimate", "deadline", "promised_start", "booting")


def frame(workload: Workload, schedule: Schedule) -> pl.DataFrame:
    """The table of a schedule."""
    import polars as pl

    wait = schedule.wait(workload)
    columns = (workload.id, workload.submit, wait, schedule.start, schedule.end, workload.runtime)
    rest = (workload.requested_time, workload.demand, workload.user, schedule.estimate)
    deadline = None
    if workload.deadline is not None:
        deadline = np.where(workload.deadline_driven, workload.deadline, UNKNOWN)
    last = (deadline, schedule.promised, schedule.booting)
    told = zip(COLUMNS, (*columns, *rest, *last), strict=True)
    found = {name: column for name, column in told if column is not None}
    nodes = node_column(schedule)
    return pl.DataFrame(found | unit_columns(workload) | ({} if nodes is None else {NODES: nodes}))


def stored_frame(workload: Workload, schedule: Schedule) -> pl.DataFrame:
    """The table of a schedule as a store keeps it: with the groups that jobs belong to, as numbers."""
    import polars as pl

    made = frame(workload, schedule)
    told = {name: workload.numbers(name) for name in KEPT_GROUPS if name not in made.columns}
    known = {
        name: column
        for name, column in told.items()
        if column is not None and bool((column != UNKNOWN).any())
    }
    return made.with_columns(pl.Series(name, column) for name, column in known.items())


def full_frame(workload: Workload, cluster: Cluster, schedule: Schedule) -> pl.DataFrame:
    """The table of a schedule with all that is known of its jobs and of the log they come from."""
    import polars as pl

    columns = []
    for name, column in more_columns(workload, cluster).items():
        if isinstance(column, np.ndarray) and column.dtype.kind in "UO":
            column = column.tolist()
        columns.append(pl.Series(name, column))
    return frame(workload, schedule).with_columns(columns)


def stored_schedule(
    name: str,
    content: bytes,
    check: Callable[[dict[str, Ints]], None],
    names: Mapping[str, Sequence[str]],
) -> tuple[Workload, Schedule]:
    """The jobs and the schedule in a Parquet file of a store, whose checksum was right. ``check`` may refuse
    the columns before anything is made of them; ``names`` are those of users, partitions, ...
    """
    wanted = (*COLUMNS, *NODE_COLUMNS, *KEPT_GROUPS)
    table = read_parquet_table(name, content, wanted, trusted=True)
    columns = schedule_columns(table)
    check(columns)
    described = described_units(table, columns["demand"])
    groups = {one: table.whole(one) for one in KEPT_GROUPS if one in table}
    described |= {one: column for one, column in groups.items() if one in DESCRIBING}
    described["extra"] = {one: column for one, column in groups.items() if one not in DESCRIBING}
    there = {*groups, *({"user"} & columns.keys())}
    described["names"] = {one: tuple(words) for one, words in names.items() if one in there}
    workload, schedule, _ = from_columns(name, columns, described, read_nodes(table))
    return workload, schedule


def kept_names(workload: Workload) -> dict[str, tuple[str, ...]]:
    """The names of those that a store keeps the numbers of; of others, who have no job here, none."""
    found = {}
    for column in ("user", *KEPT_GROUPS):
        numbers, words = workload.numbers(column), workload.names.get(column)
        if numbers is not None and words:
            there = set(np.unique(numbers).tolist())
            last = max(there, default=UNKNOWN)
            found[column] = tuple(
                word if k in there else "" for k, word in enumerate(words[: last + 1])
            )
    return found


def schedule_columns(table: Table, impossible: Impossible = "refuse") -> dict[str, Ints]:
    """The columns of a schedule; the optional ones may be missing."""
    table.need(*(name for name in COLUMNS if name not in OPTIONAL))
    found = {name: table.whole(name) for name in COLUMNS if name in table and name != "deadline"}
    if "promised_start" in found:
        _refuse_early_promises(table, found)
    if "booting" in found:
        _refuse_early_boots(table, found)
    if "deadline" in table:
        times = Cells(table).deadlines(found["job_id"], found["submit"], impossible)
        found["deadline"] = times
    return found


def _refuse_early_promises(table: Table, found: Mapping[str, Ints]) -> None:
    """A promise is made at the submission: one that lies before it is something else."""
    promised = found["promised_start"]
    wrong = (promised != NEVER) & (promised < found["submit"])
    if wrong.any():
        i = int(np.argmax(wrong))
        raise table.refusal(
            i,
            f"in column 'promised_start' -1 or a time from the submission at {found['submit'][i]} s on",
            table.quoted("promised_start", i),
            "Write -1 for a job that was promised nothing.",
        )


def _refuse_early_boots(table: Table, found: Mapping[str, Ints]) -> None:
    """Nodes boot for a job between its submission and its start."""
    most = np.where(found["start"] != NEVER, found["start"] - found["submit"], 0)
    wrong = (found["booting"] < 0) | (found["booting"] > np.maximum(most, 0))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise table.refusal(
            i,
            f"in column 'booting' seconds from 0 to the {max(most[i], 0)} that the job waited",
            table.quoted("booting", i),
            "Write 0 for a job that did not wait for nodes to boot.",
        )


def from_columns(
    name: str,
    columns: dict[str, Ints],
    described: Mapping[str, Any] | None = None,
    nodes: list[dict[int, int]] | None = None,
) -> tuple[Workload, Schedule, tuple[str, ...]]:
    """Workload and schedule, and in words what was not as usual.

    ``described``: more fields of the workload, in the order of the columns; ``nodes``: those of each job.

    Where a run time exceeds its limit the workload's is cut to it (a workload needs that); the
    schedule keeps what the file says, so that a check shows the difference.
    """
    order = _order(columns["submit"], columns["job_id"])
    more = in_order(dict(described or {}), order)
    ordered = {key: column[order] for key, column in columns.items()}
    if "user" in ordered:
        more["user"] = ordered["user"]
    runtime, limit = ordered["runtime"], ordered["requested_time"]
    cut = int((runtime > limit).sum())
    workload = Workload(
        name=name,
        id=ordered["job_id"],
        submit=ordered["submit"],
        runtime=np.minimum(runtime, limit) if cut else runtime,
        requested_time=limit,
        demand=ordered["demand"],
        deadline=ordered.get("deadline"),
        **more,
    )
    schedule = Schedule(
        ordered["start"],
        ordered["end"],
        ordered.get("estimate"),
        ordered.get("promised_start"),
        allocation_of(nodes, order),
        ordered.get("booting"),
    )
    notes = []
    if never := int((schedule.start == NEVER).sum()):
        notes.append(f"jobs that never ran: {never}")
    if cut:
        notes.append(f"run times above the limit: {cut}")
    return workload, schedule, tuple(notes)


def _order(submit: Ints, ids: Ints) -> Ints | slice:
    """The rows by submission, then id; as a slice, which copies nothing, where they are so already."""
    later = submit[1:] > submit[:-1]
    tied = (submit[1:] == submit[:-1]) & (ids[1:] >= ids[:-1])
    return slice(None) if (later | tied).all() else np.lexsort((ids, submit))
