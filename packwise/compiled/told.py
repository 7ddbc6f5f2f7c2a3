"""Who waits is told: when a function begins to be compiled, when it is done, and how long that took.

numba documents these events, in a module of its inside (https://numba.readthedocs.io/en/stable/developer/event_api.html).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FunctionType, SimpleNamespace
from typing import Any

_COMPILING = "numba:compile"


def timed(seconds: list[float]) -> AbstractContextManager[object]:
    """Adds the seconds of each compilation inside to a list; of nested ones, only the outermost."""
    from numba.core import event

    timer: AbstractContextManager[object] = event.install_timer(_COMPILING, seconds.append)
    return timer


def listen(begins: Callable[[FunctionType], None], ends: Callable[[FunctionType], None]) -> None:
    """From now on in this process, call these around each compilation, with its function; nested ones too."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, happening: Any) -> None:
            _tell(begins, happening)

        def on_end(self, happening: Any) -> None:
            _tell(ends, happening)

    event.register(_COMPILING, Listener())  # type: ignore[no-untyped-call]


def _tell(whom: Callable[[FunctionType], None], happening: Any) -> None:
    function = getattr((happening.data or {}).get("dispatcher"), "py_func", None)
    if function is not None:
        whom(function)


@contextmanager
def telling(function: Callable[..., Any]) -> Iterator[None]:
    """Whoever listens hears that a function is compiled inside: numba itself tells of some kinds only."""
    from numba.core import event

    data = {"dispatcher": SimpleNamespace(py_func=function)}
    with event.trigger_event(_COMPILING, data=data):
        yield
