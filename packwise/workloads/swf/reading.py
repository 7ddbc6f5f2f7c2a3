"""Reading logs in the Standard Workload Format (SWF 2.2), plain or gzip.

``read_swf`` gives the log as found: every job, every field. Nothing is dropped or repaired here;
that is the business of ``packwise.workloads.cleaning``, which counts what it does.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.files.content import file_content
from packwise.model.errors import FormatError
from packwise.model.workload import LARGEST, UNKNOWN, Ints
from packwise.workloads.log_name import log_name
from packwise.workloads.swf.fields import FLOAT_FIELDS, NAMES
from packwise.workloads.swf.header import Header
from packwise.workloads.swf.refusal import binary_content, explain


@dataclass(frozen=True, slots=True, eq=False)
class SwfLog(Header):
    """A log as found: 18 columns, the header, and where each job stood.

    ``columns`` maps the names of ``fields.NAMES`` to arrays, ``line`` gives each job's line
    number, ``header`` all comment lines in file order, and ``fractional`` how many whole-number
    fields held a fraction (rounded to the nearest second). ``text`` is the file, kept if there are any.
    """

    name: str
    path: Path
    columns: dict[str, NDArray[Any]] = field(repr=False)
    line: Ints = field(repr=False)
    fractional: int
    text: bytes = field(default=b"", repr=False)

    def __len__(self) -> int:
        return len(self.line)

    def rounded(self, inside: NDArray[np.bool_]) -> int:
        """How many of the fractions are in these jobs."""
        if not self.fractional or inside.all():
            return self.fractional
        lines = self.text.split(b"\n")
        part = b"\n".join(lines[number - 1] for number in self.line[inside].tolist())
        return _scanned(str(self.path), part).fractional if part else 0


def read_swf(path: str | os.PathLike[str]) -> SwfLog:
    """Read a log; gzip is recognised by its first bytes, whatever the name.

    Raises InputError when the file cannot be opened and FormatError, with the line, when it is not
    SWF: other than 18 fields, text or NaN in a number, a negative submit time (other than -1, which
    is unknown; cleaning drops such jobs), an id used twice, a number of 2^40 or more, a damaged
    gzip file, no jobs.
    """
    content = file_content(path)
    if b"\0" in content:
        raise binary_content(str(path))
    found = _scanned(str(path), content)
    _refuse_unknown_submit(str(path), found.columns, found.line)
    _refuse_duplicates(str(path), found.columns["job_id"], found.line)
    return SwfLog(
        header=tuple(_text(content[begin:end]) for begin, end in found.comments),
        name=log_name(path),
        path=Path(path),
        columns=found.columns,
        line=found.line,
        fractional=found.fractional,
        text=content if found.fractional else b"",
    )


class _Scanned(NamedTuple):
    """What the scanner found; ``comments`` has the start and end of each comment line."""

    columns: dict[str, NDArray[Any]]
    line: Ints
    comments: list[tuple[int, int]]
    fractional: int


def _scanned(path: str, content: bytes) -> _Scanned:
    """The columns of a file; the first line that breaks a rule is refused."""
    from packwise.warm_up.crew import ready
    from packwise.warm_up.needs import READING
    from packwise.workloads.swf.scan import count_lines, scan

    ready(READING)
    data = np.frombuffer(content, np.uint8)
    jobs, remarks = count_lines(data)
    if jobs == 0:
        raise FormatError(
            path,
            expected="at least one job line of 18 numbers",
            found=f"a header of {remarks} lines and no jobs" if remarks else "an empty file",
            remedy="Check that the file was copied or downloaded completely.",
        )
    ints = np.empty((len(NAMES) - len(FLOAT_FIELDS), jobs), np.int64)
    floats = np.empty((len(FLOAT_FIELDS), jobs), np.float64)
    line = np.empty(jobs, np.int64)
    comments = np.empty((remarks, 2), np.int64)
    deferred = np.empty((1024, 4), np.int64)
    for _ in range(2):
        later, fractional, bad, start, end = scan(data, ints, floats, line, comments, deferred)
        if later <= len(deferred):
            break
        deferred = np.empty((later, 4), np.int64)
    whole, decimal = iter(ints), iter(floats)
    columns: dict[str, NDArray[Any]] = {
        name: next(decimal if name in FLOAT_FIELDS else whole) for name in NAMES
    }

    def refuse(job: int) -> FormatError:
        return explain(path, int(line[job]), content.split(b"\n")[int(line[job]) - 1])

    reached = int(np.searchsorted(deferred[:later, 2], start)) if bad else later
    fractional += _settle(content, columns, deferred[:reached], refuse)
    if bad:
        raise explain(path, bad, content[start:end])
    return _Scanned(columns, line, [(a, b) for a, b in comments.tolist()], int(fractional))


def _settle(
    content: bytes,
    columns: dict[str, NDArray[Any]],
    deferred: Ints,
    refuse: Callable[[int], FormatError],
) -> int:
    """Fill in the numbers the scanner left open; returns how many whole numbers had a fraction."""
    fractional = 0
    for job, number, start, end in deferred.tolist():
        name = NAMES[number]
        token = content[start:end].decode("ascii")
        value = float(token)
        if name not in FLOAT_FIELDS and 0.25 <= abs(value) < LARGEST:
            exact = Decimal(token)
            value = float(exact.to_integral_value(ROUND_HALF_UP))
            fractional += exact != value
        elif name not in FLOAT_FIELDS and abs(value) < LARGEST:
            fractional += value != 0
            value = 0.0
        if not abs(value) < LARGEST or (name == "submit" and value < UNKNOWN):
            raise refuse(job)
        columns[name][job] = value
    return fractional


def _refuse_unknown_submit(path: str, columns: dict[str, NDArray[Any]], line: Ints) -> None:
    """A job without submit time is let through only if it never ran: cleaning drops those."""
    wrong = (columns["submit"] < 0) & (columns["runtime"] > 0)
    if wrong.any():
        job = int(np.argmax(wrong))
        raise FormatError(
            path,
            line=int(line[job]),
            expected="a submit time of 0 or more in field 2 (submit time) of a job that ran",
            found=str(columns["submit"][job]),
            remedy="Remove the line, or write the time the job was submitted.",
        )


def _refuse_duplicates(path: str, ids: Ints, line: Ints) -> None:
    if (ids[1:] > ids[:-1]).all():
        return
    order = np.argsort(ids, kind="stable")
    same = np.flatnonzero(ids[order][1:] == ids[order][:-1])
    if len(same) == 0:
        return
    first = same[np.argmin(order[same + 1])]
    raise FormatError(
        path,
        line=int(line[order[first + 1]]),
        expected="a job number that occurs once",
        found=f"job {ids[order[first]]}, which is on line {line[order[first]]} already",
        remedy="Keep one line per job (of a job in several parts, the summary line).",
    )


def _text(line: bytes) -> str:
    line = line.rstrip(b"\r")
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")
