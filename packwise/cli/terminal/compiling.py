"""What shows on a terminal while something is compiled that has to be there first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def compiling(how_far: Callable[[], str]) -> Iterator[None]:
    """A spinner with what is compiled and what follows; nothing where there is no terminal."""
    from packwise.cli.terminal import stderr
    from packwise.cli.terminal.progress import hush

    console = stderr()
    if not console.is_interactive:
        yield
        return
    from rich.live import Live
    from rich.spinner import Spinner

    hush()
    spinner = Spinner("dots")

    def shown() -> Spinner:
        spinner.update(text=how_far())
        return spinner

    with Live(console=console, get_renderable=shown, transient=True, refresh_per_second=10):
        yield
