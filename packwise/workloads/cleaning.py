"""From a log as found to jobs that can be replayed: explicit rules, each counted.

Logs hold jobs that were cancelled in the queue, lost their request, or ran past their limit
(D. G. Feitelson, D. Tsafrir, D. Krakov, "Experience with using the Parallel Workloads Archive",
J. Parallel Distrib. Comput. 74(10), 2014). Every rule here is one line of the report.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError
from packwise.model.schedule import NEVER
from packwise.model.sizing import Sizing
from packwise.model.workload import LARGEST, Ints, Workload
from packwise.workloads.machine_size import Size, guessed_size
from packwise.workloads.swf import SwfLog
from packwise.workloads.swf.fields import EXTRA_FIELDS
from packwise.workloads.swf.names import LABELS, header_names

_MINUTE = 60

MissingLimit = Literal["drop", "runtime"]

#: In place of the number of a rule: none of the four drops the job.
KEPT = 4


@dataclass(frozen=True, slots=True)
class CleaningReport:
    """How many jobs each rule met. A dropped job counts under the first rule that drops it."""

    jobs_read: int
    jobs_kept: int
    dropped_runtime: int
    dropped_procs: int
    dropped_limit: int
    dropped_wide: int
    repaired_procs: int
    repaired_limit: int
    cut: int
    cut_over_minute: int
    unsorted: int
    fractional: int

    @property
    def dropped(self) -> int:
        """Jobs dropped in all."""
        return self.jobs_read - self.jobs_kept

    def facts(self) -> dict[str, Any]:
        """The same for programs."""
        return asdict(self)

    def rows(self) -> list[tuple[str, int]]:
        """(label, count) pairs, in the order in which the rules apply."""
        return [
            ("jobs read", self.jobs_read),
            ("dropped: no run time", self.dropped_runtime),
            ("dropped: no processors", self.dropped_procs),
            ("dropped: no requested time", self.dropped_limit),
            ("dropped: wider than the machine", self.dropped_wide),
            ("jobs kept", self.jobs_kept),
            ("repaired: processors requested taken from those used", self.repaired_procs),
            ("repaired: requested time taken from the run time", self.repaired_limit),
            ("run time cut to the requested time", self.cut),
            ("  of these, by more than a minute", self.cut_over_minute),
            ("jobs out of order, sorted", self.unsorted),
            ("fractions rounded to whole numbers", self.fractional),
        ]


def machine_size(log: SwfLog, procs: int | None = None) -> Size:
    """Processors of the machine: as given, else MaxProcs, else MaxNodes of the header, else a guess from when
    jobs started.
    """
    if procs is not None:
        if not 1 <= procs <= LARGEST:
            raise InputError(
                f"the machine should have between 1 and 2^40 processors, found --procs {procs}."
            )
        return Size(procs)
    size = log.max_procs or log.max_nodes
    if size is not None:
        return Size(size, Sizing("guessed", log.guess) if log.guess else Sizing("header"))
    columns = log.columns
    start = np.where(columns["wait"] >= 0, columns["submit"] + columns["wait"], NEVER)
    demand, _ = _demand(log)
    ran = (columns["runtime"] > 0) & (demand > 0) & (columns["submit"] >= 0)
    if not (start[ran] != NEVER).any():
        raise InputError(
            f"{log.path}: no machine size: the header has neither MaxProcs nor MaxNodes, and no job tells when "
            "it started. Give the number of processors: --procs N, or procs = N in a study."
        )
    return guessed_size(start[ran], (start + columns["runtime"])[ran], demand[ran])


def _demand(log: SwfLog, *, repair: bool = True) -> tuple[Ints, NDArray[np.bool_]]:
    """Field 8; field 5 where that is missing, and which jobs these are."""
    asked, used = log.columns["requested_procs"], log.columns["used_procs"]
    use_used = (asked <= 0) & (used > 0) & repair
    return np.where(use_used, used, asked), use_used


def over_limit(runtime: Ints, limit: Ints) -> tuple[int, int]:
    """How many jobs ran beyond their limits, and how many of them by more than a minute."""
    excess = runtime - limit
    return int((excess > 0).sum()), int((excess > _MINUTE).sum())


def clean(
    log: SwfLog,
    *,
    procs: int | None = None,
    repair: bool = True,
    missing_limit: MissingLimit = "drop",
) -> tuple[Workload, CleaningReport]:
    """The jobs that can be replayed, sorted by (submit, id), and a report of what was done."""
    found = examine(log, procs=procs, repair=repair, missing_limit=missing_limit)
    return found.workload(), found.report()


def examine(
    log: SwfLog,
    *,
    procs: int | None = None,
    repair: bool = True,
    missing_limit: MissingLimit = "drop",
) -> Examined:
    """What the rules say of each job.

    A job is dropped if it has (in this order) no run time, no processors, no requested time, asks
    for more than the machine has. Its demand is field 8; with ``repair``,
    field 5 where 8 is missing. A missing requested time has no honest repair:
    ``missing_limit="runtime"`` takes the run time, which makes those users clairvoyant. A run time
    above the requested time is cut to it.
    """
    if missing_limit not in ("drop", "runtime"):
        raise InputError(f"missing_limit should be 'drop' or 'runtime', found '{missing_limit}'.")
    size = machine_size(log, procs).procs
    columns = log.columns
    runtime = columns["runtime"]
    demand, use_used = _demand(log, repair=repair)
    limit = columns["requested_time"]
    use_runtime = (limit <= 0) & (missing_limit == "runtime")
    limit = np.where(use_runtime, runtime, limit)
    faults = (runtime <= 0, demand <= 0, limit <= 0, demand > size)
    fault = np.select(faults, range(len(faults)), KEPT)
    if not (fault == KEPT).any():
        dropped = [int((fault == rule).sum()) for rule in range(len(faults))]
        raise InputError(
            f"{log.path}: no job is left of {len(log)}: {dropped[0]} without run time, "
            f"{dropped[1]} without processors, {dropped[2]} without requested time, {dropped[3]} "
            f"wider than the machine of {size} processors. Check "
            "--procs, or keep jobs without requested time with --missing-limit runtime."
        )
    return Examined(log, demand, limit, fault, use_used, use_runtime)


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """A log and what the rules say of its jobs, in the order of the file.

    ``demand`` and ``limit`` are repaired; ``fault`` is the number of the rule that drops a job, or KEPT.
    """

    log: SwfLog
    demand: Ints
    limit: Ints
    fault: Ints
    repaired_procs: NDArray[np.bool_]
    repaired_limit: NDArray[np.bool_]

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which jobs stay."""
        kept: NDArray[np.bool_] = self.fault == KEPT
        return kept

    def workload(self) -> Workload:
        """The jobs that stay, sorted."""
        columns, log = self.log.columns, self.log
        picked = np.flatnonzero(self.kept)
        if self._out_of_order(picked):
            picked = picked[np.lexsort((columns["job_id"][picked], columns["submit"][picked]))]
        limit = self.limit[picked]
        return Workload(
            name=log.name,
            id=columns["job_id"][picked],
            submit=columns["submit"][picked],
            runtime=np.minimum(columns["runtime"][picked], limit),
            requested_time=limit,
            demand=self.demand[picked],
            user=columns["user"][picked],
            group=columns["group"][picked],
            app=columns["app"][picked],
            queue=columns["queue"][picked],
            status=columns["status"][picked],
            extra={name: columns[name][picked] for name in EXTRA_FIELDS},
            names=header_names(log, {name: columns[name][picked] for name in LABELS}),
            header=log.header,
            start_time=log.unix_start_time or 0,
            time_zone=log.time_zone or "UTC",
        )

    def report(self, inside: NDArray[np.bool_] | None = None) -> CleaningReport:
        """How many jobs each rule met, of all jobs or of those ``inside`` a window."""
        inside = np.ones(len(self.log), np.bool_) if inside is None else inside
        kept = inside & self.kept
        cut, cut_over_minute = over_limit(self.log.columns["runtime"][kept], self.limit[kept])
        dropped = [int((inside & (self.fault == rule)).sum()) for rule in range(KEPT)]
        return CleaningReport(
            jobs_read=int(inside.sum()),
            jobs_kept=int(kept.sum()),
            dropped_runtime=dropped[0],
            dropped_procs=dropped[1],
            dropped_limit=dropped[2],
            dropped_wide=dropped[3],
            repaired_procs=int((kept & self.repaired_procs).sum()),
            repaired_limit=int((kept & self.repaired_limit).sum()),
            cut=cut,
            cut_over_minute=cut_over_minute,
            unsorted=self._out_of_order(np.flatnonzero(kept)),
            fractional=self.log.rounded(inside),
        )

    def _out_of_order(self, picked: Ints) -> int:
        """How many of these jobs should stand before the one above them."""
        submit, ids = self.log.columns["submit"][picked], self.log.columns["job_id"][picked]
        tied = (submit[1:] == submit[:-1]) & (ids[1:] < ids[:-1])
        return int(((submit[1:] < submit[:-1]) | tied).sum())
