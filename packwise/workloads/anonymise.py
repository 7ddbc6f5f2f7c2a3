"""A workload without what tells who its users are, to be shared.

Numbers of users, groups, accounts and executables are given anew, in the order in which they appear; their
names, the names of nodes and the comments of the log are gone, and jobs are numbered from 1. What stays:
times, sizes, limits, and the names of partitions, qualities of service and states. Somebody who knows when a
job ran can still find it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from packwise.model.workload import UNKNOWN, Ints, Workload

_OWN = ("user", "group", "app")
#: Columns of ``extra`` that would tell.
_GONE = ("job_name", "batsim_id", "node_list", "cluster", "features", "nodes")
#: Names that tell of the machine, not of people.
_KEPT = ("queue", "partition", "qos", "state")


def anonymise(workload: Workload) -> Workload:
    """The workload without names of people and of what they do."""
    changes: dict[str, Any] = {name: _anew(getattr(workload, name)) for name in _OWN}
    extra = {name: column for name, column in workload.extra.items() if name not in _GONE}
    names = {name: words for name, words in workload.names.items() if name in _KEPT}
    if "account" in extra:
        extra["account"] = _anew(extra["account"])
        count = int(extra["account"].max()) + 1
        names["account"] = tuple(f"account{k + 1}" for k in range(count))
    if "array_job" in extra:
        extra["array_job"] = _anew(extra["array_job"])
    if (known := extra.get("preceding_job")) is not None:
        extra["preceding_job"] = np.full_like(known, UNKNOWN)
    return workload.replace(
        **changes, id=np.arange(1, len(workload) + 1), extra=extra, names=names, header=()
    )


def _anew(column: Ints) -> Ints:
    """Numbers from 0 in the order in which they appear."""
    present, first, place = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first[present >= 0])
    anew = np.full(len(present), UNKNOWN, np.int64)
    anew[np.flatnonzero(present >= 0)[order]] = np.arange(len(order))
    return anew[place.reshape(-1)]
