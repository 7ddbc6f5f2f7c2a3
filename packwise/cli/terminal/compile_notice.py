"""Telling the user why the first replay takes a while: the engine is being compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.status import Status

MESSAGE = "Compiling the engine (first use only; cached afterwards)"

_listening = False


def announce_compilation() -> None:
    """From now on in this process, say so when a part of Packwise has to be compiled."""
    global _listening
    if _listening:
        return
    from numba.core import event

    class Notice(event.Listener):
        """Counts nested compilations; shows a spinner, or one line where there is no terminal."""

        def __init__(self) -> None:
            self.depth = 0
            self.said = False
            self.status: Status | None = None

        def on_start(self, happening: Any) -> None:
            if not _is_ours(happening):
                return
            self.depth += 1
            if self.depth > 1:
                return
            from packwise.cli.terminal import stderr

            console = stderr()
            if console.is_terminal:
                self.status = console.status(MESSAGE)
                self.status.start()
            elif not self.said:
                console.print(f"{MESSAGE} ...")
                self.said = True

        def on_end(self, happening: Any) -> None:
            if not _is_ours(happening):
                return
            self.depth -= 1
            if self.depth == 0 and self.status is not None:
                self.status.stop()
                self.status = None

    event.register("numba:compile", Notice())  # type: ignore[no-untyped-call]
    _listening = True


def _is_ours(happening: Any) -> bool:
    """Not a user's sort key, which is compiled in a moment, and each time."""
    details = happening.data
    function = getattr(details.get("dispatcher"), "py_func", None) if details else None
    return str(getattr(function, "__module__", "")).startswith("packwise.")
