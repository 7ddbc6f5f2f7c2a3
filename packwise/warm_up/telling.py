"""Who waits for compiling is told: in a line on stderr when it begins; on a terminal meanwhile, too."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress

#: What is shown while somebody waits, given who tells how far it is; the command line has more to show.
while_waiting: Callable[[Callable[[], str]], AbstractContextManager[object]] = nullcontext

#: What takes no longer, in seconds, is not worth a line.
_PATIENCE = 1.0
#: Names in a line.
_NAMED = 4


def say_begin(labels: Sequence[str], seconds: float) -> None:
    """Compiling begins: what, and about how long it takes."""
    if seconds < _PATIENCE:
        return
    words = ", ".join(label[0].lower() + label[1:] for label in labels[:_NAMED])
    more = ", ..." if len(labels) > _NAMED else ""
    parts = "1 part" if len(labels) == 1 else f"{len(labels)} parts"
    with suppress(OSError, ValueError, AttributeError):  # nobody there to be told
        print(
            f"... Compiling {parts} of Packwise ({words}{more}), first use only, about {seconds:.0f} s",
            file=sys.stderr,
            flush=True,
        )
