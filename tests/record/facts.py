"""All facts of the record, found in processes side by side."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Protocol

from tests.record.commands import documented
from tests.record.live import STEERED
from tests.record.replays import replays
from tests.record.reports import REPORTS

_CHUNK = 2


class Question(Protocol):
    """Something to be found out: a few lines of the record. ``about``: what these begin with."""

    @property
    def about(self) -> str: ...

    def lines(self) -> list[str]: ...


def questions() -> list[Question]:
    """All of the record; what takes long comes first."""
    return [*REPORTS, *documented(), *STEERED, *replays()]


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
