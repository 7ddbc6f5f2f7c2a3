"""A plan that is watched: on a terminal it is drawn anew, elsewhere a line tells of each round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.adapters.slurm.cycle import Cycle
    from packwise.adapters.slurm.live import Live


@contextmanager
def watching(*, live: bool) -> Iterator[Callable[[Live, Cycle | None], None]]:
    """What is called after each round, without a cycle if it has failed. Without ``live`` each plan is printed
    once, as a table.
    """
    from packwise.cli.tables.live import live_plan
    from packwise.cli.terminal import stdout

    console = stdout()
    if not live:

        def printed(live: Live, cycle: Cycle | None) -> None:
            if cycle is None:
                tell_trouble(live)
            elif live.shown is not None:
                console.print(live_plan(live.shown, width=console.width))

        yield printed
        return
    if not console.is_interactive:

        def line(live: Live, cycle: Cycle | None) -> None:
            said = _trouble(live) if cycle is None else _line(live, cycle)
            console.print(said, markup=False, soft_wrap=True)

        yield line
        return
    from rich.live import Live as Screen

    with Screen(console=console, auto_refresh=False) as screen:

        def drawn(live: Live, cycle: Cycle | None) -> None:
            room = max(console.size.height - 8, 5)
            if live.shown is not None:
                screen.update(live_plan(live.shown, room, console.width), refresh=True)
            else:
                tell_trouble(live)

        yield drawn


def tell_trouble(live: Live) -> None:
    """Say beside what is printed that a round has failed, and why."""
    from packwise.cli.terminal import note

    note(_trouble(live))


def _trouble(live: Live) -> str:
    return f"this round has failed, and is tried again: {'; '.join(live.health.values())}"


def _line(live: Live, cycle: Cycle) -> str:
    """A round in one line, for a log."""
    view = cycle.planned.shown.view
    starts = [cycle.planned.job(job).id for job in cycle.planned.ruling.start.tolist()]
    said = [line for sent in cycle.sent for line in sent.problems]
    parts = [
        f"{len(view.queue)} wait, {len(view.running)} run, {view.free} of {view.procs} cores free",
        f"start: {', '.join(starts[:20]) or 'nobody'}{', ...' if len(starts) > 20 else ''}",
        f"{sum(len(sent.command.stdin.splitlines()) or 1 for sent in cycle.sent)} lines sent"
        if cycle.sent
        else "",
        *cycle.notes,
        *said,
        *live.health.values(),
    ]
    return "; ".join(filter(None, parts))
