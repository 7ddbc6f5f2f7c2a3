"""Made-up state folders: a status by hand, a large one, and journals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from packwise.adapters.slurm.status import write_status

NOW = 1_790_000_000
HOSTILE = (
    "<img src=x onerror=window.betrayed=1>",
    "</script><script>window.betrayed=1</script>",
    "\"'><svg onload=window.betrayed=1>",
    "bell\x07 null\x00 esc\x1b[31m line\r\nfeed \ud800 \u202eright to left\u2028",
    "x" * 4000,
)


def job(id: str, **told: Any) -> dict[str, Any]:
    return {
        "id": id,
        "name": f"name-{id}",
        "user": "anna",
        "account": "physics",
        "partition": "batch",
        "state": "PENDING",
        "submit": NOW - 3600,
        "limit": 7200,
        "cores": 4,
        "node_count": 1,
        "priority": 10,
    } | told


def waiting(
    id: str, planned: int | None, nodes: tuple[int, ...] = (), **told: Any
) -> dict[str, Any]:
    cores = told.get("cores", 4)
    return job(id, **told) | {
        "reason": told.get("reason", "Priority"),
        "planned": planned,
        "planned_nodes": list(nodes),
        "planned_cores": [cores // len(nodes)] * len(nodes) if nodes else [],
        "slurm": told.get("slurm"),
        "run": told.get("run", 1800),
    }


def running(id: str, end: int, nodes: tuple[int, ...], **told: Any) -> dict[str, Any]:
    cores = told.get("cores", 4)
    return job(id, state="RUNNING", **told) | {
        "start": told.get("start", NOW - 1800),
        "expected_end": end,
        "nodes": list(nodes),
        "node_cores": [cores // len(nodes)] * len(nodes),
    }


def node(name: str, cores: int = 8, usable: bool = True) -> dict[str, Any]:
    state = "IDLE" if usable else "DOWN"
    return {"name": name, "state": state, "cores": cores, "used": 0, "usable": usable}


def make_status(**told: Any) -> dict[str, Any]:
    """Four nodes of 8 cores, one of them down; two jobs run, four wait, one of them without a place."""
    return {
        "version": 1,
        "written": NOW,
        "cluster": "elm",
        "mode": "steer",
        "policy": "packwise",
        "interval": 10.0,
        "cycle": 7,
        "skipped": 2,
        "seconds": {"read": 0.25, "plan": 0.5, "send": 0.125},
        "sent": 3,
        "health": {},
        "controller": {
            "now": NOW, "threads": 4, "agents": 1, "main_cycle": 20_000, "backfill_cycle": 1_500_000,
        },
        "cores": 32,
        "free": 4,
        "nodes": [node("n1"), node("n2"), node("n3", usable=False), node("n4")],
        "running": [
            running("100", NOW + 3600, (0, 1), cores=16, user="bob", node_count=2),
            running("101", NOW + 1800, (3,), user="chen"),
        ],
        "waiting": [
            waiting("200", NOW, (3,), slurm=NOW + 3600),
            waiting("201", NOW + 3600, (0, 1), cores=16, node_count=2, user="bob", slurm=NOW + 1800),
            waiting("202", NOW + 7200, (), cores=32, node_count=4, reason="Resources"),
            waiting("203", None, partition="long,batch"),
        ],
        "left_out": [job("300", user="dora") | {"reason": "Dependency"}],
        "notes": ["partition 'old' has no nodes"],
        "recent": [],
    } | told  # fmt: skip


def hostile_status() -> dict[str, Any]:
    """Every text that comes from outside would like to be more than a text."""
    waits = [waiting(f"{k}", NOW + 60, (0,)) for k in range(len(HOSTILE))]
    for one, name in zip(waits, HOSTILE, strict=True):
        one |= dict.fromkeys(("name", "user", "account", "partition", "reason"), name)
    return make_status(
        cluster=HOSTILE[0],
        mode=HOSTILE[1],
        policy=HOSTILE[2],
        waiting=[*waits, waiting(HOSTILE[0], NOW + 90)],
        running=[running(HOSTILE[2], NOW + 60, (1,), name=HOSTILE[0], user=HOSTILE[1])],
        left_out=[job("9", name=HOSTILE[3], user=HOSTILE[0]) | {"reason": HOSTILE[2]}],
        health=dict(enumerate(HOSTILE)),
        notes=list(HOSTILE),
        nodes=[{"name": name, "cores": 8, "usable": True} for name in HOSTILE],
    )


def large(jobs: int = 2000, nodes: int = 500) -> dict[str, Any]:
    """Whole nodes of 64 cores, one job after the other on each; of those that wait, 500 have places."""
    runs = [
        running(str(10_000 + k), NOW + 600 + 60 * (k % 90), (k,), cores=64, user=f"user{k % 40}")
        for k in range(nodes)
    ]
    waits = []
    for k in range(jobs):
        place = (k % nodes,) if k < 500 else ()
        waits.append(
            waiting(
                str(20_000 + k),
                NOW + 6000 + 1800 * (k // nodes),
                place,
                cores=64,
                user=f"user{k % 40}",
                slurm=NOW + 9000 + 1800 * (k // nodes),
            )
        )
    return make_status(
        nodes=[node(f"node{k:04d}", 64) for k in range(nodes)],
        running=runs,
        waiting=waits,
        cores=64 * nodes,
        free=0,
    )


def write(folder: Path, status: dict[str, Any]) -> None:
    write_status(folder, status)


def write_journal(folder: Path, *entries: dict[str, Any], name: str = "journal.jsonl") -> None:
    (folder / name).write_text("".join(json.dumps(entry) + "\n" for entry in entries))


def entry(k: int, kind: str = "decide", text: str = "") -> dict[str, Any]:
    return {"time": NOW + k, "kind": kind, "text": text or f"entry {k}"}
