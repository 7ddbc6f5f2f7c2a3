"""Pipes that nobody reads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def unread(kind: str) -> Iterator[int]:
    """The end of a pipe that takes nothing; of one that is read, the other end as well."""
    reader, writer = os.pipe()
    if kind == "full":
        os.set_blocking(writer, False)
        with suppress(BlockingIOError):
            while True:
                os.write(writer, b"x" * 4096)
        os.set_blocking(writer, True)
    elif kind == "closed":
        os.close(reader)
    try:
        yield writer
    finally:
        os.close(writer)
        if kind != "closed":
            os.close(reader)
