"""A trial reading of a Parquet file in a process of its own.

Polars is made for speed, not for files that somebody has damaged: on a wrong length in a page it asks for
exabytes and aborts, which no caller can catch, and on other faults it panics with a stack trace on stderr. So
a file that was not read before is first read by somebody whose death does not matter.
"""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

_READ = """
import sys
import polars as pl
try:
    pl.read_parquet(sys.stdin.buffer.read())
except BaseException as error:
    sys.stdout.buffer.write(str(error).encode(errors="replace"))
    sys.exit(99)
"""
_REFUSED = 99
#: What Windows gives a process that crashed is an error code with its highest bits set.
_CRASHED = 0xC0000000

_sound: set[bytes] = set()


def trial(content: bytes) -> str | None:
    """Why a Parquet file cannot be read; None if it can, or if it cannot be tried."""
    digest = sha256(content).digest()
    if digest in _sound:
        return None
    try:
        done = subprocess.run(
            [sys.executable, "-c", _READ], input=content, capture_output=True, check=False
        )
    except OSError:
        return None
    if done.returncode == _REFUSED:
        return done.stdout.decode(errors="replace").split("\n", 1)[0][:200]
    if done.returncode < 0 or done.returncode >= _CRASHED:
        return "reading it crashes"
    _sound.add(digest)
    return None
