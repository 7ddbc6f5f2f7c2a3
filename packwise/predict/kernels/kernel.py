"""How a compiled predictor is written.

A kernel is a function ``kernel(event, job, time, state)`` that returns seconds. It is called when a job is
SUBMITTED or still WAITING after others have ended (the answer is its E), when it has STARTED or FINISHED
(learn; the answer does not count), when it has OUTLIVED E (``time`` is how long it has run; the answer is its
new E), and when it was INTERRUPTED: it runs no more, and waits again (the answer does not count).
``whole_numbers(state, i)`` and ``real_numbers(state, i)`` are the arrays that the predictor handed over, by
their place. They can be indexed and sliced, from 0 on, and have a ``size``.
"""

from __future__ import annotations

from collections.abc import Callable

from packwise.compiled import CallableFromC
from packwise.compiled import inlined as inlined
from packwise.engine.belief import FINISHED as FINISHED
from packwise.engine.belief import INTERRUPTED as INTERRUPTED
from packwise.engine.belief import KERNEL_SIGNATURE
from packwise.engine.belief import OUTLIVED as OUTLIVED
from packwise.engine.belief import STARTED as STARTED
from packwise.engine.belief import SUBMITTED as SUBMITTED
from packwise.engine.belief import WAITING as WAITING
from packwise.engine.slots import real_numbers as real_numbers
from packwise.engine.slots import whole_numbers as whole_numbers


def kernel(function: Callable[[int, int, int, int], float]) -> CallableFromC:
    """A kernel, compiled when its ``address`` is first asked for."""
    return CallableFromC(function, KERNEL_SIGNATURE)
