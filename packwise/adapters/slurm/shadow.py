"""In the shadow: what the plans of a time of advising wanted, beside what Slurm did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np


class Shadow(NamedTuple):
    """Rounds, and jobs that were seen to wait, by whether the plan would have started them before Slurm did.

    ``earlier``: by how many seconds, of those that the plan wanted to start at a round after which Slurm let
    them wait on; ``as_planned``: those that Slurm started by the next round; ``unplanned``: those that it
    started though no plan had wanted them to start.
    """

    rounds: int
    begin: float
    end: float
    earlier: tuple[float, ...]
    as_planned: int
    unplanned: int

    def words(self) -> list[str]:
        """In sentences."""
        from packwise.readable import duration

        if not self.rounds:
            return ["no rounds of advising were found in the journal"]
        lines = [
            f"{self.rounds:,} rounds of advising in {duration(self.end - self.begin)}: Slurm started "
            f"{self.as_planned:,} jobs as the plan did, {len(self.earlier):,} later, and {self.unplanned:,} "
            "that the plan would have let wait"
        ]
        if self.earlier:
            lines.append(
                f"those that it started later could have started {duration(float(np.median(self.earlier)))} "
                "earlier (half of them, or more)"
            )
        return lines


def shadow(entries: Iterable[Mapping[str, Any]], starts: Mapping[str, int]) -> Shadow:
    """From the journal, and the starts of the jobs that have ended, by id."""
    wanted: dict[str, float] = {}
    after: dict[str, float] = {}
    times: list[float] = []
    advising = True
    open_jobs: list[str] = []
    waited: set[str] = set()
    for entry in entries:
        if entry.get("kind") == "begin":
            advising = str(entry.get("text", "")).startswith("advise")
        if entry.get("kind") != "decide" or not advising:
            continue
        now = float(entry["time"])
        times.append(now)
        for id in open_jobs:
            after.setdefault(id, now)
        open_jobs = [str(id) for id in entry.get("start", [])]
        for id in open_jobs:
            wanted.setdefault(id, now)
        waited |= {str(id) for id in entry.get("order", [])}
    if not times:
        return Shadow(0, 0.0, 0.0, (), 0, 0)
    # Who came and started between two rounds was never planned.
    seen = {
        id: start for id, start in starts.items() if id in waited and times[0] <= start <= times[-1]
    }
    late = [
        start - wanted[id]
        for id, start in seen.items()
        if id in wanted and start > after.get(id, times[-1])
    ]
    planned = sum(id in wanted for id in seen)
    return Shadow(
        len(times), times[0], times[-1], tuple(late), planned - len(late), len(seen) - planned
    )
