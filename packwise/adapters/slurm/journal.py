"""The journal: what was seen, decided, sent and answered, a line of JSON each.

It is for people and their tools (grep, jq). A disk that is full does not stop the queue: what could not be
written is counted, and said as soon as there is room again.
"""

from __future__ import annotations

import errno
import json
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from packwise.adapters.slurm.kept_files import facts_of, held, open_kept, rename_kept
from packwise.model.errors import InputError, OutputError

#: A file is closed at this size, and so many of them are kept.
_LARGEST = 16 * 1024**2
_KEPT = 8
#: No entry is longer than that, in bytes.
_LONGEST = 2 * _LARGEST
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
#: What is kept at hand, whether the disk takes it or not.
_AT_HAND = 200
#: No entry is of a later time: the year 9000 or so.
_LATEST = 2**37
NAME = "journal.jsonl"
KINDS = ("begin", "see", "decide", "send", "answer", "note", "trouble", "end")


class Journal:
    """Lines in a folder. ``clock``: seconds since 1970."""

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], float] = time.time,
        largest: int = _LARGEST,
    ) -> None:
        try:
            with held(folder, make=True):
                pass
        except OSError as error:
            raise OutputError(
                f"{folder}: the folder cannot be used ({error.strerror}). Name another one: --state DIR."
            ) from error
        self._folder = folder
        self._clock = clock
        self._largest = largest
        self.recent: deque[dict[str, Any]] = deque(maxlen=_AT_HAND)
        self.lost = 0
        self._torn = _is_torn(folder)

    def write(self, kind: str, text: str, **told: Any) -> None:
        """An entry: its kind, a sentence for people, and what else is told, for programs. Never fails."""
        entry = {"time": round(self._clock(), 3), "kind": kind, "text": text, **told}
        self.recent.append(entry)
        if self.lost:
            missing = {
                "time": entry["time"],
                "kind": "trouble",
                "text": f"{self.lost} entries were lost: they could not be written",
            }
            if not self._append(missing):
                self.lost += 1
                return
            self.lost = 0
        if not self._append(entry):
            self.lost += 1

    def _append(self, entry: dict[str, Any]) -> bool:
        line = (json.dumps(entry, ensure_ascii=True, default=str) + "\n").encode()
        if self._torn:
            line = b"\n" + line
        try:
            self._turn()
            # Unbuffered: nothing is left to be written when it is closed.
            with os.fdopen(open_kept(self._folder, NAME, _APPEND), "ab", buffering=0) as file:
                begin = file.seek(0, os.SEEK_END)
                try:
                    if (file.write(line) or 0) < len(line):
                        raise OSError(errno.ENOSPC, "a part of a line was written")
                except OSError:
                    file.truncate(begin)  # no half a line
                    raise
        except OSError:
            return False
        self._torn = False
        return True

    def _turn(self) -> None:
        """Begin a new file if this one is full."""
        facts = facts_of(self._folder, NAME)
        if facts is None or facts.st_size < self._largest:
            return
        for k in range(_KEPT - 2, 0, -1):
            with suppress(FileNotFoundError):
                rename_kept(self._folder, f"{NAME}.{k}", f"{NAME}.{k + 1}")
        rename_kept(self._folder, NAME, f"{NAME}.1")


def _is_torn(folder: Path) -> bool:
    """Whether a journal ends within a line, as a power cut may leave it."""
    try:
        with os.fdopen(open_kept(folder, NAME, os.O_RDONLY), "rb") as file:
            return (
                file.seek(0, os.SEEK_END) > 0
                and file.seek(-1, os.SEEK_END) >= 0
                and file.read(1) != b"\n"
            )
    except OSError:
        return False


def read_journal(folder: Path) -> Iterator[dict[str, Any]]:
    """The entries, oldest first. A line that is broken, as a power cut may leave one, is passed over."""
    is_there = False
    for name in (*(f"{NAME}.{k}" for k in range(_KEPT, 0, -1)), NAME):
        try:
            handle = open_kept(folder, name, os.O_RDONLY)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise InputError(f"{folder / name}: cannot be read: {error.strerror}.") from error
        is_there = True
        with os.fdopen(handle, "rb") as file:
            for line in _lines(file):
                try:
                    entry = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(entry, dict) and _is_moment(entry.get("time")):
                    yield entry
    if not is_there:
        raise InputError(
            f"there is no journal in {folder}. It begins with `packwise slurm advise` or `steer`; name "
            "their folder: --state DIR."
        )


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file, without those that are longer than any of ours."""
    is_rest = False
    while line := file.readline(_LONGEST):
        is_whole = line.endswith(b"\n") or len(line) < _LONGEST
        if is_whole and not is_rest:
            yield line
        is_rest = not is_whole


def _is_moment(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < _LATEST


def of_job(entries: Iterable[dict[str, Any]], job: str) -> Iterator[dict[str, Any]]:
    """What concerns one job: the lines of commands that name it, its place in plans whenever that changes, and
    whatever else names it.
    """
    named = re.compile(rf"(?<!\w){re.escape(job)}(?!\w)")
    place = ""
    for entry in entries:
        text = str(entry.get("text", ""))
        if entry.get("kind") == "decide":
            found = _place(entry, job)
            if found and found != place:
                yield {**entry, "text": found}
            place = found
        elif entry.get("kind") == "send" and named.search(text):
            program, colon, lines = text.partition(": update")
            kept = [line for line in f"update{lines}".split("; ") if named.search(line)]
            yield {**entry, "text": f"{program}: {'; '.join(kept)}"} if colon and kept else entry
        elif named.search(text):
            yield entry


def _place(entry: dict[str, Any], job: str) -> str:
    """Where a job is in a plan, in words."""
    start, order = (
        value if isinstance(value := entry.get(key), list) else [] for key in ("start", "order")
    )
    if job in start:
        return f"job {job} is to start now"
    return f"job {job} is number {order.index(job) + 1} in the plan" if job in order else ""
