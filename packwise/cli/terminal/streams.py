"""stdout and stderr when nobody reads them: a command ends quietly, as other Unix tools do."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper

from packwise.cli.terminal.failures import BAD_OUTPUT, CLOSED_PIPE, complain, forget


def run_quietly(command: Callable[[], object]) -> None:
    """Run a command that ends with SystemExit, as all do, with streams that can be written to."""
    _open_streams()
    try:
        command()
        status: int | str | None = 0
    except SystemExit as end:
        # Rich and Click answer a closed pipe themselves, with the status of a check that found problems.
        left = isinstance(end.__context__, OSError) and end.__context__.errno == errno.EPIPE
        status = CLOSED_PIPE if left else end.code
    except OSError as error:  # of the help, which is printed before a command begins
        status = _unwritten(error)
    sys.exit(_flushed(status))


def _open_streams() -> None:
    """Where a stream is closed there is one that nobody reads, lest a file that is opened takes its place."""
    if sys.stdin is None:
        _take(0, os.open(os.devnull, os.O_RDONLY))
    if sys.stdout is None:
        reader, writer = os.pipe()
        if reader == 1:
            reader = os.dup(reader)
        _take(1, writer)
        os.close(reader)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        _take(2, os.open(os.devnull, os.O_WRONLY))
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without Σ shows '?', it does not fail
            stream.reconfigure(errors="replace")


def _take(number: int, handle: int) -> None:
    """Give an open file the number of a standard stream."""
    if handle != number:
        os.dup2(handle, number)
        os.close(handle)


def _flushed(status: int | str | None) -> int | str | None:
    """The exit status, once all is written."""
    try:
        sys.stdout.flush()
    except OSError as error:
        status = _unwritten(error)
    if status == CLOSED_PIPE:
        forget(sys.stdout)
    try:
        sys.stderr.flush()
    except OSError:  # Python would end with a status of its own
        forget(sys.stderr)
    return status


def _unwritten(error: OSError) -> int:
    """The exit status where stdout could not be written to; what is in its buffer goes nowhere."""
    forget(sys.stdout)
    if error.errno == errno.EPIPE:
        return CLOSED_PIPE
    try:
        complain(f"stdout could not be used ({error}).")
    except (OSError, SystemExit):  # Rich ends where nobody reads the message
        return CLOSED_PIPE
    return BAD_OUTPUT
