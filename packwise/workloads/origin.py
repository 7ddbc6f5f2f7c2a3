"""Where a log comes from, as far as it tells: the site, and what its machine is called."""

from __future__ import annotations

from typing import NamedTuple

from packwise.model.workload import UNKNOWN, Workload
from packwise.workloads.swf.header import Header

#: No name that a page should show is longer.
_LONGEST = 200


class Origin(NamedTuple):
    """Both are empty where the log does not tell."""

    site: str = ""
    computer: str = ""


def origin_of(workload: Workload) -> Origin:
    """From the header of a standard log, or the name of the cluster in a site's own records."""
    header = Header(workload.header)
    site, computer = (header.field(name) or "" for name in ("Installation", "Computer"))
    return Origin(_short(site), _short(computer or _cluster(workload)))


def _cluster(workload: Workload) -> str:
    """The cluster that all jobs were on; nothing if they were on several."""
    numbers, words = workload.numbers("cluster"), workload.names.get("cluster")
    if numbers is None or not words:
        return ""
    found = set(numbers[numbers != UNKNOWN].tolist())
    return words[found.pop()] if len(found) == 1 else ""


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
