"""Deadlines in files: cells of a table that may be empty, and a file of deadlines for a log."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from packwise.files.content import file_bytes
from packwise.files.csv_table import read_csv_table
from packwise.files.table import Table
from packwise.model.errors import InputError
from packwise.model.workload import LARGEST, NO_DEADLINE, UNKNOWN, Ints, Workload
from packwise.workloads.deadlines.impossible import COUNT_THEM, Impossible, check_choice

_UNREADABLE, _NEVER = -2, -3


@dataclass(frozen=True)
class Cells:
    """The column of deadlines of a table."""

    table: Table
    name: str = "deadline"

    def deadlines(self, ids: Ints, submit: Ints, impossible: Impossible) -> Ints:
        """A time per job; NO_DEADLINE for an empty cell or -1.

        A cell that is no time is refused. One that is not a number (NaN) or before time began may also be
        counted: it becomes the submission itself, which nobody can meet.
        """
        check_choice(impossible)
        times = self._times()
        never = times == _NEVER
        wrong = times == _UNREADABLE
        if impossible == "refuse":
            wrong |= never
        if wrong.any():
            i = int(np.argmax(wrong))
            raise self.table.refusal(
                i,
                f"as deadline of job {ids[i]} a time in whole seconds from 0 to 2^40, or an empty cell "
                "or -1 for none",
                f"{self.table.quoted(self.name, i)} (jobs with such a cell: {int(wrong.sum()):,})",
                f"Correct them, or {COUNT_THEM}" if never[i] else "Correct them.",
            )
        return np.where(never, submit, times)

    def _times(self) -> Ints:
        """A time or a sign per cell. Numbers as we write them are taken at once, others one by one."""
        numbers = self.table.loose_numbers(self.name)
        plain = (numbers >= 0) & (numbers <= LARGEST) & (numbers == np.floor(numbers))
        none = numbers == UNKNOWN
        times = np.where(none, NO_DEADLINE, np.where(plain, numbers, 0).astype(np.int64))
        odd = np.flatnonzero(~plain & ~none)
        if len(odd):
            texts = self.table.texts(self.name)
            times[odd] = [_time(texts[i]) for i in odd.tolist()]
        return times


def file_deadlines(workload: Workload, path: str, impossible: Impossible) -> Ints:
    """A deadline per job out of a CSV file with the columns job_id and deadline."""
    table = read_csv_table(path)
    table.need("job_id", "deadline")
    ids = table.whole("job_id")
    order = np.argsort(workload.id)
    place = np.minimum(np.searchsorted(workload.id, ids, sorter=order), len(order) - 1)
    rows = order[place]
    unknown = workload.id[rows] != ids
    if unknown.any():
        raise table.refusal(
            int(np.argmax(unknown)),
            f"jobs of '{workload.name}' as it is after cleaning",
            f"job {ids[np.argmax(unknown)]}, which is not there (such rows: {int(unknown.sum()):,})",
            "Remove them, or check that the file belongs to this log.",
        )
    first, count = np.unique(ids, return_counts=True)
    if (count > 1).any():
        twice = first[np.argmax(count > 1)]
        again = int(np.flatnonzero(ids == twice)[1])
        raise table.refusal(again, "each job once", f"job {twice} again", "Keep one of its rows.")
    found = np.full(len(workload), NO_DEADLINE, np.int64)
    found[rows] = Cells(table).deadlines(ids, workload.submit[rows], impossible)
    return found


def check_digest(path: str, digest: str) -> None:
    """Refuse a file that is not the one a study began with."""
    if sha256(file_bytes(path)).hexdigest() != digest:
        raise InputError(
            f"{path}: the file changed after the study began. Start the study again: it keeps what "
            "is done and runs the rest with the file as it is now."
        )


def _time(text: str) -> int:
    cleaned = text.strip()
    if not cleaned:
        return NO_DEADLINE
    try:
        value = float(cleaned) if "_" not in cleaned else 0.5
    except ValueError:
        return _UNREADABLE
    if value == -1:
        return NO_DEADLINE
    if math.isnan(value) or value < 0:
        return _NEVER
    return int(value) if 0 <= value <= LARGEST and value == int(value) else _UNREADABLE
