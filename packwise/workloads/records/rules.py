"""From records as found to jobs that can be replayed: explicit rules, each counted, none of them silent.

A record is used, or left out under the first rule that says so. A job is submitted, here, when it became
eligible: what it spent held, or waiting for other jobs, was no waiting for the machine. Its demand is what it
had. A job that was requeued ran several times: each run is a job, as each held processors.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from packwise.model.errors import InputError
from packwise.model.sizing import Sizing
from packwise.model.workload import LARGEST, UNKNOWN, Ints
from packwise.workloads.cleaning import MissingLimit
from packwise.workloads.machine_size import Size, guessed_size
from packwise.workloads.proportion import absurdly_wide
from packwise.workloads.records.collecting import Records
from packwise.workloads.records.examined import (
    KEPT,
    NEVER_STARTED,
    NO_LIMIT,
    RULES,
    UNREADABLE,
    WIDE,
    Examined,
    Mask,
    Remark,
)
from packwise.workloads.records.queue import Snapshot, snapshot_of
from packwise.workloads.records.times import comes_twice
from packwise.workloads.records.values import OF_PARTITION, RUNNING, UNLIMITED, WAITING, WRONG, YEAR

_HOUR = 3600
#: Columns without which there is no job.
_CHECKED = ("number", "raw_id", "submit", "eligible", "start", "end", "elapsed", "limit", "cpus")


def examine_records(
    records: Records,
    *,
    procs: int | None = None,
    missing_limit: MissingLimit = "drop",
    partition_limits: dict[str, int] | None = None,
) -> Examined:
    """What the rules say of each record.

    Without ``procs`` the machine is as large as the most processors that were ever in use at once.
    ``partition_limits``: for jobs whose limit is that of their partition.
    """
    columns = records.columns
    remarks: list[Remark] = []
    submit, start, end = _moments(records, remarks)
    queue = None
    if records.tells_starts:
        running = _in_state(records, RUNNING) & (start >= 0)
        queue = snapshot_of(records, _in_state(records, WAITING), running)
    if queue is not None:
        submit, start = queue.moments(records, submit, start, remarks)
    runtime = np.where((start >= 0) & (end >= 0), end - start, UNKNOWN)
    cancelled = _cancelled(records, start, end)
    runtime = _at_least_a_second(runtime, ~cancelled, remarks)
    if not records.tells_starts:  # jobs to be run, and not what became of them
        told = _at_least_a_second(columns["elapsed"], np.ones(len(records), np.bool_), remarks)
        runtime = np.where(told > 0, told, columns["limit"])
        until = (told <= 0) & (columns["limit"] > 0)
        remarks.append(Remark("no run time told, taken as running up to the limit", until))
    limit, repaired = _limits(records, runtime, missing_limit, partition_limits or {}, remarks)
    demand = columns["cpus"]
    if queue is not None:
        runtime, demand = limit, queue.demand(records)
        end = np.where(start >= 0, start + limit, UNKNOWN)
    odd = np.any([columns[name] == WRONG for name in ("memory", "gpus", "nodes")], axis=0)
    remarks.append(Remark("memory, GPUs or nodes that cannot be read, taken as not told", odd))
    faults = _faults(records, cancelled, submit, start, end, runtime, demand, limit, queue)
    absurd = np.zeros(len(records), np.bool_)
    if procs is not None:
        size = Size(procs)
    elif records.procs:
        size = Size(records.procs, Sizing("header"))
    else:
        absurd = _absurd(faults, start, end, demand)
        size = most_in_use(records, [*faults, absurd], start, end, demand)
    if not 1 <= size.procs <= LARGEST:
        raise InputError(
            f"the machine should have between 1 and 2^40 processors, found {size.procs}."
        )
    faults.append(absurd)
    fault = np.select([*faults, demand > size.procs], range(KEPT), KEPT)
    found = Examined(
        records,
        fault,
        submit,
        start,
        runtime,
        limit,
        demand,
        size,
        repaired,
        tuple(remarks),
    )
    if not found.kept.any():
        raise InputError(_none_left(found))
    return found


def _none_left(found: Examined) -> str:
    report = found.report()
    left = dict(report.left_out)
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in left.items())
    remedies = {
        UNREADABLE: f" Look at {_unreadable(found)}.",
        NO_LIMIT: " Keep jobs without a limit with --missing-limit runtime.",
        WIDE: f" Check --procs: the machine has {found.size.procs:,} processors.",
        NEVER_STARTED: " Check that the columns Start and End are there.",
    }
    remedy = "".join(words for rule, words in remedies.items() if rule in left)
    return f"{found.records.path}: no job is left of {report.records:,} records: {reasons}.{remedy}"


def _unreadable(found: Examined) -> str:
    """The first record with a cell that cannot be read, and which of its cells."""
    row = int(np.argmax(found.fault == RULES.index(UNREADABLE)))
    names = [name for name in _CHECKED if found.records.columns[name][row] == WRONG]
    return f"record {row + 1:,} ({', '.join(names) or 'its id'})"


def _moments(records: Records, remarks: list[Remark]) -> tuple[Ints, Ints, Ints]:
    """When each job became eligible, started and ended."""
    columns = records.columns
    submit, eligible = columns["submit"], columns["eligible"]
    start, end, elapsed = columns["start"].copy(), columns["end"].copy(), columns["elapsed"]
    submit = np.where((submit == UNKNOWN) & (eligible >= 0), eligible, submit)
    waited = (start < 0) & (columns["wait"] >= 0) & (submit >= 0)
    start = np.where(waited, submit + columns["wait"], start)
    if "start" not in records.told:
        start = np.where((start < 0) & (end >= 0) & (elapsed >= 0), end - elapsed, start)
    # Of a job that waits the start is the one that the scheduler expects.
    start = np.where(_in_state(records, WAITING) & (end < 0), UNKNOWN, start)
    running = _in_state(records, RUNNING)
    ended = (end < 0) & (start >= 0) & (elapsed >= 0) & ~running
    end = np.where(ended, start + elapsed, np.where(running, UNKNOWN, end))
    ran = (start >= 0) & (end >= 0) & (elapsed >= 0)
    # The hour that a clock shows twice was taken as its first: run times tell where it was the second.
    off = np.where(ran, elapsed - (end - start), 0)
    late_end, late_start = (off == _HOUR), (off == -_HOUR)
    if records.time_zone:
        end = np.where(late_end, end + _HOUR, end)
        start = np.where(late_start, start + _HOUR, start)
    else:
        remedy = "the site's clock changed: say where it is, --time-zone"
        differ = late_end | late_start
        remarks.append(
            Remark("run times that differ by an hour from end less start", differ, remedy)
        )
    suspended = ran & (off < -1) & ~late_start
    remarks.append(Remark("suspended for a while, which counts as running", suspended))
    early = (start >= 0) & (submit >= 0) & (start < submit)
    near = early & (submit - start <= _HOUR) & bool(records.time_zone)
    for row in np.flatnonzero(near).tolist():
        if comes_twice(int(start[row]), records.time_zone):
            start[row] += _HOUR
            end[row] += _HOUR if end[row] >= 0 else 0
    early = (start >= 0) & (submit >= 0) & (start < submit)
    remarks.append(
        Remark("started before they were submitted, taken as submitted at the start", early)
    )
    submit = np.where(early, start, submit)
    late = (eligible > submit) & ((start < 0) | (eligible <= start))
    beyond = (start >= 0) & (eligible > start)
    remarks.append(
        Remark("eligible only after their start, taken as eligible when submitted", beyond)
    )
    remarks.append(Remark("held, or waiting for other jobs, before they became eligible", late))
    ready = np.where(late, eligible, submit)
    return ready, start, end


def _limits(
    records: Records,
    runtime: Ints,
    missing: MissingLimit,
    of_partition: dict[str, int],
    remarks: list[Remark],
) -> tuple[Ints, Mask]:
    limit = records.columns["limit"]
    unlimited = limit == UNLIMITED
    remarks.append(Remark("without any limit, planned as 365 days as Slurm does", unlimited))
    limit = np.where(unlimited, YEAR, limit)
    words = records.names.get("partition", ())
    if words and of_partition:
        theirs = np.array([of_partition.get(word, UNKNOWN) for word in words], np.int64)
        told = np.where(
            records.columns["partition"] >= 0, theirs[records.columns["partition"]], UNKNOWN
        )
        use = (limit == OF_PARTITION) & (told > 0)
        remarks.append(Remark("with the limit of their partition", use))
        limit = np.where(use, told, limit)
    repaired = (limit <= 0) & (limit != WRONG) & (missing == "runtime")
    return np.where(repaired, runtime, limit), repaired


def _at_least_a_second(runtime: Ints, ran: Mask, remarks: list[Remark]) -> Ints:
    short = (runtime == 0) & ran
    remarks.append(Remark("ran for less than a second, taken as 1 s", short))
    return np.where(short, 1, runtime)


def _in_state(records: Records, some: frozenset[str]) -> Mask:
    codes = [k for k, word in enumerate(records.names.get("state", ())) if word in some]
    return np.isin(records.columns["state"], codes)


def _cancelled(records: Records, start: Ints, end: Ints) -> Mask:
    """Who was cancelled before it started. Some versions of Slurm write the moment of that as start, too."""
    columns = records.columns
    instant = (end == start) & (columns["elapsed"] <= 0)
    if "node_list" in records.told:
        instant &= (columns["node_list"] < 0) | (columns["cpus"] <= 0)
    found: Mask = ((start < 0) | instant) & _in_state(records, frozenset({"CANCELLED"}))
    return found


def _faults(
    records: Records,
    cancelled: Mask,
    submit: Ints,
    start: Ints,
    end: Ints,
    runtime: Ints,
    demand: Ints,
    limit: Ints,
    queue: Snapshot | None,
) -> list[Mask]:
    """For each rule but the last, the records that it leaves out."""
    columns = records.columns
    unreadable = np.any([columns[name] == WRONG for name in _CHECKED], axis=0)
    unreadable |= (columns["number"] < 0) & (columns["raw_id"] < 0)
    twice = _repeated(columns, submit, start, end)
    ended = np.zeros(len(records), np.bool_)
    if queue is not None:
        ended = ~(queue.waiting | queue.running)
    if not records.tells_starts or queue is not None:
        waiting = cancelled = running = never = np.zeros(len(records), np.bool_)
    else:
        waiting = (start < 0) & _in_state(records, WAITING)
        running = (start >= 0) & (end < 0) & ~cancelled
        never = start < 0
    nothing = (runtime <= 0, demand <= 0, limit <= 0)
    return [unreadable, twice, submit < 0, waiting, cancelled, running, never, ended, *nothing]


def _repeated(columns: Mapping[str, Ints], submit: Ints, start: Ints, end: Ints) -> Mask:
    """Records that stand in the file again, with the same id and times: all but the first."""
    told = np.where(columns["raw_id"] >= 0, columns["raw_id"], columns["number"])
    keys = (columns["cluster"], columns["component"], columns["task"], end, start, submit, told)
    order = np.lexsort(keys)
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for key in keys:
        same &= key[order][1:] == key[order][:-1]
    found = np.zeros(len(order), np.bool_)
    found[order[1:][same]] = True
    return found


def most_in_use(records: Records, faults: list[Mask], start: Ints, end: Ints, demand: Ints) -> Size:
    """A guess from the most processors in use at once, by the records, and from the widest job."""
    usable = _known_widths(faults)
    began = start if records.tells_starts else np.full(len(start), UNKNOWN)
    return guessed_size(began[usable], end[usable], demand[usable])


def _absurd(faults: list[Mask], start: Ints, end: Ints, demand: Ints) -> Mask:
    """Who would size the machine alone, by a width that nothing else in the records comes near."""
    usable = np.flatnonzero(_known_widths(faults))
    found = np.zeros(len(demand), np.bool_)
    found[usable] = absurdly_wide(start[usable], end[usable], demand[usable])
    return found


def _known_widths(faults: list[Mask]) -> Mask:
    """Those without a limit ran, too."""
    left_out = [mask for mask, rule in zip(faults, RULES, strict=False) if rule != NO_LIMIT]
    known: Mask = ~np.any(left_out, axis=0)
    return known
