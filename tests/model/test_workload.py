"""The workload and the cluster refuse what would give a wrong number later."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, Schedule, Workload
from packwise.model import NodeGroup
from packwise.model.errors import InputError, UnknownName


def make(**changes):
    columns = {
        "id": [1, 2],
        "submit": [0, 5],
        "runtime": [3, 4],
        "requested_time": [3, 9],
        "demand": [1, 2],
    } | changes
    return Workload(name="w", **{k: np.array(v) for k, v in columns.items()})


def test_columns_are_read_only_copies():
    source = np.array([0, 5])
    workload = make(submit=source)
    source[0] = 9
    assert workload.submit.tolist() == [0, 5]
    with pytest.raises(ValueError, match="read-only"):
        workload.submit[0] = 1
    assert workload.user.tolist() == [-1, -1]
    assert workload.job(1).demand == 2
    assert [job.id for job in workload] == [1, 2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"submit": [5, 0]}, "sorted by submit time"),
        ({"submit": [5, 5], "id": [2, 1]}, "sorted by submit time"),
        ({"id": [1, 1]}, "unique"),
        ({"runtime": [0, 4]}, "job 1: runtime should be between 1"),
        ({"runtime": [4, 4]}, "exceeds its limit of 3 s"),
        ({"demand": [1, 0]}, "job 2: demand should be between 1"),
        ({"submit": [-1, 5]}, "submit should be between 0"),
        ({"submit": [0, 2**41]}, "submit should be between 0"),
        ({"submit": [0.5, 5]}, "whole numbers"),
        ({"demand": [1]}, "should have 2 values"),
        ({"weight": [1.0, float("nan")]}, "weights should be finite"),
    ],
)
def test_refusals(changes, message):
    with pytest.raises(InputError, match=message):
        make(**changes)


def test_no_jobs():
    with pytest.raises(InputError, match="no jobs"):
        make(id=[], submit=[], runtime=[], requested_time=[], demand=[])


def test_select_keeps_extra_columns():
    workload = make().replace(extra={"wait": np.array([7, 8])})
    assert workload.select(np.array([False, True])).extra["wait"].tolist() == [8]


def test_clusters():
    assert Cluster.pool(8).procs == 8
    assert Cluster.pool(8).is_pool
    nodes = Cluster("n", (NodeGroup("fat", 2, {"cores": 16, "gpus": 4}),))
    assert nodes.procs == 32
    assert not nodes.is_pool
    for wrong in (0, -3, 2**41):
        with pytest.raises(InputError, match="between 1 and"):
            Cluster.pool(wrong)
    with pytest.raises(InputError, match="1 node or more"):
        NodeGroup("none", 0, {"cores": 1})
    with pytest.raises(InputError, match="cores should be a whole number"):
        NodeGroup("half", 1, {"cores": 1.5})
    with pytest.raises(InputError, match="should have something on its nodes"):
        NodeGroup("empty", 1, {"cores": 0})
    with pytest.raises(InputError, match="the processors of a node are its cores"):
        Cluster("old", (NodeGroup("fat", 2, {"processors": 16}),))
    with pytest.raises(InputError, match="at least one core"):
        Cluster("disks", (NodeGroup("disk", 2, {"memory": 16}),))
    with pytest.raises(InputError, match="at least one node group"):
        Cluster("empty", ())


def test_schedules():
    workload = make()
    schedule = Schedule.from_wait(workload, np.array([0, 2]))
    assert schedule.start.tolist() == [0, 7]
    assert schedule.end.tolist() == [3, 11]
    assert schedule.wait(workload).tolist() == [0, 2]
    with pytest.raises(InputError, match="one start and one end per job"):
        Schedule(np.array([1]), np.array([1, 2]))


def test_unknown_names_suggest_or_list():
    assert "Did you mean BSLD?" in str(UnknownName("metric", "bsdl", ["BSLD", "AF"]))
    long = str(UnknownName("thing", "zzz", [f"name{i}" for i in range(30)]))
    assert long.endswith("name11, ....")
