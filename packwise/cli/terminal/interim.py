"""What is known already, while an answer is made: shown on stderr once that takes a while."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Timer
from typing import Self

from packwise.files.streams import takes

#: Seconds after which it is shown.
PATIENCE = 1.0


class Interim:
    """Shown once at most, and never after the answer."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._lock = Lock()
        self._say: Callable[[], None] | None = None
        self._timer: Timer | None = None

    def begin(self, say: Callable[[], None]) -> None:
        """From now on there is something to show."""
        self._say = say
        self._timer = Timer(self._patience, self.now)
        self._timer.daemon = True
        self._timer.start()

    def now(self) -> None:
        """Show it, unless that was done."""
        with self._lock:
            say, self._say = self._say, None
            if say is not None and takes(2):
                say()

    def over(self) -> None:
        """The answer is there, or there will be none."""
        with self._lock:
            self._say = None
        if self._timer is not None:
            self._timer.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.over()
