"""Nodes that sleep while there is nothing to do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from packwise.model.errors import InputError


@dataclass(frozen=True, slots=True)
class SleepState:
    """Nodes without a job sleep ``after`` so many seconds. It takes them ``boot_time`` to wake: in a replay
    their next job waits for that, in the account of any other schedule they are woken in time.

    Asleep a core draws ``watts``, while its node boots ``boot_watts``. On a pool, ``cores_per_node`` tells how
    many processors sleep together, and those that run no job are taken to be on as few nodes as can be.
    """

    after: int
    watts: float
    boot_time: int
    boot_watts: float
    cores_per_node: int = 1

    def __post_init__(self) -> None:
        for name, least in (("after", 0), ("boot_time", 0), ("cores_per_node", 1)):
            if getattr(self, name) < least:
                raise InputError(
                    f"sleep: {name} should be {least} or more, found {getattr(self, name)}."
                )
        for name in ("watts", "boot_watts"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise InputError(f"sleep: {name} should be a number of 0 or more, found {value}.")
