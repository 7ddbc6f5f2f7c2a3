"""What is ours on a live Slurm: nodes that we have named for jobs, and site factors that we have set.

It is what has to be given back, so it is written before anything is sent, as plain JSON: whoever resets may
read it, also where the ledger, which is a pickle, is somebody else's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from packwise.adapters.slurm.queue_text import valid_id
from packwise.adapters.slurm.snapshot import QueuedJob
from packwise.files.hostlists import hosts
from packwise.files.output import atomic_output

NAME = "ours.json"
#: What was sent may arrive late: for so many seconds it is not forgotten, though it does not show.
_LATE = 600


@dataclass
class Ours:
    """``nodes``: those named for a job, and when, by id; ``factors``: site factors by raw id."""

    nodes: dict[str, tuple[str, int]] = field(default_factory=dict)
    factors: dict[int, int] = field(default_factory=dict)

    def named(self, job: QueuedJob) -> bool:
        """Whether the nodes that a job has to have are those that we named; users name some themselves. A start
        does not take them away: a job that is requeued still has to have them.
        """
        known = self.nodes.get(job.id)
        if known is None or not job.required:
            return False
        try:
            return set(hosts(job.required)) == set(hosts(known[0]))
        except ValueError:
            return False

    def forget(self, jobs: Iterable[QueuedJob], now: int) -> None:
        """Drop who is gone, and who has other nodes to have, or none, for long enough."""
        there = {job.id: job for job in jobs}
        raw = {job.raw for job in there.values()}
        for id, (_, since) in list(self.nodes.items()):
            job = there.get(id)
            if job is None or (job.waiting and not self.named(job) and now - since > _LATE):
                del self.nodes[id]
        for number in [number for number in self.factors if number not in raw]:
            del self.factors[number]


def save_ours(folder: Path, ours: Ours) -> None:
    """Write it, whole or not at all."""
    found = {
        "nodes": {id: list(told) for id, told in ours.nodes.items()},
        "factors": {str(raw): value for raw, value in ours.factors.items()},
    }
    with atomic_output(folder / NAME) as file:
        file.write(json.dumps(found).encode())


def load_ours(folder: Path) -> Ours | None:
    """What was written; None if there is nothing, or nothing that can be read."""
    try:
        found = json.loads((folder / NAME).read_bytes())
        nodes = {
            id: (str(told[0]), int(told[1])) for id, told in found["nodes"].items() if valid_id(id)
        }
        return Ours(nodes, {int(raw): int(value) for raw, value in found["factors"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None
