"""Seeds that only the off-line optimiser can have: the list orders, over the whole log.

A list policy knows the jobs that have come. Here a small job that will come next week gets its place before a
large one of today does, which alone brings BSLD down by an order of magnitude.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from packwise.model.workload import Ints
from packwise.optimise.offline.log import Log

#: Jobs are sorted within stretches of submission of so many seconds; the last is the whole log.
_STRETCHES = {"4h": 4 * 3600, "1d": 86400, "1w": 7 * 86400, "": 2**62}


def orders(log: Log) -> Iterator[tuple[str, Ints]]:
    """Names and orders; the first is first come, first served."""
    yield "off-line reg", np.arange(len(log))
    known = log.round.list_orders()
    for stretch, seconds in _STRETCHES.items():
        block = (log.submit - log.origin) // seconds
        for name in ("list-sjf", "list-saf", "list-spf", "list-laf"):
            rank = np.empty(len(log), np.int64)
            rank[known[name]] = np.arange(len(log))
            within = f" of {stretch}" if stretch else ""
            yield f"off-line {name.removeprefix('list-')}{within}", np.lexsort([rank, block])
