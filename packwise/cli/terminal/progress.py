"""What shows on stderr while something takes long; nothing where there is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

#: Whatever takes no longer than this, in seconds, is not worth a line.
PATIENCE = 2.0

_stop: Callable[[], None] | None = None


@contextmanager
def busy(label: str) -> Iterator[None]:
    """A line that tells what is being done and for how long, once that takes a while: how much is left is not
    known.
    """
    from packwise.cli.terminal import stderr

    console = stderr()
    if not console.is_interactive:
        yield
        return
    from threading import Timer

    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    line = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    line.add_task(label)
    timer = Timer(PATIENCE, line.start)
    timer.daemon = True

    def stop() -> None:
        timer.cancel()
        timer.join()
        line.stop()

    global _stop
    _stop = stop
    timer.start()
    try:
        yield
    finally:
        hush()


def hush() -> None:
    """Take the line away, if there is one: somebody else has something to show."""
    global _stop
    if _stop is not None:
        _stop()
        _stop = None


@contextmanager
def step_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A callback that is told how many steps are done, and of how many. A line as ``busy`` has it becomes a bar
    with the first report after a while.
    """
    from packwise.cli.terminal import stderr

    console = stderr()
    begin = monotonic()
    bar: Progress | None = None
    task = None

    def report(done: int, total: int) -> None:
        nonlocal bar, task
        if bar is None and monotonic() - begin > PATIENCE and console.is_interactive:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            hush()
            bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            bar.start()
            task = bar.add_task(label, total=total)
        if bar is not None and task is not None:
            bar.update(task, completed=done)

    with busy(label):
        try:
            yield report
        finally:
            if bar is not None:
                bar.stop()


@contextmanager
def job_bar(label: str, jobs: int) -> Iterator[Callable[[int], None] | None]:
    """A callback for ``simulate``: told the jobs submitted so far, it draws them.

    The bar appears with the first report, that is, once the engine is compiled; a replay that is
    over before its first report never shows one.
    """
    from packwise.cli.terminal import stderr

    console = stderr()
    if not console.is_interactive:
        yield None
        return
    bar: Progress | None = None
    task = None

    def report(submitted: int) -> None:
        nonlocal bar, task
        if bar is None and submitted < jobs:
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("jobs"),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            bar.start()
            task = bar.add_task(label, total=jobs)
        if bar is not None and task is not None:
            bar.update(task, completed=submitted)

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()
