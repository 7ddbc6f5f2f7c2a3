"""The queue as ``squeue -O`` prints it, with names that users have thought of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.adapters.slurm.queue_text import (
    SEPARATOR,
    fields,
    read_excluded,
    read_queue,
    readable_id,
    valid_id,
)
from packwise.adapters.slurm.snapshot import NOT_TOLD
from packwise.workloads.records.values import OF_PARTITION
from tests.adapters.samples import CELLS, MARK, NOW, job, record


def read(text, mark=MARK):
    remarks: list[str] = []
    return list(read_queue(text, mark, remarks)), remarks


def test_a_job():
    (found,), remarks = read(record())
    assert not remarks
    assert found == job(
        "12",
        nodes=2,
        cpus=8,
        eligible=NOW - 90,
        memory=16384,
        gpus=2,
        qos="normal",
        priority=4000,
    )
    assert found.waiting
    assert found.for_room
    assert not found.running


def test_nobody_is_there():
    assert read("") == ([], [])
    assert read("\n") == ([], [])


@pytest.mark.parametrize(
    "name",
    [
        "two\nlines",
        "\n",
        "\n\n\nx",
        f"a{SEPARATOR}b{SEPARATOR}c",
        SEPARATOR,
        "'; rm -rf $HOME; `id` $(id) | \"",
        "\x1b[2J\x1b]0;owned\x07",
        "größer ☃ 作业",
        "",
        "   ",
        "JobId=1 UserId=root(0)",
        record(mark="", JobArrayID="99", UserName="root"),
        "x\n" + record(mark=SEPARATOR + "fedcba9876543210", JobArrayID="99") + "y",
    ],
)
def test_names_of_all_kinds(name):
    text = record(Name=name) + record(JobArrayID="13", JobID="13", Name="next")
    found, remarks = read(text)
    assert [one.id for one in found] == ["12", "13"]
    assert [one.user for one in found] == ["ann", "ann"]
    assert found[0].name == name.rstrip("\n")
    assert not remarks


@given(st.lists(st.text(), min_size=1, max_size=4), st.integers(0, 2**64 - 1))
def test_no_name_is_a_job(names, drawn):
    """Whatever jobs are called: there are as many as there are, and theirs is what is theirs."""
    mark = f"{SEPARATOR}{drawn:016x}"
    if any(mark in name for name in names):
        return  # nobody knows the mark beforehand
    text = "".join(
        record(mark=mark, JobArrayID=str(k), JobID=str(k), Name=name)
        for k, name in enumerate(names, 1)
    )
    found, remarks = read(text, mark)
    assert not remarks
    assert [one.id for one in found] == [str(k) for k in range(1, len(names) + 1)]
    assert [one.name for one in found] == [name.rstrip("\n") for name in names]
    assert {(one.user, one.cpus, one.limit, one.held) for one in found} == {("ann", 8, 3600, "")}


def test_the_name_is_last_and_followed_by_the_mark():
    asked = fields(MARK)
    assert asked.endswith(f"Name:{MARK}")
    assert asked.count(SEPARATOR) == len(CELLS)
    assert " " not in asked


@pytest.mark.parametrize(
    "cells",
    [
        {"JobID": "x"},
        {"JobID": "0"},
        {"JobID": "-4"},
        {"SubmitTime": "N/A"},
        {"SubmitTime": "2026-01-01T00:00:00"},
        {"NumCPUs": "0"},
        {"NumCPUs": "many"},
        {"NumCPUs": "1e400"},
        {"JobArrayID": ""},
        {"JobArrayID": "12;13"},
        {"JobArrayID": "12_[1-5]"},
        {"JobArrayID": "12_"},
        {"JobArrayID": "１２"},
        {"JobArrayID": "1" * 40},
    ],
)
def test_a_record_that_cannot_be_read(cells):
    found, remarks = read(record(**cells) + record(JobArrayID="7", JobID="7"))
    assert [one.id for one in found] == ["7"]
    assert len(remarks) == 1
    assert "left to Slurm" in remarks[0]


def test_fields_that_are_missing():
    short = SEPARATOR.join(list(CELLS.values())[:-4]) + MARK
    found, remarks = read(short + record())
    assert [one.id for one in found] == ["12"]
    assert len(remarks) == 1


def test_a_remark_cannot_move_the_cursor():
    _, (remark,) = read(record(JobID="x", JobArrayID="\x1b[2J"))
    assert "\x1b" not in remark


def test_the_end_of_an_answer_that_was_cut_off():
    """Half a record is none."""
    whole = record() + record(JobArrayID="13", JobID="13")
    for cut in range(len(record()), len(whole) - len(MARK) - 1):
        found, _ = read(whole[:cut])
        assert [one.id for one in found] == ["12"]


def test_tasks_of_an_array():
    text = record(JobArrayID="1234_7", JobID="1234") + record(JobArrayID="1234_8", JobID="1240")
    found, _ = read(text)
    assert [(one.id, one.raw) for one in found] == [("1234_7", 1234), ("1234_8", 1240)]


def test_parts_of_a_heterogeneous_job_are_seen_and_not_planned():
    (found,), _ = read(record(JobArrayID="50+1", JobID="51"))
    assert found.id == "50+1"
    assert not found.for_room


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("UNLIMITED", NOT_TOLD),
        ("Partition_Limit", OF_PARTITION),
        ("INVALID", NOT_TOLD),
        ("0:00", NOT_TOLD),
        ("5:00", 300),
        ("1-00:00:01", 86401),
        ("nonsense", NOT_TOLD),
    ],
)
def test_limits(text, seconds):
    (found,), _ = read(record(TimeLimit=text))
    assert found.limit == seconds


@pytest.mark.parametrize(
    ("text", "memory", "gpus"),
    [
        ("cpu=8,mem=1000M,node=2", 1000, 0),
        ("cpu=8,mem=1.5G,gres/gpu:a100=3,gres/gpu:t4=1", 1536, 4),
        ("cpu=8,gres/gpu=2,gres/gpu:a100=2", 0, 2),
        ("N/A", 0, 0),
        ("", 0, 0),
        ("mem=what,gres/gpu=x", 0, 0),
    ],
)
def test_memory_and_gpus(text, memory, gpus):
    (found,), _ = read(record(tres_alloc=text))
    assert (found.memory, found.gpus) == (memory, gpus)


def test_what_a_running_job_has():
    told = {"State": "RUNNING", "NodeList": "n[1-2]", "StartTime": str(NOW), "OverSubscribe": "NO"}
    (found,), _ = read(record(**told))
    assert found.running
    assert not found.waiting
    assert (found.held, found.start, found.alone) == ("n[1-2]", NOW, True)


@pytest.mark.parametrize(
    ("reason", "for_room"),
    [
        ("Priority", True),
        ("Resources", True),
        ("None", True),
        ("ReqNodeNotAvail, UnavailableNodes:n3", True),
        ("Reservation", True),
        ("ReservationDeleted", False),
        ("Dependency", False),
        ("JobHeldUser", False),
        ("BeginTime", False),
        ("Licenses", False),
        ("QOSMaxJobsPerUserLimit", False),
        ("PartitionDown", False),
        ("", False),
    ],
)
def test_why_jobs_wait(reason, for_room):
    (found,), _ = read(record(Reason=reason))
    assert found.for_room is for_room


def test_partitions():
    (found,), _ = read(record(Partition="batch,long,"))
    assert found.partitions == ("batch", "long")


def test_nodes_that_jobs_do_not_want():
    text = f"12{SEPARATOR}n[1-2]\n13{SEPARATOR}\n14{SEPARATOR}(null)\nnonsense\n15_3{SEPARATOR}n9\n"
    assert read_excluded(text) == {"12": "n[1-2]", "15_3": "n9"}


@pytest.mark.parametrize("text", ["1", "1234", "1234_7", "0_0"])
def test_ids(text):
    assert valid_id(text)
    assert readable_id(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "_",
        "1_",
        "_1",
        "1_2_3",
        "1 2",
        "1\n",
        "-1",
        "1,2",
        "1;ls",
        "a",
        "१",
        "²",
        "1+",
        "+1",
        "1_2+3",
    ],
)
def test_what_is_no_id(text):
    assert not valid_id(text)
    assert not readable_id(text)


def test_a_part_is_not_written_to():
    assert readable_id("12+0")
    assert not valid_id("12+0")
