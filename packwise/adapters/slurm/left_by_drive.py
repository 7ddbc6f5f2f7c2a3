"""What the mode drive of earlier versions has left on a Slurm, and how it is given back.

That mode kept the nodes by a reservation and named nodes for the jobs that it let in. Slurm keeps such names
for ever, and holds a job (priority 0, BadConstraints) that can no longer have them. There are three things to
say here: that a job has to have no nodes and is in no reservation, that a job which was held for its nodes is
released, that a reservation is deleted. None can name a node, hold a job or close anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from packwise.adapters.slurm.commands import Command, Runner, run
from packwise.adapters.slurm.queue_text import valid_id
from packwise.adapters.slurm.sending import Sent, send, told_slurm
from packwise.adapters.slurm.snapshot import QueuedJob, Reservation
from packwise.files.hostlists import hosts
from packwise.readable import counted

#: What its reservation was called, unless somebody said otherwise; and what such a name looked like.
USUAL = "packwise"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
#: Flags that it gave to it. Without the last one Slurm would hold the jobs of a reservation that is deleted.
_FLAGS = ("FLEX", "IGNORE_JOBS", "NO_HOLD_JOBS")
_UNITS = Path("/etc/systemd/system")
_RUNS_DRIVE = re.compile(r"^ExecStart=.* slurm drive\b", re.MULTILINE)
_LUA = ("job_submit.lua", "packwise_guard.lua")
#: So many ids are told.
_TOLD = 5


@dataclass(frozen=True)
class DriveRecord:
    """What drive wrote down. ``nodes``: lists of nodes that it named for jobs, by id."""

    nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reservation: str = ""

    def named(self, job: QueuedJob) -> bool:
        """Whether the nodes that a job has to have are those that drive named; users name some themselves."""
        try:
            there = set(hosts(job.required))
            return bool(there) and any(
                there == set(hosts(one)) for one in self.nodes.get(job.id, ())
            )
        except ValueError:
            return False

    def of(self, ids: Iterable[str]) -> DriveRecord:
        """What is left of it when only these jobs still have nodes."""
        return DriveRecord({id: self.nodes[id] for id in ids})

    def document(self) -> dict[str, Any]:
        """As it was written."""
        if not self.nodes and not self.reservation:
            return {}
        lists = {id: [list(one), 0] for id, one in self.nodes.items()}
        return {"nodes": lists, "reservation": self.reservation}


def record_of(document: Mapping[str, Any]) -> DriveRecord:
    """What is written in a document, as far as it can be read."""
    nodes, name = document.get("nodes"), document.get("reservation")
    found = {}
    for id, told in nodes.items() if isinstance(nodes, dict) else ():
        lists = told[0] if isinstance(told, list) and told else None
        if valid_id(id) and isinstance(lists, list):
            found[id] = tuple(one for one in lists if isinstance(one, str))
    return DriveRecord(found, name if isinstance(name, str) else "")


class Left(NamedTuple):
    """Jobs by what Slurm's commands call them. ``inside``: those that wait in its reservation; ``named``:
    those that wait with nodes that it named; ``held``: those that are held for that; ``unknown``: those
    inside of whose nodes nothing is written down; ``bound``: those that run, by id, and would wait with its
    nodes if they were requeued. ``reservation``: what can be deleted; ``kept``: what Slurm keeps while jobs
    run in it.
    """

    inside: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    reservation: str = ""
    kept: Reservation | None = None

    def words(self) -> list[str]:
        """What is there that can be given back."""
        found = []
        if self.reservation or self.kept is not None:
            name = self.reservation or (self.kept.name if self.kept is not None else "")
            found.append(f"the reservation '{name}'")
        for ids, words in (
            (self.inside, "in it"),
            (self.named, "with nodes that it named"),
            (self.held, "held for these nodes"),
        ):
            if ids:
                found.append(f"{counted(len(ids), 'waiting job')} {words} ({listed(ids)})")
        return found

    def lines(self) -> list[str]:
        """What Slurm is told, if anything: first that nobody is in the reservation, or it would stay."""
        inside, named = set(self.inside), set(self.named)
        found = []
        for id in dict.fromkeys([*self.inside, *self.named]):
            out = " ReservationName=" if id in inside else ""
            found.append(f"update jobid={id}{out}{' ReqNodeList=' if id in named else ''}")
        found += [f"release {id}" for id in self.held]
        return [*found, f"delete ReservationName={self.reservation}"] if self.reservation else found

    def command(self) -> Command:
        """The same as a command."""
        return told_slurm(self.lines())


def listed(ids: tuple[str, ...]) -> str:
    """Some of them."""
    return ", ".join(ids[:_TOLD]) + (", ..." if len(ids) > _TOLD else "")


def find_left(
    jobs: Iterable[QueuedJob],
    reservations: Iterable[Reservation],
    record: DriveRecord,
    name: str = "",
) -> Left:
    """What is there. ``name``: what the reservation is called; as drive wrote it down if not told."""
    own = name or record.reservation or USUAL
    theirs = next((one for one in reservations if one.name == own and _is_of_drive(one)), None)
    every = tuple(jobs)
    waiting = [job for job in every if job.waiting]
    inside = [job for job in waiting if theirs is not None and job.reservation == own]
    runs_in_it = theirs is not None and any(job.running and job.reservation == own for job in every)
    named = [job for job in waiting if record.named(job)]
    return Left(
        inside=tuple(job.handle for job in inside),
        named=tuple(job.handle for job in named),
        held=tuple(job.handle for job in waiting if job.id in record.nodes and _is_held(job)),
        unknown=tuple(job.handle for job in inside if job.required and job.id not in record.nodes),
        bound=tuple(job.id for job in every if not job.waiting and record.named(job)),
        reservation=own if theirs is not None and not runs_in_it else "",
        kept=theirs if runs_in_it else None,
    )


def may_be_left(reservations: Iterable[Reservation], record: DriveRecord) -> bool:
    """Whether the queue is worth a look."""
    own = record.reservation or USUAL
    return bool(record.nodes) or any(one.name == own and _is_of_drive(one) for one in reservations)


def _is_of_drive(one: Reservation) -> bool:
    flags = one.flags.upper().split(",")
    alike = all(any(flag.startswith(wanted) for flag in flags) for wanted in _FLAGS)
    return alike and _NAME.fullmatch(one.name) is not None


def _is_held(job: QueuedJob) -> bool:
    """Whether Slurm holds it for what it asks for. Who is held by a person has another reason."""
    return job.priority == 0 and job.reason.startswith("BadConstraints")


def give_back(left: Left, ask: Runner = run, dry_run: bool = False) -> Sent:
    """Tell Slurm, or with ``dry_run`` nobody. Unreachable if nobody answers."""
    return send(left.command(), ask, dry_run)


def left_in_files(settings: Mapping[str, str]) -> list[str]:
    """Files of it that Packwise does not touch, as far as they can be seen from here, each with how it is taken
    out: its unit, and its guard in Slurm's job_submit.lua.
    """
    found = [
        f"a unit, {path}: systemctl disable --now {path.stem}; rm {path}; systemctl daemon-reload"
        for path in sorted(_UNITS.glob("packwise*.service"))
        if _RUNS_DRIVE.search(_text(path))
    ]
    beside = Path(settings.get("slurm_conf", "/etc/slurm/slurm.conf")).parent
    found += [
        f"its guard in {path}: take the lines with packwise_guard out of it (if there is nothing else, remove "
        "it, and JobSubmitPlugins=lua from slurm.conf), then say: scontrol reconfigure"
        for path in (beside / name for name in _LUA)
        if "packwise_guard" in _text(path)
    ]
    return found


def _text(path: Path) -> str:
    """What is in a file; nothing if it cannot be read."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
