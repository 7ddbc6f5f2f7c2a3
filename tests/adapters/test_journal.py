"""The journal: rotation, a disk that is full, and lines that were torn."""

from __future__ import annotations

import errno
import io
import json
import os

import pytest

from packwise.adapters.slurm.journal import NAME, Journal, read_journal
from packwise.model.errors import InputError, OutputError


@pytest.fixture
def clock():
    moments = iter(range(1000, 10**6))
    return lambda: next(moments)


def texts(folder):
    return [entry["text"] for entry in read_journal(folder)]


def test_entries(tmp_path, clock):
    journal = Journal(tmp_path / "a/b", clock)
    journal.write("note", "first\n\x1b[2J ☃", more=3, path=tmp_path)
    journal.write("send", "second")
    first, second = read_journal(tmp_path / "a/b")
    assert first == {
        "time": 1000, "kind": "note", "text": "first\n\x1b[2J ☃", "more": 3, "path": str(tmp_path),
    }  # fmt: skip
    assert second["kind"] == "send"
    raw = (tmp_path / "a/b" / NAME).read_bytes()
    assert raw.count(b"\n") == 2
    assert b"\x1b" not in raw
    assert raw.isascii()
    assert journal.recent[0]["text"] == first["text"]


def test_files_are_closed_at_a_size_and_eight_of_them_kept(tmp_path, clock):
    journal = Journal(tmp_path, clock, largest=200)
    for k in range(100):
        journal.write("note", f"entry {k}")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {NAME, *(f"{NAME}.{k}" for k in range(1, 8))}
    found = texts(tmp_path)
    assert found == [f"entry {k}" for k in range(100 - len(found), 100)]
    assert len(found) > 20
    assert max(path.stat().st_size for path in tmp_path.iterdir()) < 300
    assert journal.lost == 0


class Disk:
    """Takes so many more bytes, and then says that it is full."""

    def __init__(self, monkeypatch, room):
        self.room = room
        theirs = io.FileIO.write
        disk = self

        class Full(io.FileIO):
            def write(self, data):
                part = bytes(data)[: disk.room]
                disk.room -= len(part)
                if not part:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return theirs(self, part)

        def opened(handle, mode="r", buffering=-1, **more):
            if mode != "ab":
                return open(handle, mode, buffering, **more)
            raw = Full(handle, mode)
            return raw if buffering == 0 else io.BufferedWriter(raw)

        monkeypatch.setattr(os, "fdopen", opened)


@pytest.mark.parametrize("room", [0, 1, 30])
def test_a_full_disk(tmp_path, clock, monkeypatch, room):
    journal = Journal(tmp_path, clock)
    journal.write("note", "before")
    disk = Disk(monkeypatch, room)
    for k in range(5):
        journal.write("note", f"lost {k}")
        disk.room = max(disk.room, min(room, 20))
    assert journal.lost == 5
    assert [entry["text"] for entry in journal.recent] == [
        "before",
        *(f"lost {k}" for k in range(5)),
    ]
    raw = (tmp_path / NAME).read_bytes()
    assert raw.endswith(b"\n")  # no half a line
    assert texts(tmp_path) == ["before"]
    disk.room = 10**6
    journal.write("note", "after")
    assert journal.lost == 0
    before, said, after = read_journal(tmp_path)
    assert said["kind"] == "trouble"
    assert said["text"].startswith("5 entries were lost")
    assert (before["text"], after["text"]) == ("before", "after")


def test_a_folder_that_vanishes(tmp_path, clock):
    journal = Journal(tmp_path / "x", clock)
    (tmp_path / "x").rmdir()
    journal.write("note", "lost")
    assert journal.lost == 1
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        Journal(tmp_path / "file", clock)


def test_a_line_that_was_torn(tmp_path, clock):
    Journal(tmp_path, clock).write("note", "before")
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{"time": 3, "ki')
    journal = Journal(tmp_path, clock)
    journal.write("note", "after")
    journal.write("note", "and on")
    assert texts(tmp_path) == ["before", "after", "and on"]


def test_lines_that_are_none(tmp_path):
    lines = [
        b"", b"nonsense", b"[]", b"3", b'{"kind": "note"}', b'{"time": "now"}', b'{"time": NaN}',
        b'{"time": 1e400}', b'{"time": 1e30}', b"\xff\xfe", b"[" * 10**5, json.dumps({"time": 5}).encode(),
    ]  # fmt: skip
    (tmp_path / NAME).write_bytes(b"\n".join(lines))
    assert list(read_journal(tmp_path)) == [{"time": 5}]


def test_no_journal(tmp_path):
    with pytest.raises(InputError, match="there is no journal"):
        list(read_journal(tmp_path))
