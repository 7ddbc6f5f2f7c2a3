"""What the state folder tells: the status, how old it is, and the last entries of the journal."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from packwise.adapters.slurm import journal, status
from packwise.adapters.slurm.kept_files import MOST, open_kept

#: The shortest time after which nobody seems to plan any more, in seconds, and in intervals.
_PATIENCE = 30.0
_INTERVALS = 3
#: While rounds fail they are tried once a minute, or more often.
_TRIED = 150.0
#: Asking Slurm takes a tenth of the time at most, so a round that asks for long is followed by a long rest.
_REST = 10
#: So much of a journal is read from its end.
_TAIL = 4 * 1024**2


class Found(NamedTuple):
    """A status as it was found: ``told``, None where there is none that can be read; its bytes as JSON, packed
    as well; when it was written; and what is wrong with it, in words.
    """

    tag: str
    told: dict[str, Any] | None
    body: bytes
    packed: bytes
    written: float
    problem: str

    def age(self, now: float) -> float:
        """For how long it has been there."""
        return max(now - self.written, 0.0)

    @property
    def failing(self) -> float:
        """How old the plan was when the status was written: more than nothing while rounds fail."""
        return number((self.told or {}).get("failing"))

    @property
    def stale_after(self) -> float:
        """The age at which nobody seems to plan any more."""
        told = self.told or {}
        seconds = told.get("seconds")
        parts = seconds if isinstance(seconds, dict) else {}
        asked = number(parts.get("read")) + number(parts.get("send"))
        shortest = _TRIED if self.failing else _PATIENCE
        return max(_INTERVALS * number(told.get("interval")), shortest) + _REST * asked

    def stale(self, now: float) -> bool:
        return self.age(now) > self.stale_after


class StateFolder:
    """Looks at a folder. A file is read again only when it has changed. ``clock``: seconds since 1970."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = folder
        self.clock = clock
        self._lock = Lock()
        self._found: Found | None = None

    def tags(self) -> tuple[str, str]:
        """What changes when the status changes, and when the journal does; empty where there is none."""
        return _tag(self.path / status.NAME), _tag(self.path / journal.NAME)

    def status(self) -> Found:
        """The status as it is now."""
        with self._lock:
            tag = _tag(self.path / status.NAME)
            if self._found is None or self._found.tag != tag or not tag:
                self._found = self._read()
            return self._found

    def _read(self) -> Found:
        try:
            with os.fdopen(open_kept(self.path, status.NAME, os.O_RDONLY), "rb") as file:
                facts = os.fstat(file.fileno())
                raw = file.read(MOST + 1)
        except FileNotFoundError:
            return _nothing("", "nobody has planned here yet")
        except OSError as error:
            return _nothing("", f"the status cannot be read ({error.strerror or error})")
        tag = _tag_of(facts)
        if len(raw) > MOST:
            return _nothing(tag, "the status is longer than any of ours")
        try:
            told = json.loads(raw, parse_constant=lambda name: None)
        except (ValueError, RecursionError):
            return _nothing(tag, "the status is no JSON")
        if not isinstance(told, dict) or told.get("version") != 1:
            return _nothing(tag, "the status is of another version of Packwise")
        body = json.dumps(told, separators=(",", ":")).encode()
        return Found(tag, told, body, gzip.compress(body, 5), facts.st_mtime, "")

    def journal(self, last: int) -> list[dict[str, Any]]:
        """The last entries, oldest first; those of the file before, too, where this one is short."""
        entries: list[dict[str, Any]] = []
        for name in (journal.NAME, f"{journal.NAME}.1"):
            if len(entries) < last:
                entries = [*_entries(self.path, name, last - len(entries)), *entries]
        return entries


def _nothing(tag: str, problem: str) -> Found:
    body = json.dumps({"problem": problem}).encode()
    return Found(tag, None, body, gzip.compress(body), 0.0, problem)


def _tag(path: Path) -> str:
    try:
        return _tag_of(path.lstat())
    except OSError:
        return ""


def _tag_of(facts: os.stat_result) -> str:
    return f"{facts.st_mtime_ns:x}-{facts.st_size:x}-{facts.st_ino:x}"


def _entries(folder: Path, name: str, last: int) -> list[dict[str, Any]]:
    """The last entries of a file, as far as its end reaches. A broken line is passed over."""
    try:
        with os.fdopen(open_kept(folder, name, os.O_RDONLY), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - _TAIL, 0))
            lines = file.read(_TAIL).split(b"\n")
    except OSError:
        return []
    found: list[dict[str, Any]] = []
    for line in reversed(lines):
        if len(found) == last:
            break
        try:
            entry = json.loads(line, parse_constant=lambda name: None)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and isinstance(entry.get("time"), int | float):
            found.append(entry)
    return found[::-1]


def number(value: object) -> float:
    """A number as it is; 0 for anything else, and for one that no float can be."""
    try:
        return float(value) if isinstance(value, int | float) else 0.0
    except OverflowError:
        return 0.0
