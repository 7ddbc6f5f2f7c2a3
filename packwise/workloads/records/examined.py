"""Records that the rules have judged: the jobs of them, and what became of each record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import listed
from packwise.model.workload import CORES, UNKNOWN, Ints, Workload
from packwise.workloads.cleaning import over_limit
from packwise.workloads.log_name import log_name
from packwise.workloads.machine_size import Size
from packwise.workloads.records.collecting import Records
from packwise.workloads.records.report import RecordsReport
from packwise.workloads.selection import COLUMNS

Mask = NDArray[np.bool_]

#: The rules that leave a record out, in the order in which they apply.
UNREADABLE = "a cell that cannot be read"
TWICE = "the same record again"
NO_SUBMISSION = "no time of submission"
NEVER_WAITING = "still waiting"
NEVER_CANCELLED = "cancelled before it started"
STILL_RUNNING = "still running"
NEVER_STARTED = "never started"
ENDED_BEFORE = "ended before the queue was written"
NO_RUNTIME = "no run time"
NO_PROCS = "no processors"
NO_LIMIT = "no time limit"
ABSURD = "processors out of all proportion to the rest (--procs keeps them)"
WIDE = "wider than the machine"
RULES = (
    UNREADABLE, TWICE, NO_SUBMISSION, NEVER_WAITING, NEVER_CANCELLED, STILL_RUNNING, NEVER_STARTED,
    ENDED_BEFORE, NO_RUNTIME, NO_PROCS, NO_LIMIT, ABSURD, WIDE,
)  # fmt: skip
KEPT = len(RULES)

#: No accounting is older (1973): times below are counted from the beginning of the log.
_DATES = 10**8
#: What records call the columns of a workload.
_MEANT = {"queue": "partition", "app": "name"}
#: SWF's codes: completed, failed, cancelled.
_STATUS = {"COMPLETED": 1, "CANCELLED": 5}


class Remark(NamedTuple):
    """What was done to some records, or is to know of them."""

    words: str
    which: Mask
    remedy: str = ""


@dataclass(frozen=True, eq=False)
class Examined:
    """Records, and what the rules say of each. ``size`` is that of the machine."""

    records: Records
    fault: Ints
    submit: Ints
    start: Ints
    runtime: Ints
    limit: Ints
    demand: Ints
    size: Size
    repaired_limit: Mask
    remarks: tuple[Remark, ...]

    @property
    def kept(self) -> Mask:
        """Which records become jobs."""
        found: Mask = self.fault == KEPT
        return found

    @cached_property
    def origin(self) -> int:
        """The moment of time 0: the first submission; or none, if times are no dates but count from 0."""
        known = self.submit[self.submit >= 0]
        return int(known.min()) if len(known) and known.min() >= _DATES else 0

    @property
    def columns(self) -> dict[str, Ints]:
        """Of all records, what a window asks of jobs."""
        columns = self.records.columns
        return {
            **{name: columns[_MEANT.get(name, name)] for name in COLUMNS.values()},
            "group": columns[self._owner],
            "submit": np.where(self.submit >= 0, self.submit - self.origin, UNKNOWN),
            "job_id": self.ids,
            "used_procs": self.demand,
        }

    @property
    def words(self) -> dict[str, tuple[str, ...]]:
        """The names that go with ``columns``."""
        told = self.records.names
        names = {name: told.get(_MEANT.get(name, name), ()) for name in COLUMNS.values()}
        return {**names, "group": told.get(self._owner, ())}

    @property
    def _owner(self) -> str:
        """What becomes of the group of jobs where the records tell none: the account."""
        return "group" if self.records.names.get("group") else "account"

    @cached_property
    def ids(self) -> Ints:
        """A number for each record: its own, where no other kept record has it. The last run of a job that was
        requeued keeps the job's number.
        """
        columns = self.records.columns
        told = np.where(columns["raw_id"] >= 0, columns["raw_id"], columns["number"])
        found = told.copy()
        order = np.lexsort((np.arange(len(told)), self.start, self.kept, told))
        same = np.append(told[order][1:] == told[order][:-1], False)
        again = order[same | (told[order] < 0)]
        again = np.sort(again)
        found[again] = max(int(told.max()), 0) + 1 + np.arange(len(again))
        return found

    def workload(self) -> Workload:
        """The jobs that stay, in the order of their submission."""
        records, columns = self.records, self.records.columns
        ids = self.ids
        picked = np.flatnonzero(self.kept)
        picked = picked[np.lexsort((ids[picked], self.submit[picked]))]
        n = len(picked)
        limit = self.limit[picked]
        start = self.start[picked]
        submit = self.submit[picked]
        names: dict[str, tuple[str, ...]] = {}

        def named(column: str, meaning: str) -> Ints:
            found, words = _compact(columns[meaning][picked], records.names.get(meaning, ()))
            if words:
                names[column] = words
            return found

        described: dict[str, Any] = {
            "user": named("user", "user"),
            "group": named("group", self._owner),
            "app": named("app", "name"),
            "queue": named("queue", "partition"),
        }
        extra: dict[str, NDArray[Any]] = {}
        for column in ("partition", "account", "qos", "state", "features", "node_list", "cluster"):
            if records.names.get(column):
                extra[column] = named(column, column)
        if "state" in names:
            codes = np.array([_STATUS.get(word, 0) for word in names["state"]], np.int64)
            described["status"] = np.where(extra["state"] >= 0, codes[extra["state"]], UNKNOWN)
        wait = np.where(start >= 0, start - submit, UNKNOWN)
        memory = columns["memory"][picked]
        demand = self.demand[picked]
        extra |= {"wait": wait, "used_procs": demand, "requested_procs": demand}
        extra |= _more(columns, self.submit, picked)
        if (memory > 0).any():  # SWF counts kilobytes of each processor
            extra["requested_memory"] = np.where(memory > 0, memory * 1024.0 / demand, UNKNOWN)
        units, per_unit = _units(
            demand,
            columns["nodes"][picked],
            columns["req_nodes"][picked],
            memory,
            columns["gpus"][picked],
        )
        return Workload(
            name=log_name(records.path),
            id=ids[picked],
            submit=submit - self.origin,
            runtime=np.minimum(self.runtime[picked], limit),
            requested_time=limit,
            demand=demand,
            **described,
            units=units,
            per_unit=per_unit if n else {},
            extra=extra,
            names=names,
            start_time=self.origin,
            time_zone=records.time_zone or "UTC",
        )

    def report(self, inside: Mask | None = None) -> RecordsReport:
        """How many records each rule met, of all or of those ``inside`` a window."""
        inside = np.ones(len(self.records), np.bool_) if inside is None else inside
        kept = inside & self.kept
        cut, cut_over_minute = over_limit(self.runtime[kept], self.limit[kept])
        lines = dict(self.records.left_out)
        faults = np.bincount(self.fault[inside], minlength=KEPT + 1)
        return RecordsReport(
            format=self.records.format,
            lines=tuple(lines.items()),
            records=int(inside.sum()),
            kept=int(kept.sum()),
            left_out=tuple((rule, int(faults[k])) for k, rule in enumerate(RULES) if faults[k]),
            repaired_limit=int((kept & self.repaired_limit).sum()),
            cut=cut,
            cut_over_minute=cut_over_minute,
            dropped_limit=int(faults[RULES.index(NO_LIMIT)]),
            dropped_wide=int(faults[RULES.index(WIDE)]),
        )

    def notes(self, inside: Mask | None = None) -> list[str]:
        """What there is to know besides, of the jobs that are kept (and ``inside`` a window): one line each."""
        kept = self.kept if inside is None else inside & self.kept
        lines = [f"{self.records.format}: {len(self.records):,} records"]
        if not self.records.told & {"cpus", "alloc_tres"}:
            lines.append(
                "processors are those asked for: the records do not tell those that jobs had"
            )
        if self.records.local_times and not self.records.time_zone:
            lines.append("times are the site's clock, taken as UTC: --time-zone says where it is")
        for words, which, remedy in self.remarks:
            if count := int((which & kept).sum()):
                lines.append(f"{words}: {count:,}{f'; {remedy}' if remedy else ''}")
        if self.records.unused:
            lines.append(f"columns not used: {listed(self.records.unused)}")
        return [*lines, *(f"cannot be read: {example}" for example in self.records.wrong)]


def _compact(column: Ints, words: tuple[str, ...]) -> tuple[Ints, tuple[str, ...]]:
    """Numbers anew, and the names of those that occur, in alphabetical order."""
    used = np.unique(column[column >= 0])
    order = sorted(used.tolist(), key=lambda k: words[k])
    anew = np.full(len(words) + 1, UNKNOWN, np.int64)
    anew[order] = np.arange(len(order))
    return anew[column], tuple(words[k] for k in order)


def _more(columns: Mapping[str, Ints], ready: Ints, picked: Ints) -> dict[str, Ints]:
    """What is kept of a record besides what a job needs, as far as it is told."""
    submitted = columns["submit"][picked]
    in_array = columns["task"][picked] >= 0
    part = columns["component"][picked]
    number = columns["number"][picked]
    found = {
        "held": np.where(submitted >= 0, np.maximum(ready[picked] - submitted, 0), 0),
        "array_job": np.where(in_array | (part >= 0), number, UNKNOWN),
        "array_task": columns["task"][picked],
        "het_component": part,
        "requested_cpus": columns["req_cpus"][picked],
        "requested_nodes": columns["req_nodes"][picked],
        "nice": columns["nice"][picked],
        "priority": columns["priority"][picked],
        "exit_code": columns["exit_code"][picked],
    }
    found = {name: np.maximum(column, UNKNOWN) for name, column in found.items()}
    return {
        name: column
        for name, column in found.items()
        if (column > 0).any() or (name in ("array_task", "exit_code") and (column >= 0).any())
    }


def _units(
    demand: Ints, nodes: Ints, asked: Ints, memory: Ints, gpus: Ints
) -> tuple[Ints | None, dict[str, Ints]]:
    """Units for a machine of nodes: a node's share each, where a job's nodes have equal shares of its
    processors and GPUs, and it has not got more of them than it asked for; otherwise smaller ones that have:
    one for each processor, or as many as both divide by.
    """
    known = nodes > 0
    if not known.any() and not (gpus > 0).any() and not (memory > 0).any():
        return None, {}
    some = np.maximum(gpus, 0)
    even = (
        known
        & ~((asked > 0) & (asked < nodes))
        & (demand % np.maximum(nodes, 1) == 0)
        & (some % np.maximum(nodes, 1) == 0)
    )
    units = np.where(even, nodes, np.where(known, demand, 1))
    for job in np.flatnonzero(known & ~even & (some > 0)).tolist():
        both = gcd(int(demand[job]), int(some[job]))
        units[job] = next((n for n in range(int(nodes[job]), both + 1) if both % n == 0), both)
    per_unit = {CORES: demand // units}
    for name, amount in (("memory", memory), ("gpus", gpus)):
        if (amount > 0).any():
            per_unit[name] = -(-np.maximum(amount, 0) // units)
    return units, per_unit
