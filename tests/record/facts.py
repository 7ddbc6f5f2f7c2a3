"""All facts of the record, found in processes side by side."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple, Protocol

from tests.record.commands import (
    STUDY_PAGES,
    UNRECORDED_COMMANDS,
    UNRECORDED_PAGES,
    documented,
)
from tests.record.live import STEERED
from tests.record.replays import UNRECORDED_ESTIMATES, replays
from tests.record.reports import REPORTS

_CHUNK = 2


class Question(Protocol):
    """Something to be found out: a few lines of the record. ``about``: what these begin with."""

    @property
    def about(self) -> str: ...

    def lines(self) -> list[str]: ...


class LeftOut(NamedTuple):
    """What the record does not have, by name."""

    what: str
    why: str

    @property
    def about(self) -> str:
        return f"left out {self.what}"

    def lines(self) -> list[str]:
        return [f"{self.about} -> {self.why}"]


LEFT_OUT = (
    *(LeftOut(f"estimate {name}", why) for name, why in UNRECORDED_ESTIMATES.items()),
    *(LeftOut(f"page {name}", why) for name, why in UNRECORDED_PAGES.items()),
    *(LeftOut(f"commands with {part}", why) for part, why in UNRECORDED_COMMANDS.items()),
    LeftOut("packwise study", f"run on {', '.join(STUDY_PAGES)} alone: it takes most of the time"),
)


def questions() -> list[Question]:
    """All of the record; what takes long comes first."""
    return [*REPORTS, *documented(), *STEERED, *replays(), *LEFT_OUT]


def answers(asked: Sequence[Question], processes: int) -> Iterator[str]:
    """The lines of the record, in the order of the questions; how far it is comes on the error stream."""
    # Processes of their own, not copies of this one: compiled code and threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        for done, lines in enumerate(pool.map(_answer, asked, chunksize=_CHUNK), 1):
            yield from lines
            if done % 20 == 0 or done == len(asked):
                print(f"\r{done:,} of {len(asked):,}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def _answer(question: Question) -> list[str]:
    return question.lines()
