"""The status: what is going on now, as one document for those who look at it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from packwise.adapters.slurm.cycle import Cycle
from packwise.adapters.slurm.journal import Journal
from packwise.adapters.slurm.kept_files import write_kept
from packwise.adapters.slurm.modes.mode import Mode
from packwise.adapters.slurm.places import planned_places
from packwise.adapters.slurm.snapshot import NOT_TOLD, QueuedJob
from packwise.model.decision import Policy

NAME = "status.json"
#: Entries of the journal, and characters of each.
_RECENT, _LONGEST = 50, 400


class Going(Protocol):
    """What the status tells of the live scheduler itself."""

    mode: Mode
    policy: Policy
    journal: Journal
    interval: float
    cycles: int
    skipped: int
    health: dict[str, str]
    forecast: dict[str, tuple[int, int, int]]


def status(live: Going, cycle: Cycle) -> dict[str, Any]:
    """All there is to show, as plain values. Times are seconds since 1970; nodes are places in ``nodes``."""
    planned = cycle.planned
    snapshot, shown = planned.snapshot, planned.shown
    where = planned_places(planned)
    jobs = [
        {
            **_job(shown.job[job], planned.start_of(job), where.get(job)),
            "cores": int(shown.view.demand[job]),
            "forecast": live.forecast.get(shown.job[job].id),
            "run": int(shown.view.estimate[job]),
        }
        for job in planned.order()
    ]
    running = [
        {
            **_plain(shown.job[job]),
            "start": shown.job[job].start,
            "expected_end": int(end),
            "nodes": list(where.get(job, ())),
            "node_cores": list(where.get(job, {}).values()),
        }
        for job, end in zip(
            shown.view.running.tolist(), shown.view.expected_end.tolist(), strict=True
        )
    ]
    return {
        "version": 1,
        "written": snapshot.now,
        "cluster": snapshot.cluster.name,
        "mode": live.mode.name,
        "policy": live.policy.name,
        "interval": live.interval,
        "cycle": live.cycles,
        "skipped": live.skipped,
        "seconds": {
            "read": round(cycle.read, 3),
            "plan": round(cycle.plan, 3),
            "send": round(cycle.send, 3),
        },
        "sent": sum(len(sent.command.stdin.splitlines()) or 1 for sent in cycle.sent),
        "health": dict(live.health),
        "controller": snapshot.diagnosis._asdict(),
        "cores": snapshot.cluster.procs,
        "free": shown.view.free,
        "nodes": [
            {
                "name": host,
                "state": snapshot.nodes[host].state,
                "cores": snapshot.nodes[host].cpus,
                "used": snapshot.nodes[host].used_cpus,
                "usable": snapshot.nodes[host].usable,
            }
            for host in shown.hosts
        ],
        "waiting": jobs,
        "running": running,
        "left_out": [{**_plain(job), "reason": job.reason} for job in shown.left_out],
        "notes": [*snapshot.remarks, *cycle.notes],
        "recent": _recent(live.journal),
    }


def _recent(journal: Journal) -> list[dict[str, Any]]:
    """The last entries, long ones in part."""
    last = list(journal.recent)[-_RECENT:]
    return [{**one, "text": one["text"][:_LONGEST]} for one in last]


def failing(told: dict[str, Any], live: Going, seconds: float) -> dict[str, Any]:
    """What was told before, while rounds fail: the plan is so many seconds old."""
    return {
        **told,
        "failing": round(seconds, 1),
        "recent": _recent(live.journal),
    }


def _plain(job: QueuedJob) -> dict[str, Any]:
    return {
        "id": job.id,
        "name": job.name,
        "user": job.user,
        "account": job.account,
        "partition": ",".join(job.partitions),
        "state": job.state,
        "submit": job.submit,
        "limit": job.limit if job.limit > 0 else None,
        "cores": job.cpus,
        "node_count": job.nodes,
        "priority": job.priority,
    }


def _job(job: QueuedJob, start: int | None, where: Mapping[int, int] | None) -> dict[str, Any]:
    return {
        **_plain(job),
        "reason": job.reason,
        "planned": start,
        "planned_nodes": list(where or ()),
        "planned_cores": list((where or {}).values()),
        "slurm": job.start if job.start != NOT_TOLD else None,
    }


def write_status(folder: Path, found: dict[str, Any]) -> None:
    """Write it, whole or not at all."""
    with write_kept(folder, NAME) as file:
        file.write(json.dumps(found, default=str).encode())
