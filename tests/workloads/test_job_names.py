"""Names of users, partitions, ...: kept, written, read back, picked by, and left out of what is shared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.workload import Workload
from packwise.workloads.anonymise import anonymise
from packwise.workloads.losses import losses
from packwise.workloads.schedule_files import write_schedule
from packwise.workloads.selection import Selection
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.workloads.records import site

pytestmark = pytest.mark.usefixtures("untried")


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "site.txt"
    path.write_text(site.sacct(site.jobs()))
    return path


def named(workload: Workload, column: str) -> list[str]:
    numbers = workload.numbers(column)
    assert numbers is not None
    return [workload.name_of(column, number) for number in numbers.tolist()]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "swf", "swf.gz"])
def test_names_there_and_back(dump: Path, tmp_path: Path, suffix: str) -> None:
    before = load_trace(dump, None, Window())
    target = tmp_path / f"copy.{suffix}"
    schedule = before.recorded_schedule(Window())
    write_schedule(target, before.workload, before.cluster, schedule)
    after = load_trace(target, None, Window())
    columns = ["user", "group", "app", "queue", "partition"]
    if not suffix.startswith("swf"):
        columns += ["account", "qos", "state", "node_list"]
        assert losses(before.workload, suffix) == []
        for name in ("held", "array_job", "array_task", "exit_code"):
            assert (after.workload.extra[name] == before.workload.extra[name]).all()
        assert (after.workload.units == before.workload.units).all()
    else:
        assert "account, qos, state, node_list" in losses(before.workload, "swf")[0]
    for column in columns:
        assert named(after.workload, column) == named(before.workload, column)
    assert (after.recorded_schedule(Window()).start == schedule.start).all()
    assert after.cluster.procs == before.cluster.procs


def test_names_belong_to_numbers() -> None:
    jobs = Workload.of([(0, 1, 1, 1), (1, 1, 1, 1)]).replace(user=np.array([0, 2]))
    with pytest.raises(InputError, match="user 2 should have one of 2 names"):
        jobs.replace(names={"user": ("a", "b")})
    with pytest.raises(InputError, match="names for 'account', but no such column"):
        jobs.replace(names={"account": ("a",)})
    told = jobs.replace(names={"user": ("a", "b", "")})
    assert [told.name_of("user", k) for k in (0, 2, 7, -1)] == ["a", "2", "7", "-1"]
    assert told.select(np.array([False, True])).names == told.names


def test_a_number_has_one_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    head = "job_id,submit,wait,start,end,runtime,requested_time,demand,user,user_name,log_procs\n"
    path.write_text(head + "1,0,0,0,1,1,1,1,3,ann,4\n2,0,0,0,1,1,1,1,3,bob,4\n")
    with pytest.raises(
        InputError, match=r"line 3: expected one name for user 3, 'ann', found 'bob'"
    ):
        load_trace(path, None, Window())
    path.write_text(head + "1,0,0,0,1,1,1,1,3,ann,4\n2,0,0,0,1,1,1,1,1,,4\n")
    assert named(load_trace(path, None, Window()).workload, "user") == ["ann", "1"]


def test_jobs_by_name(dump: Path) -> None:
    every = load_trace(dump, None, Window()).workload
    users = named(every, "user")
    only = load_trace(dump, None, Window(only=("user=alice,bob", "partition=gpu")))
    kept = [
        user in ("alice", "bob") and partition == "gpu"
        for user, partition in zip(users, named(every, "partition"), strict=True)
    ]
    assert only.workload.id.tolist() == every.id[kept].tolist()
    assert only.cleaning is not None
    assert (only.cleaning.jobs_read, only.cleaning.jobs_kept) == (sum(kept), sum(kept))
    both = Window(only=("user=alice", "user=bob"))
    assert set(named(load_trace(dump, None, both).workload, "user")) == {"alice", "bob"}
    without = load_trace(dump, None, Window(without=("user=alice",))).workload
    assert named(without, "user") == [user for user in users if user != "alice"]
    assert "without user=alice" in Window(without=("user=alice",)).words()


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("user", "expected such as partition=gpu,debug"),
        ("color=red", "color"),
        ("user=nobody", "has no job of user 'nobody'; it has alice, bob, carol"),
        ("features=ib", "does not tell the features"),
    ],
)
def test_names_that_nobody_has(dump: Path, only: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_trace(dump, None, Window(only=(only,)))


def test_numbers_are_names_where_there_are_none() -> None:
    jobs = Workload.of([(0, 1, 1, 1), (1, 1, 1, 1)]).replace(queue=np.array([3, 4]))
    assert Selection.parse("queue=4", "--only").of(jobs).tolist() == [False, True]


def test_what_can_be_shared(dump: Path) -> None:
    before = load_trace(dump, None, Window()).workload
    after = anonymise(before)
    text = repr(after.names) + repr({name: column.tolist() for name, column in after.extra.items()})
    for secret in ("alice", "bob", "carol", "physics", "bio", "train", "relax", "n001"):
        assert secret not in text
    assert after.header == ()
    assert after.id.tolist() == list(range(1, len(before) + 1))
    assert after.names["partition"] == before.names["partition"]
    for column in ("user", "account", "app"):
        pairs = set(
            zip(before.numbers(column).tolist(), after.numbers(column).tolist(), strict=True)
        )
        assert len(pairs) == len({one for one, _ in pairs}) == len({one for _, one in pairs})
    assert (after.runtime == before.runtime).all()
    assert (after.submit == before.submit).all()
    assert (after.extra["wait"] == before.extra["wait"]).all()


def test_long_lists_of_names_do_not_go_into_a_header(dump: Path, tmp_path: Path) -> None:
    jobs = Workload.of([(0, 1, 1, 1)]).replace(
        app=np.array([0]), names={"app": tuple(f"job{k}" for k in range(100_001))}
    )
    write_schedule(tmp_path / "a.swf", jobs, Cluster.pool(1), load_schedule(jobs))
    assert (tmp_path / "a.swf").stat().st_size < 2000
    assert "names of apps" in losses(jobs, "swf")[0]


def load_schedule(jobs: Workload):
    from packwise.model.schedule import Schedule

    return Schedule(jobs.submit, jobs.submit + jobs.runtime)
