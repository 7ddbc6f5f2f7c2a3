"""The queue as ``squeue --json`` prints it, in both shapes."""

from __future__ import annotations

import json

import pytest

from packwise.adapters.slurm.commands import SlurmError
from packwise.adapters.slurm.queue_json import array_tasks, read_queue_json
from packwise.adapters.slurm.snapshot import NOT_TOLD
from tests.adapters.samples import NOW, job

PLAIN = {
    "job_id": 12, "job_state": "PENDING", "state_reason": "Priority", "user_name": "ann", "account": "bio",
    "partition": "batch,long", "submit_time": NOW - 100, "eligible_time": NOW - 90, "start_time": 0,
    "time_limit": 60, "node_count": 2, "cpus": 8, "tasks": 8, "cpus_per_task": 1, "priority": 4000,
    "tres_req_str": "cpu=8,mem=16G,node=2,gres/gpu=2", "tres_alloc_str": "", "features": "", "shared": None,
    "required_nodes": "", "excluded_nodes": "n4", "scheduled_nodes": None, "nodes": "", "resv_name": "",
    "qos": "normal", "restart_cnt": 0, "name": "job\n2", "array_job_id": 0, "array_task_id": None,
    "array_task_string": "", "het_job_id": 0, "het_job_offset": 0,
}  # fmt: skip
NUMBERS = (
    "submit_time", "eligible_time", "start_time", "time_limit", "node_count", "cpus", "tasks",
    "cpus_per_task", "priority", "array_job_id", "het_job_id", "het_job_offset",
)  # fmt: skip


def boxed(value):
    told = value is not None
    return {"set": told, "infinite": False, "number": value if told else 0}


def newer(plain):
    """The same job as newer versions write it."""
    told = {key: boxed(plain[key]) for key in NUMBERS}
    state = [plain["job_state"]]
    return {
        **plain, **told, "job_state": state, "array_task_id": boxed(plain["array_task_id"]), "shared": [],
    }  # fmt: skip


SHAPES = [lambda plain: plain, newer]


def read(*jobs):
    remarks: list[str] = []
    return list(read_queue_json(json.dumps({"jobs": jobs}), remarks)), remarks


@pytest.mark.parametrize("shape", SHAPES)
def test_a_job(shape):
    (found,), remarks = read(shape(PLAIN))
    assert not remarks
    assert found == job(
        "12",
        partitions=("batch", "long"),
        eligible=NOW - 90,
        nodes=2,
        cpus=8,
        memory=16384,
        gpus=2,
        excluded="n4",
        qos="normal",
        priority=4000,
        name="job\n2",
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_an_array_that_waits_is_as_many_jobs(shape):
    told = {**PLAIN, "array_job_id": 12, "array_task_string": "1-5%2"}
    found, _ = read(shape(told))
    assert [one.id for one in found] == ["12_1", "12_2", "12_3", "12_4", "12_5"]
    assert {one.raw for one in found} == {12}
    task = {**PLAIN, "job_id": 20, "array_job_id": 12, "array_task_id": 0}
    (found,), _ = read(shape(task))
    assert (found.id, found.raw) == ("12_0", 20)


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("1-5%2", [1, 2, 3, 4, 5]),
        ("0,3-9:3", [0, 3, 6, 9]),
        ("7", [7]),
        ("", []),
        ("1-3,x", None),
        ("1-3:0", None),
        ("0-99999999", None),
        ("5-1", []),
        ("-", None),
        ("1,3,5,7,...", None),
        ("1-5%2%3", [1, 2, 3, 4, 5]),
    ],
)
def test_tasks(text, tasks):
    assert array_tasks(text) == tasks


def test_an_array_whose_tasks_cannot_be_read_is_not_one_job():
    """A command for its number would go to all of its tasks."""
    remarks = []
    told = {"jobs": [PLAIN | {"array_task_string": "1,3,5,7,9,11,..."}]}
    assert list(read_queue_json(json.dumps(told), remarks)) == []
    assert "the tasks of array" in remarks[0]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "state", ["COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY"]
)
def test_jobs_that_have_ended_are_left_out(shape, state):
    found, remarks = read(shape({**PLAIN, "job_state": state}), shape(PLAIN))
    assert [one.id for one in found] == ["12"]
    assert not remarks


def test_a_job_that_completes_still_has_its_nodes():
    told = newer({**PLAIN, "nodes": "n1"})
    (found,), _ = read({**told, "job_state": ["CANCELLED", "COMPLETING"]})
    assert found.state == "COMPLETING"
    assert found.running


def test_no_limit():
    (found,), _ = read({**PLAIN, "time_limit": 4294967295})
    assert found.limit == NOT_TOLD
    told = {"set": False, "infinite": True, "number": 0}
    (found,), _ = read({**newer(PLAIN), "time_limit": told})
    assert found.limit == NOT_TOLD


@pytest.mark.parametrize("shared", ["none", ["none"]])
def test_alone(shared):
    (found,), _ = read({**PLAIN, "shared": shared})
    assert found.alone


def test_what_is_allocated_counts_not_what_was_asked_for():
    told = {
        **PLAIN,
        "job_state": "RUNNING",
        "tres_alloc_str": "cpu=8,mem=2G,node=2",
        "nodes": "n[1-2]",
    }
    (found,), _ = read(told)
    assert (found.memory, found.gpus, found.held) == (2048, 0, "n[1-2]")


@pytest.mark.parametrize(
    "wrong",
    [{"job_id": None}, {"job_id": -1}, {"cpus": 0}, {"submit_time": "soon"}, {"job_id": True}],
)
def test_a_job_that_cannot_be_read(wrong):
    found, remarks = read({**PLAIN, **wrong}, {**PLAIN, "job_id": 13})
    assert [one.id for one in found] == ["13"]
    assert len(remarks) == 1


@pytest.mark.parametrize("one", [None, 3, "job", [], {}])
def test_what_is_no_job(one):
    found, remarks = read(one)
    assert not found
    assert len(remarks) == 1


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "null", '{"jobs": 4}', '{"job": []}', "[" * 100_000]
)
def test_a_broken_document(text):
    with pytest.raises(SlurmError, match="--read text"):
        list(read_queue_json(text, []))


@pytest.mark.shared
def test_real_documents(shared):
    samples = shared / "research/slurm_sample"
    remarks: list[str] = []
    older = list(read_queue_json((samples / "squeue.json").read_text(), remarks))
    assert [one.id for one in older] == ["23", "32", "48", "55", "4", "5", "7", "9", "19", "26"]
    assert [one.state for one in older] == ["RUNNING"] * 4 + ["PENDING"] * 6
    assert [one.alone for one in older] == [False] * 8 + [True] * 2
    first = older[0]
    assert (first.nodes, first.cpus, first.memory, first.limit) == (16, 16, 128 * 1024, 600)
    assert first.held == "n[001-016]"
    later = list(read_queue_json((samples / "squeue_24.11.json").read_text(), remarks))
    assert [(one.id, one.state, one.alone) for one in later] == [
        ("1", "RUNNING", True),
        ("2", "PENDING", True),
    ]
    assert (later[0].cpus, later[0].nodes, later[0].limit) == (512, 16, 60)
    assert not remarks
