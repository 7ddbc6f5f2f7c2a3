"""Whatever Slurm shows, even if it contradicts itself: it becomes a view that can be planned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise import registry
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.snapshot import NOT_TOLD
from packwise.model.outlook import outlook
from packwise.model.referee import Referee
from packwise.workloads.records.values import OF_PARTITION
from tests.adapters.samples import NOW, OF_DRIVE, job, node, reservation, snapshot
from tests.draws import draws

HOSTS = [f"n{k}" for k in range(1, 6)]
NAMED = st.lists(st.sampled_from([*HOSTS, "gone"]), max_size=4).map(",".join) | st.sampled_from(
    ["n[1-3]", "n[1", "(null)", "n[4-9]"]
)
REASONS = ("Priority", "Resources", "None", "Dependency", "BadConstraints", "JobHeldUser")
STATES = st.sampled_from(
    ["PENDING"] * 4 + ["RUNNING"] * 3 + ["COMPLETING", "SUSPENDED", "CONFIGURING"]
)
MOMENTS = st.integers(NOW - 5000, NOW + 5000)


@st.composite
def jobs(draw):
    found = []
    for k in range(draw(st.integers(0, 8))):
        told = {
            "state": draw(STATES),
            "reason": draw(st.sampled_from(REASONS)),
            "priority": draw(st.sampled_from([1000, 1000, 2000, 1, 0])),
            "partitions": draw(
                st.sampled_from([("batch",), ("gpu",), ("batch", "gpu"), ("odd",), ()])
            ),
            "submit": draw(MOMENTS),
            "eligible": draw(MOMENTS | st.just(NOT_TOLD)),
            "start": draw(MOMENTS | st.just(NOT_TOLD)),
            "limit": draw(st.sampled_from([NOT_TOLD, OF_PARTITION, 1, 60, 86400, 10**9])),
            "nodes": draw(st.integers(1, 4)),
            "cpus": draw(st.integers(1, 20)),
            "cpus_per_task": draw(st.integers(1, 3)),
            "memory": draw(st.sampled_from([0, 1, 4000, 50_000])),
            "gpus": draw(st.sampled_from([0, 0, 0, 1, 4])),
            "features": draw(st.sampled_from(["", "", "fast", "fast&big", "nothing", "["])),
            "alone": draw(st.booleans()),
            "required": draw(st.just("") | NAMED),
            "excluded": draw(st.just("") | NAMED),
            "held": draw(NAMED),
            "reservation": draw(st.sampled_from(["", "", "", "packwise", "theirs"])),
        }
        if told["state"] == "PENDING":
            told["held"] = ""
        found.append(job(draw(st.sampled_from([str(k + 1), f"9_{k}", f"{k + 1}+0"])), **told))
    return found


@st.composite
def nodes(draw):
    return [
        node(
            name,
            cpus=draw(st.integers(0, 8)) if k else 4,
            used=draw(st.integers(0, 10)),
            memory=draw(st.sampled_from([0, 8000])),
            used_memory=draw(st.sampled_from([0, 3000, 9000])),
            gpus=draw(st.sampled_from([0, 2])),
            used_gpus=draw(st.integers(0, 3)),
            features=draw(st.sampled_from([(), ("fast",), ("big", "fast")])),
            weight=draw(st.integers(1, 2)),
            usable=draw(st.booleans()) or not k,
        )
        for k, name in enumerate(HOSTS)
    ]


@st.composite
def snapshots(draw):
    shared = draw(st.booleans())
    told = {"batch": "n[1-3]", "gpu": "n3,n4,n5" if shared else "n4,n5"}
    kind = {"selecttype": draw(st.sampled_from(["select/cons_tres", "select/linear"]))}
    counted = {"selecttypeparameters": draw(st.sampled_from(["CR_CORE", "CR_CORE_MEMORY"]))}
    kept = [
        reservation(
            name,
            draw(NAMED),
            end=draw(MOMENTS | st.just(0)),
            active=draw(st.booleans()),
            flags=draw(st.sampled_from([OF_DRIVE, OF_DRIVE, "MAINT", "FLEX,IGNORE_JOBS"])),
        )
        for name in draw(st.sampled_from([(), ("theirs",), ("theirs", "packwise")]))
    ]
    return snapshot(
        draw(jobs()),
        draw(nodes()),
        now=draw(st.integers(NOW - 50, NOW + 50)),
        reservations=kept,
        partitions=told,
        settings={**kind, **counted},
    )


def check(view):
    """The view does not contradict itself: no node has more than it has."""
    outlook(view)
    shown = view.nodes
    total = shown.free.copy()
    needs = shown.held.units[:, None] * shown.per_unit[view.running[shown.held.job]]
    np.add.at(total, shown.held.node, needs)
    assert (shown.free >= 0).all()
    assert (total <= shown.capacity).all()
    assert view.free >= shown.free[:, shown.resources.index("cores")].sum()
    assert 0 <= view.free <= view.procs
    assert (view.expected_end > view.now).all()
    assert (view.estimate >= 1).all()
    assert (view.estimate <= view.limit).all()
    assert (view.submit <= view.now).all()
    assert not set(view.queue.tolist()) & set(view.running.tolist())


@pytest.fixture(scope="module")
def policies():
    return [registry.policy(name) for name in ("easy", "cbf", "packwise(budget=20)")]


@settings(max_examples=draws(30))
@given(st.lists(snapshots(), min_size=1, max_size=3))
def test_any_snapshots_become_views(some):
    ledger = Ledger()
    for one in some:
        shown = ledger.show(one)
        check(shown.view)
        assert set(shown.job) >= set(shown.view.queue.tolist()) | set(shown.view.running.tolist())


@settings(max_examples=draws(15))
@given(snapshots())
def test_policies_answer(policies, one):
    for policy in policies:
        view = Ledger().show(one).view
        ruling = Referee(policy.name).check(view, policy.decide(view))
        assert set(ruling.allocation) == set(ruling.start.tolist())
