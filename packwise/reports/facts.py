"""What a case is about, for its header: when its jobs came, on what machine, and of how many people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from packwise.model.cluster import Cluster
from packwise.model.time_zone import local_zone
from packwise.model.workload import UNKNOWN, Workload
from packwise.readable import duration

_KINDS = ("user", "account", "group", "partition", "queue")
_DAY = timedelta(days=1)


class Facts(NamedTuple):
    """``dates``: from the first submission to the last, empty where the log tells no date; ``lasted`` is what
    lies between. ``counts``: (what, how many) of users, accounts and the like.
    """

    dates: str
    lasted: str
    machine: str
    counts: tuple[tuple[str, int], ...]


def case_facts(workload: Workload, cluster: Cluster) -> Facts:
    first, last = int(workload.submit[0]), int(workload.submit[-1])
    counts = []
    for kind in _KINDS:
        numbers = workload.numbers(kind)
        if numbers is not None and (several := len(np.unique(numbers[numbers != UNKNOWN]))):
            counts.append((f"{kind.capitalize()}s", several))
    told = dict(counts)
    for same, other in (("Groups", "Accounts"), ("Queues", "Partitions")):
        if other in told:
            told.pop(same, None)
    return Facts(
        _dates(workload, first, last),
        duration(last - first),
        _machine(cluster),
        tuple(told.items()),
    )


def _dates(workload: Workload, first: int, last: int) -> str:
    if not workload.start_time:
        return ""
    zone, name, _ = local_zone(workload)
    try:
        begin, end = (
            datetime.fromtimestamp(workload.start_time + second, UTC).astimezone(zone)
            for second in (first, last)
        )
    except (ValueError, OverflowError, OSError):
        return ""
    if end - begin < 2 * _DAY:
        same = begin.date() == end.date()
        return f"{_day(begin)}, {begin:%H:%M} to {'' if same else _day(end) + ', '}{end:%H:%M} ({name})"
    return f"{_day(begin)} to {_day(end)}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y}"


def _machine(cluster: Cluster) -> str:
    if cluster.is_pool:
        guess = f" ({cluster.sizing.guess})" if cluster.sizing.guess else ""
        return f"{cluster.procs:,} processors{guess}"
    return f"{cluster.nodes:,} nodes with {cluster.procs:,} cores"
