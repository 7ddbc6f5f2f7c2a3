"""What is ours on a live Slurm: nodes that we have named for jobs, and site factors that we have set.

It is what has to be given back, so it is written before anything is sent, as plain JSON: whoever resets may
read it, also where the ledger, which is a pickle, is somebody else's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from packwise.adapters.slurm.kept_files import read_kept, write_kept
from packwise.adapters.slurm.queue_text import valid_id
from packwise.adapters.slurm.snapshot import QueuedJob
from packwise.files.hostlists import hosts
from packwise.model.errors import InputError

NAME = "ours.json"
#: What was sent may arrive late: for so many seconds it is not forgotten, though it does not show.
_LATE = 600
#: So many lists of nodes are kept of a job.
_MOST = 5


class Named(NamedTuple):
    """Lists of nodes that were named for a job, the last one first, and when that was."""

    lists: tuple[str, ...]
    since: int


@dataclass
class Ours:
    """``nodes``: those named for a job, by id; ``factors``: site factors by raw id; ``reservation``: what ours
    is called, if there is one.
    """

    nodes: dict[str, Named] = field(default_factory=dict)
    factors: dict[int, int] = field(default_factory=dict)
    reservation: str = ""

    def name(self, id: str, nodes: str, now: int) -> None:
        """Nodes are named for a job. Those named just before may arrive yet."""
        before = self.nodes.get(id)
        kept = before.lists if before is not None and now - before.since <= _LATE else ()
        self.nodes[id] = Named((nodes, *(one for one in kept if one != nodes))[:_MOST], now)

    def steered(self, job: QueuedJob) -> bool:
        """Whether the factor of a job is ours: a task that has a record of its own has that of its array."""
        return job.raw in self.factors or _array(job) in self.factors

    def named(self, job: QueuedJob) -> bool:
        """Whether the nodes that a job has to have are those that we named; users name some themselves. A start
        does not take them away: a job that is requeued still has to have them.
        """
        known = self.nodes.get(job.id)
        if known is None or not job.required:
            return False
        try:
            there = set(hosts(job.required))
            return any(there == set(hosts(nodes)) for nodes in known.lists)
        except ValueError:
            return False

    def step(self, seconds: int) -> None:
        """The clock was set: times move with it."""
        self.nodes = {
            id: named._replace(since=named.since + seconds) for id, named in self.nodes.items()
        }

    def forget(self, jobs: Iterable[QueuedJob], now: int) -> None:
        """Drop who is gone, and who has other nodes to have, or none, for long enough."""
        there = {job.id: job for job in jobs}
        raw = {number for job in there.values() for number in (job.raw, _array(job))}
        for id, named in list(self.nodes.items()):
            job = there.get(id)
            if job is None or (job.waiting and not self.named(job) and now - named.since > _LATE):
                del self.nodes[id]
        for number in [number for number in self.factors if number not in raw]:
            del self.factors[number]


def _array(job: QueuedJob) -> int:
    """The number of its array; its own, if it is in none."""
    return int(job.id.partition("_")[0]) if "_" in job.id else job.raw


def save_ours(folder: Path, ours: Ours) -> None:
    """Write it, whole or not at all."""
    found = {
        "nodes": {id: [list(named.lists), named.since] for id, named in ours.nodes.items()},
        "factors": {str(raw): value for raw, value in ours.factors.items()},
        "reservation": ours.reservation,
    }
    with write_kept(folder, NAME) as file:
        file.write(json.dumps(found).encode())


def load_ours(folder: Path) -> Ours | None:
    """What was written; None if there is nothing, or nothing that can be understood. InputError if it may not
    be read: then it is not known what is ours, though it is written down.
    """
    try:
        found = json.loads(read_kept(folder, NAME))
        nodes = {
            id: Named(tuple(map(str, lists)), int(since))
            for id, (lists, since) in found["nodes"].items()
            if valid_id(id)
        }
        factors = {int(raw): int(value) for raw, value in found["factors"].items()}
        return Ours(nodes, factors, str(found["reservation"]))
    except (
        FileNotFoundError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError,
    ):  # fmt: skip
        return None
    except OSError as error:
        raise InputError(f"{folder / NAME}: cannot be read: {error.strerror}.") from error
