"""A trial reading of a Parquet file in a process of its own.

Polars is made for speed, not for files that somebody has damaged: on a wrong length in a page it asks for
exabytes and aborts, which no caller can catch, and on other faults it panics with a stack trace on stderr. So
a file that was not read before is first read by somebody whose death does not matter, and whose memory is
limited.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256

from packwise.files.expansion import check_expansion, most_expanded
from packwise.model.errors import FormatError

_READ = """
import sys
most, wanted = int(sys.argv[1]), sys.argv[2].split(",")
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30 + most,) * 2)
except Exception:
    pass
import polars as pl
content = sys.stdin.buffer.read()
try:
    from fnmatch import fnmatchcase
    there = [n for n in pl.read_parquet_schema(content) if any(fnmatchcase(n, w) for w in wanted)]
    rows = pl.scan_parquet(content).select(pl.len()).collect().item()
    size = 8 * rows * max(len(there), 1)
    if size <= most:
        for name in there:
            column = pl.read_parquet(content, columns=[name])[name]
            size += column.str.len_bytes().sum() if column.dtype == pl.String else 0
except BaseException as error:
    sys.stdout.buffer.write(str(error).encode(errors="replace"))
    sys.exit(99)
print(size)
"""
_REFUSED = 99
#: What Windows gives a process that crashed is an error code with its highest bits set.
_CRASHED = 0xC0000000

_sound: set[bytes] = set()


def trial(path: str | os.PathLike[str], content: bytes, wanted: Sequence[str]) -> None:
    """Refuse a Parquet file that cannot be read, or whose ``wanted`` columns do not fit into the memory.

    Where no process can be started it is not tried.
    """
    digest = sha256(content).digest()
    if digest in _sound or not sys.executable or getattr(sys, "frozen", False):
        return
    try:
        done = subprocess.run(
            [sys.executable, "-c", _READ, str(most_expanded(len(content))), ",".join(wanted)],
            input=content,
            capture_output=True,
            check=False,
            env={**os.environ, "POLARS_MAX_THREADS": "2"},
        )
    except OSError:
        return
    told = done.stdout.decode(errors="replace").split("\n", 1)[0][:200]
    if done.returncode == _REFUSED:
        raise unreadable(path, told)
    if done.returncode < 0 or done.returncode >= _CRASHED:
        raise unreadable(path, "reading it crashes")
    if told.isdecimal():
        check_expansion(path, len(content), int(told))
    _sound.add(digest)


def unreadable(path: str | os.PathLike[str], reason: str) -> FormatError:
    """The refusal of a file that is not Parquet, or damaged."""
    return FormatError(
        str(path),
        expected="a Parquet file",
        found=f"one that cannot be read ({reason})",
        remedy="Write or copy it again.",
    )
