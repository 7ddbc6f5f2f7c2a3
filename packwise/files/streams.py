"""Standard streams of a process that goes on for long, whoever reads them by then."""

from __future__ import annotations

import os
import select


def takes(number: int) -> bool:
    """Whether a stream takes a line now: its reader has neither left nor fallen asleep before a full pipe."""
    asked = select.poll()
    asked.register(number, select.POLLOUT)
    return asked.poll(0) == [(number, select.POLLOUT)]


def give_up_unread() -> None:
    """Standard streams that take nothing now lead nowhere from now on. Called by a handler of a signal it ends
    a write that waits for a reader, too: that goes on with the new stream.
    """
    for number in (1, 2):
        if not takes(number):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)
