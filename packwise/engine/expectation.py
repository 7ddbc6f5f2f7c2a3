"""What one replay works with: estimates known beforehand, or a predictor to call as it goes."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from packwise.engine.belief import (
    FINISHED,
    INTERRUPTED,
    OUTLIVED,
    STARTED,
    SUBMITTED,
    WAITING,
)
from packwise.engine.memory import address_of, table_of
from packwise.engine.state import (
    ASK,
    BAD_EVENT,
    BAD_JOB,
    BELIEFS,
    CORRECTION,
    CORRECTOR,
    CORRECTOR_STATE,
    KERNEL,
    LEARNS,
    NOW,
    STATE,
    TO_LIMIT,
    UPDATES,
)
from packwise.model.blame import place_of
from packwise.model.errors import PredictorFailed
from packwise.model.workload import Ints, Workload

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_double, *(ctypes.c_int64,) * 4)

_ASKED = {
    SUBMITTED: "at its submission",
    WAITING: "while it waited",
    OUTLIVED: "when it outlived its estimate",
    STARTED: "at its start",
    FINISHED: "at its end",
    INTERRUPTED: "when it was cut short",
}


class Kernel:
    """A predictor as the loops call it: the address of a C function, and the arrays it works with.

    ``arrays`` are contiguous arrays of int64 or float64; ``whole_numbers`` and ``real_numbers`` give the
    compiled function access to them by their place, row after row where they have rows.
    """

    def __init__(self, address: int, arrays: tuple[Any, ...] = ()) -> None:
        self.address = address
        self._arrays = arrays  # kept alive as long as the addresses are in use
        flat = (a.reshape(-1) if a.flags.c_contiguous else a for a in arrays)
        self._table = table_of(flat)

    @property
    def state(self) -> int:
        return address_of(self._table)


class PythonKernel(Kernel):
    """A Python function of (event, job, time) behind a C callback.

    An exception cannot pass through compiled code: it is kept, the answer is NaN, at which the loops
    stop, and the expectation raises it. That holds for Ctrl-C too, which Python might otherwise raise
    at the door of the callback, where nobody can catch it: see ``interruptible``.
    """

    def __init__(self, function: Callable[[int, int, int], float]) -> None:
        self.error: BaseException | None = None
        self._inside = False
        self._function = function
        self._callback = _CALLBACK(self._answer)
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        assert address is not None
        super().__init__(address)

    def _answer(self, event: int, job: int, time: int, state: int) -> float:
        if self.error is not None:
            return float("nan")
        try:
            self._inside = True
            return float(self._function(event, job, time))
        except BaseException as error:
            self.error = error
            return float("nan")
        finally:
            self._inside = False

    def interrupt(self, *_: object) -> None:
        """Ctrl-C: at once in the user's code, at the next call in ours."""
        if self._inside:
            raise KeyboardInterrupt
        self.error = KeyboardInterrupt()


class Expectation:
    """Estimates for one replay.

    ``initial``: E of each job, which holds unless there is a kernel to ask. ``updates``: whether waiting
    jobs are estimated again when others have ended. ``correction``: one of TO_LIMIT, STEPS, DOUBLING and
    ASK (the corrector's kernel, or the predictor's own).
    """

    def __init__(
        self,
        name: str,
        initial: Ints,
        kernel: Kernel | None = None,
        *,
        updates: bool = False,
        correction: int = TO_LIMIT,
        corrector: Kernel | None = None,
    ) -> None:
        self.name = name
        self.initial = initial
        self._kernels = [k for k in (kernel, corrector) if k is not None]
        self.belief = np.zeros(BELIEFS, np.int64)
        self.belief[CORRECTION] = correction
        if kernel is not None:
            answering = corrector or kernel
            self.belief[[KERNEL, STATE]] = kernel.address, kernel.state
            self.belief[[CORRECTOR, CORRECTOR_STATE]] = answering.address, answering.state
            self.belief[LEARNS] = 1
            self.belief[UPDATES] = updates
        elif correction == ASK:
            raise AssertionError("nobody to ask")

    @property
    def learns(self) -> bool:
        """Whether estimates may change as the replay goes on."""
        return bool(self.belief[LEARNS])

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """While a Python predictor is called from compiled code, Ctrl-C goes through its kernel."""
        kernel = next((k for k in self._kernels if isinstance(k, PythonKernel)), None)
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if kernel is None or not usual or threading.current_thread() is not threading.main_thread():
            yield
            return
        signal.signal(signal.SIGINT, kernel.interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if isinstance(kernel.error, KeyboardInterrupt):
            raise kernel.error

    def failure(self, workload: Workload, counters: Ints) -> BaseException:
        """Why the loop stopped for want of an estimate."""
        job = workload.id[counters[BAD_JOB]]
        when = f"job {job}, {_ASKED[int(counters[BAD_EVENT])]}, at time {counters[NOW]}"
        for kernel in self._kernels:
            error = getattr(kernel, "error", None)
            if isinstance(error, KeyboardInterrupt):
                return error
            if isinstance(error, PredictorFailed):
                return PredictorFailed(f"{error} ({when}).")
            if error is not None:
                failed = PredictorFailed(
                    f"estimate '{self.name}' raised {type(error).__name__} ({when}): {error}"
                    f"{place_of(error)}"
                )
                failed.__cause__ = error
                return failed
        return PredictorFailed(
            f"estimate '{self.name}' ({when}): expected a number of seconds, found NaN or infinity."
        )
