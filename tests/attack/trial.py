"""One case tried in this process: what was wrong, with anything that nobody expected as a fault of its own."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.attack.fronts import Drawn, case_of

#: No case needs more than some seconds, even on a machine with other work: this is a hang.
HANG_SECONDS = 600


class Outcome(NamedTuple):
    drawn: Drawn
    faults: list[str]


def attempt(drawn: Drawn) -> Outcome:
    """Draw the case and let its front judge it."""
    with TemporaryDirectory(prefix="packwise-attack-") as folder, _no_hang():
        try:
            faults = case_of(drawn.front)(drawn.seed, Path(folder))
        except Exception:
            faults = [traceback.format_exc(limit=-6)]
    return Outcome(drawn, faults)


@contextmanager
def _no_hang() -> Iterator[None]:
    """An endless loop ends the case. Compiled code is not interrupted: the alarm is raised when it returns."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"a hang: more than {HANG_SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(HANG_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
