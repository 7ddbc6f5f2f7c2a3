"""A plan: when jobs start, and on nodes where."""

from __future__ import annotations

from typing import NamedTuple

from packwise.model.workload import Ints


class Places(NamedTuple):
    """Where jobs are planned to run, as the kernel has it: nodes of each, and units on them."""

    held: Ints
    node: Ints
    share: Ints


class Plan(NamedTuple):
    """``start`` is LATER for jobs of another day; ``places`` is None on a pool."""

    start: Ints
    places: Places | None
