"""Whether cells stand in the columns where they belong: how broken lines are put together again, and whether a
quote took in other records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from packwise.workloads.records.meanings import TIMES, Meaning
from packwise.workloads.records.values import NOT_TOLD, WRONG, job_number, seconds, whole


class Judge:
    """Whether cells are what their columns say, by those columns of which that can be told."""

    def __init__(self, names: Sequence[str], meanings: Mapping[str, Meaning]) -> None:
        self.checks = [
            (place, meanings[name].name) for place, name in enumerate(names) if name in meanings
        ]

    def plausible(self, row: Sequence[str]) -> bool:
        """Times are times, durations durations, ids ids."""
        for place, meaning in self.checks:
            cell = row[place].strip()
            if meaning in ("id", "raw_id"):
                found = job_number(cell)
                if found.number < 0 and not found.step:
                    return False
            elif meaning in TIMES:
                if not _is_time(cell):
                    return False
            elif meaning in ("elapsed", "limit"):
                known = cell.lower() in (*NOT_TOLD, "unlimited", "partition_limit")
                if not known and seconds(cell) == WRONG:
                    return False
            elif meaning in ("cpus", "nodes", "req_cpus", "req_nodes", "priority"):
                if whole(cell) == WRONG:
                    return False
            elif meaning == "state" and (
                not cell or not cell.split(" ")[0].rstrip("+").replace("_", "").isalpha()
            ):
                return False
        return True


def _is_time(cell: str) -> bool:
    if cell.lower() in NOT_TOLD or (cell.isascii() and cell.replace(".", "", 1).isdigit()):
        return True
    return (
        len(cell) >= 16
        and cell[4] == "-"
        and cell[7] == "-"
        and cell[:4].isdigit()
        and cell[10] in "T "
    )
