"""The places of a whole round: a live Slurm that is not there, read, planned and shown."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from packwise import registry
from packwise.adapters.slurm.journal import Journal
from packwise.adapters.slurm.live import Live
from packwise.adapters.slurm.machine import machine
from packwise.adapters.slurm.modes.advise import Advise
from packwise.adapters.slurm.snapshot import (
    NOT_TOLD,
    Diagnosis,
    NodeState,
    QueuedJob,
    Reservation,
    Snapshot,
)
from packwise.adapters.slurm.writer import SlurmWriter

NOW = 1_790_000_000


def job(id, nodes, cpus, limit, **told):
    usual = dict.fromkeys(QueuedJob._fields, "") | {
        "id": id, "raw": int(id), "state": "PENDING", "reason": "Priority", "user": "ann",
        "partitions": ("batch",), "submit": NOW - 100 + int(id), "eligible": NOW - 100 + int(id),
        "start": NOT_TOLD, "limit": limit, "nodes": nodes, "cpus": cpus, "cpus_per_task": 1,
        "memory": 0, "gpus": 0, "alone": False, "priority": 1, "name": "job",
    }  # fmt: skip
    return QueuedJob(**(usual | told))


def node(name, used=0, usable=True):
    return NodeState(name, "IDLE", 4, used, 8000, 0, 0, 0, (), 1, usable)


def shown(folder: Path, jobs, nodes, reservations=(), policy="cbf"):
    """The status of one round."""
    settings = {"clustername": "toy", "selecttypeparameters": "CR_CORE"}
    batch = {"partitionname": "batch", "nodes": ",".join(one.name for one in nodes)}
    cluster = machine(settings, nodes, [batch], [])
    silent = Diagnosis(*[NOT_TOLD] * 5)
    by_name = {one.name: one for one in nodes}
    snapshot = Snapshot(NOW, cluster, by_name, tuple(jobs), tuple(reservations), silent)
    reader = SimpleNamespace(snapshot=lambda: snapshot)
    live = Live(
        reader,
        SlurmWriter(dry_run=True),
        registry.policy(policy),
        Advise(),
        Journal(folder),
        folder,
    )
    live.cycle()
    return live.shown


def places(status):
    names = [one["name"] for one in status["nodes"]]
    return {
        one["id"]: (
            one["planned"] if one["planned"] is None else one["planned"] - NOW,
            {names[k]: c for k, c in zip(one["planned_nodes"], one["planned_cores"], strict=True)},
        )
        for one in status["waiting"]
    }


def test_now_and_later(tmp_path):
    jobs = [
        job("1", 2, 8, 600, state="RUNNING", reason="None", held="n1,n2", start=NOW - 100),
        job("2", 1, 4, 300),  # on n3 now
        job("3", 3, 12, 1000),  # when the first one ends
        job("4", 1, 2, 400),  # it has to wait for that
    ]
    status = shown(tmp_path, jobs, [node("n1", 4), node("n2", 4), node("n3")])
    assert status["running"][0]["nodes"] == [0, 1]
    assert status["running"][0]["node_cores"] == [4, 4]
    assert status["running"][0]["expected_end"] == NOW + 500
    found = places(status)
    assert found["2"] == (0, {"n3": 4})
    assert found["3"] == (500, {"n1": 4, "n2": 4, "n3": 4})
    start, where = found["4"]
    assert start >= 300
    assert sum(where.values()) == 2
    assert [one["run"] for one in status["waiting"] if one["id"] == "3"] == [1000]


@pytest.mark.parametrize("policy", ["easy", "packwise", "list-reg"])
def test_a_node_that_is_down_and_one_that_is_kept_for_others(tmp_path, policy):
    kept = Reservation("others", NOW - 10, NOW + 900, "n3", "bob", "", True)
    jobs = [
        job("1", 1, 4, 600, state="RUNNING", reason="None", held="n1", start=NOW - 100),
        job("2", 1, 4, 300),
    ]
    nodes = [node("n1", 4), node("n2", usable=False), node("n3")]
    start, where = places(shown(tmp_path, jobs, nodes, [kept], policy))["2"]
    assert where in ({}, {"n1": 4}, {"n3": 4})
    assert start is None or where != {"n1": 4} or start >= 500
    assert start is None or where != {"n3": 4} or start >= 900
