"""What the worker processes of all executors have in common."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from packwise.experiments.work import Done, Failed, Task, failed, perform
from packwise.model.errors import PackwiseError

#: Workers are as many as cores, so each has one thread.
ONE_THREAD = dict.fromkeys(
    ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"
)

#: A scenario is tried this often with workers that die; the last time no other is under way.
ATTEMPTS = 3


class WorkerDied(PackwiseError):
    """The process that replayed a scenario ended before it answered, again and again."""

    def __init__(self, how: str) -> None:
        super().__init__(
            f"the worker process died each time it replayed this scenario ({how}). Out of memory? "
            "The last attempt was made with no other scenario under way. Look for what kills it: "
            "the system's log, or a policy that ends its own process."
        )


def answer(task: Task, content: bytes | None = None) -> Done | Failed:
    """Perform a task. Even what is no error as such, say sys.exit() in a policy, becomes a Failed."""
    try:
        return perform(task, content)
    except BaseException as error:
        return failed(task.scenario, error, "".join(traceback.format_exception(error)))


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until the end of the block; processes and threads begun inside do not hear it.

    A terminal sends it to all processes of a command. The parent is who decides what to do.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
