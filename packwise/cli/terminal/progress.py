"""A bar on stderr while jobs are replayed; nothing where there is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


@contextmanager
def job_bar(label: str, jobs: int) -> Iterator[Callable[[int], None] | None]:
    """A callback for ``simulate``: told the jobs submitted so far, it draws them.

    The bar appears with the first report, that is, once the engine is compiled; a replay that is
    over before its first report never shows one.
    """
    from packwise.cli.terminal import stderr

    console = stderr()
    if not console.is_terminal:
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
