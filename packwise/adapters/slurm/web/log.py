"""What a server has to say of itself, on stderr: no line twice a second, and none that waits for a reader."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from packwise.files.streams import takes

#: The libraries that say something.
_LOGGERS = ("uvicorn", "uvicorn.error", "asyncio")
#: Seconds between two equal lines; so many different ones are known; so much of one is written, which a pipe
#: takes at once or not at all.
_PAUSE, _KNOWN, _LONGEST = 1.0, 100, 4096


class SparingLog(logging.Handler):
    """Writes to a stream by its number. ``clock``: in seconds."""

    def __init__(self, number: int = 2, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._number = number
        self._clock = clock
        #: When a message was written last, and how often it came since.
        self._known: dict[str, tuple[float, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        now = self._clock()
        last, missed = self._known.pop(text, (-_PAUSE, 0))
        if now - last < _PAUSE:
            self._known[text] = (last, missed + 1)
            return
        while len(self._known) >= _KNOWN:
            del self._known[next(iter(self._known))]
        self._known[text] = (now, 0)
        self._write(self.format(record) + (f" ({missed} times more before)" if missed else ""))

    def _write(self, text: str) -> None:
        line = text.encode(errors="backslashreplace")[: _LONGEST - 1] + b"\n"
        with suppress(OSError, ValueError):
            if takes(self._number):
                os.write(self._number, line)


@contextmanager
def logged_sparingly(handler: logging.Handler | None = None) -> Iterator[None]:
    """The libraries of the server write through a ``SparingLog`` meanwhile, and nowhere else."""
    handler = handler or SparingLog()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(one, one.handlers, one.propagate) for one in loggers]
    for one in loggers:
        one.handlers, one.propagate = [handler], False
    try:
        yield
    finally:
        for one, handlers, propagate in before:
            one.handlers, one.propagate = handlers, propagate
