"""When something goes wrong: one line on stderr, and an exit status that tells what."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

INFEASIBLE = 1
BAD_INPUT = 2
BAD_OUTPUT = 3
BAD_POLICY = 4
INTERRUPTED = 130
CLOSED_PIPE = 141

EXIT_STATUS = (
    "Exit status: 0 done, 1 a check found problems or scenarios failed, 2 bad input or usage, 3 a "
    "result could not be written, 4 a policy broke its contract, 130 interrupted, 141 nobody reads the output."
)


class Commands(TyperGroup):
    """A group of commands that turns the errors Packwise raises into messages."""

    def invoke(self, ctx: Any) -> Any:
        from packwise.cli.terminal.compiling import compiling
        from packwise.files.inputs import inputs_kept
        from packwise.warm_up import telling

        telling.while_waiting = compiling
        try:
            with inputs_kept():
                answer = super().invoke(ctx)
            sys.stdout.flush()  # a full disk shows here, not after the last chance to say so
            return answer
        except KeyboardInterrupt as error:
            print("interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from error
        except MemoryError as error:
            complain("there is not enough memory. Use a part of the workload: --count, --until.")
            raise typer.Exit(BAD_INPUT) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader has left: nothing to say
                forget(sys.stdout)
                raise typer.Exit(CLOSED_PIPE) from error
            complain(f"a file or stdout could not be used ({error}).")
            forget(sys.stdout)
            raise typer.Exit(BAD_OUTPUT) from error
        except Exception as error:
            status = _status(error)
            if status is None:
                raise
            complain(str(error))
            raise typer.Exit(status) from error


def forget(stream: TextIO) -> None:
    """What is still in its buffer goes nowhere, rather than failing again at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(message: str) -> None:
    """'error: ...' on stderr, in red on a terminal."""
    from rich.markup import escape

    from packwise.cli.terminal import printable, stderr

    shown = escape(printable(message, lines=True))
    stderr().print(f"[bold red]error:[/] {shown}", soft_wrap=True)


def _status(error: Exception) -> int | None:
    """The exit status for an error that Packwise raised on purpose; None for any other."""
    from packwise.model.errors import OutputError, PackwiseError, PolicyError

    if not isinstance(error, PackwiseError):
        return None
    if isinstance(error, OutputError):
        return BAD_OUTPUT
    return BAD_POLICY if isinstance(error, PolicyError) else BAD_INPUT
