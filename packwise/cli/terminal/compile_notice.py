"""Telling the user why the first replay takes a while: the engine is being compiled."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

MESSAGE = "Compiling {part} (first use only; cached afterwards)"

#: What is compiled, by the beginning of the module's name after ``packwise.``; the first that fits counts.
_PARTS = (
    ("engine.pool.list_round", "list scheduling"),
    ("engine.pool.conservative", "conservative backfilling"),
    ("engine.pool.deadline_backfilling", "deadline-based backfilling"),
    ("engine.nodes.list_round", "list scheduling on nodes"),
    ("engine.nodes.conservative", "conservative backfilling on nodes"),
    ("engine.nodes", "nodes"),
    ("engine.fair_start", "fair start times"),
    ("engine", "the event loop"),
    ("optimise.kernels.search", "the order search"),
    ("optimise.kernels.nodes_search", "the order search on nodes"),
    ("optimise.kernels.offline", "the off-line search"),
    ("optimise.kernels.profit", "plans for profit"),
    ("optimise", "plans and bounds of a round"),
    ("predict", "predictors"),
    ("workloads", "the reader of logs"),
)

_listening = False
_before: Callable[[], None] | None = None


def announce_compilation(before: Callable[[], None] | None = None) -> None:
    """From now on in this process, say so when a part of Packwise has to be compiled. ``before``: called then,
    for whoever has something to show first.
    """
    global _listening, _before
    _before = before
    if _listening:
        return
    from packwise.compiled.told import listen

    notice = _Notice()
    listen(notice.begins, notice.ends)
    _listening = True


class _Notice:
    """Counts nested compilations; shows a spinner, or a line for each part where there is no terminal."""

    def __init__(self) -> None:
        self._depth = 0
        self._said: set[str] = set()
        self._status: Status | None = None

    def begins(self, function: FunctionType) -> None:
        if not _is_ours(function):
            return
        self._depth += 1
        if self._depth > 1:
            return
        from packwise.cli.terminal import meanwhile, stderr
        from packwise.cli.terminal.progress import hush

        hush()
        if _before is not None:
            _before()
        console = stderr()
        message = MESSAGE.format(part=_part(function))
        if console.is_interactive:
            self._status = console.status(message)
            self._status.start()
        elif message not in self._said:
            meanwhile(message)
            self._said.add(message)

    def ends(self, function: FunctionType) -> None:
        if not _is_ours(function):
            return
        self._depth -= 1
        if self._depth == 0 and self._status is not None:
            self._status.stop()
            self._status = None


def _is_ours(function: FunctionType) -> bool:
    """Not a user's sort key, which is compiled in a moment, and each time."""
    return function.__module__.startswith("packwise.")


def _part(function: FunctionType) -> str:
    """What is being compiled, in words."""
    module = function.__module__.removeprefix("packwise.")
    return next((words for begin, words in _PARTS if module.startswith(begin)), "a part")
