"""How long a solver may take, and with what."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from packwise.model.errors import InputError

#: CP-SAT runs one strategy per worker, and with fewer leaves out those that find the better bounds. In 20
#: rounds of KTH-SP2 at 0.1 s on two CPUs, eight workers had at most half the gap of two or six.
ENOUGH_WORKERS = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` of wall time, or ``deterministic`` units of CP-SAT's own measure of work.

    A limit on wall time stops at another point in each run: the answer is not reproducible. With a
    deterministic one it is, for one number of workers and one version of OR-Tools. ``workers``: None
    means one per CPU and at least eight, but a single one with a deterministic limit.
    """

    seconds: float = 20.0
    deterministic: float | None = None
    workers: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in (("seconds", self.seconds), ("deterministic", self.deterministic)):
            if value is not None and not 0 < value < math.inf:
                raise InputError(
                    f"a limit of CP-SAT ({name}) should be above 0, found {value}. Try 1."
                )
        if (self.workers is not None and self.workers < 1) or self.seed < 0:
            raise InputError(
                f"CP-SAT needs 1 or more workers and a seed of 0 or more, found {self.workers} and "
                f"{self.seed}."
            )

    @property
    def amount(self) -> float:
        """The limit, in whichever unit holds."""
        return self.seconds if self.deterministic is None else self.deterministic

    @property
    def threads(self) -> int:
        if self.workers is not None:
            return self.workers
        return max(_cpus(), ENOUGH_WORKERS) if self.deterministic is None else 1


def _cpus() -> int:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
