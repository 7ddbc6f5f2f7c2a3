"""The part of a workload to use, and changes to it, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import Workload
from packwise.workloads import transform
from packwise.workloads.calendar import When, since_first
from packwise.workloads.cleaning import MissingLimit
from packwise.workloads.deadlines import (
    Impossible,
    make_deadlines,
    parse_rules,
    recorded_deadlines,
)
from packwise.workloads.deadlines.impossible import check_deadlines
from packwise.workloads.selection import COLUMNS, Selection, named


@dataclass(frozen=True)
class Window:
    """Applied in the order of the fields; the empty window changes nothing.

    How the file is read comes first: the ``time_zone`` of a site whose records tell none, the names of sacct's
    ``columns`` where there is no header, and what the columns of any other table mean (``mapping``).
    ``start`` and ``end`` are seconds after the first submission, or dates. ``only`` and ``without`` pick jobs
    by name, as in partition=gpu. ``deadlines`` are rules as text. ``impossible`` says what to do with
    deadlines that nobody could meet, be they of these rules or of the trace's own.
    """

    time_zone: str = ""
    columns: str = ""
    mapping: tuple[str, ...] = ()
    missing_limit: MissingLimit = "drop"
    start: When | None = None
    end: When | None = None
    first: int | None = None
    count: int | None = None
    drop_queues: tuple[int, ...] = ()
    drop_partitions: tuple[int, ...] = ()
    drop_unallocated: bool = False
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    multiple: int | None = None
    factor: float | None = None
    seed: int | None = None
    seconds: int = 60
    deadlines: tuple[str, ...] = ()
    impossible: Impossible = "refuse"

    @property
    def moves_jobs(self) -> bool:
        """Whether submit times or demands change, so that a recorded schedule is void."""
        return not (self.multiple is None and self.factor is None and self.seed is None)

    @property
    def leaves_out(self) -> bool:
        """Whether jobs are left out that were there, and had their part in what others waited."""
        cut = (self.start, self.end, self.first, self.count)
        picked = (self.drop_queues, self.drop_partitions, self.only, self.without)
        return cut != (None,) * 4 or any(picked)

    def of_jobs(self) -> Window:
        """What picks jobs by what they are, whenever they came: the same without the rest."""
        return Window(
            drop_queues=self.drop_queues,
            drop_partitions=self.drop_partitions,
            drop_unallocated=self.drop_unallocated,
            only=self.only,
            without=self.without,
        )

    def apply(self, workload: Workload, procs: int) -> Workload:
        """The jobs asked for."""
        rules = parse_rules(self.deadlines)
        workload = recorded_deadlines(workload, rules, self.impossible)
        if self.start is not None or self.end is not None:
            workload = transform.window_time(workload, *self._span(workload))
        if self.first is not None or self.count is not None:
            workload = transform.window_count(workload, self.first or 0, self.count)
        if self.drop_queues:
            workload = transform.drop_queue(workload, self.drop_queues)
        if self.drop_partitions:
            workload = transform.drop_partition(workload, self.drop_partitions)
        if self.drop_unallocated:
            workload = transform.drop_unallocated(workload)
        for text, wanted in self._selections():
            workload = transform.picked(
                workload, text.of(workload) == wanted, f"the {text.by} is so chosen"
            )
        if self.multiple is not None:
            workload = transform.round_demand(workload, self.multiple, procs)
        if self.factor is not None:
            workload = transform.scale_load(workload, self.factor)
        if self.seed is not None:
            workload = transform.shake(workload, self.seed, self.seconds)
        workload = make_deadlines(workload, rules)
        check_deadlines(workload, procs, self.impossible)
        return workload

    def _span(self, workload: Workload) -> tuple[int | None, int | None]:
        """From when until when, in seconds after the first submission."""
        return since_first(workload, self.start), since_first(workload, self.end)

    def _selections(self) -> list[tuple[Selection, bool]]:
        """What picks jobs by name, and whether it picks those to keep."""
        keep = [(one, True) for one in _merged(self.only, "--only")]
        drop = [(one, False) for one in _merged(self.without, "--without") if one.by != "cluster"]
        return keep + drop

    def covers(
        self,
        jobs: Mapping[str, NDArray[Any]],
        workload: Workload,
        names: Mapping[str, Sequence[str]] | None = None,
    ) -> NDArray[np.bool_]:
        """Which jobs of a log the window is about, those that cleaning dropped among them.

        ``jobs`` are the columns of the log, ``names`` what their numbers stand for (as in ``workload``,
        unless given), ``workload`` the jobs that cleaning kept. A dropped job is in a window of positions if
        it was submitted between its first job and the first one behind it. One whose submission is not known
        is in no window.
        """
        submit, ids = jobs["submit"], jobs["job_id"]
        inside = np.ones(len(submit), np.bool_)
        if self.start is not None or self.end is not None:
            since = submit - workload.submit[0]
            inside = submit >= 0
            start, end = self._span(workload)
            inside &= since >= start if start is not None else True
            inside &= since < end if end is not None else True
            workload = transform.window_time(workload, start, end)
        if self.first is not None or self.count is not None:
            first = self.first or 0
            behind = len(workload) if self.count is None else first + self.count
            inside &= submit >= 0
            for place, wanted in ((first, True), (behind, False)):
                if 0 < place < len(workload):
                    at, job = workload.submit[place], workload.id[place]
                    inside &= ((submit > at) | ((submit == at) & (ids >= job))) == wanted
        words = workload.names if names is None else names
        for (by, some), keep in self._selections():
            column = COLUMNS[by]
            inside &= named(jobs[column], words.get(column, ()), some) == keep
        inside &= ~np.isin(jobs["queue"], self.drop_queues)
        inside &= ~np.isin(jobs["partition"], self.drop_partitions)
        return inside & (jobs["used_procs"] > 0) if self.drop_unallocated else inside

    def without_paths(self) -> Window:
        """With what decides the deadlines: a file of them by its bytes, wherever it lies."""
        rules = parse_rules(self.deadlines)
        return replace(self, deadlines=tuple(rule.content for rule in rules))

    def words(self) -> list[str]:
        """What was done, one line each."""
        lines = []
        if self.start is not None or self.end is not None:
            until = "the end" if self.end is None else _words(self.end)
            lines.append(f"jobs submitted from {_words(self.start or 0)} until {until}")
        if self.first is not None or self.count is not None:
            count = "all" if self.count is None else f"{self.count:,}"
            lines.append(f"{count} jobs from position {self.first or 0:,} on")
        if self.drop_queues:
            lines.append(f"without queues {', '.join(map(str, self.drop_queues))}")
        if self.drop_partitions:
            lines.append(f"without partitions {', '.join(map(str, self.drop_partitions))}")
        if self.drop_unallocated:
            lines.append("without jobs that have no recorded number of allocated processors")
        lines += [f"only {text}" for text in self.only]
        lines += [f"without {text}" for text in self.without]
        if self.multiple is not None:
            lines.append(f"demands rounded up to a multiple of {self.multiple}")
        if self.factor is not None:
            lines.append(f"arrivals {self.factor:g} times as dense")
        if self.seed is not None:
            lines.append(f"submissions shaken by up to {self.seconds} s, seed {self.seed}")
        lines += [f"deadlines by {rule}" for rule in parse_rules(self.deadlines)]
        if self.impossible == "count":
            lines.append("deadlines that nobody could meet are kept and counted")
        return lines


def _words(when: When) -> str:
    return f"{when} s" if isinstance(when, int) else when.replace("T", " ")


def _merged(texts: Sequence[str], option: str) -> list[Selection]:
    """What picks jobs, names of one kind together."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        one = Selection.parse(text, option)
        found[one.by] = (*found.get(one.by, ()), *one.names)
    return [Selection(by, names) for by, names in found.items()]
