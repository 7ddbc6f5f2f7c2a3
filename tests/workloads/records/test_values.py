"""Single cells of records, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.model.workload import LARGEST, UNKNOWN
from packwise.workloads.records import values
from packwise.workloads.records.values import OF_PARTITION, UNLIMITED, WRONG, Asked, Number, Tres


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("00:07:00", 420),
        ("1-02:03:04", 93784),
        ("125-00:00:00", 10_800_000),
        ("2-12", 2 * 86400 + 12 * 3600),
        ("2-12:30", 2 * 86400 + 12 * 3600 + 1800),
        ("144:00:00", 518_400),
        ("05:30", 330),
        ("02:35.500", 155),
        ("90", 90),
        ("1.5", 2),
        ("Unknown", UNKNOWN),
        ("", UNKNOWN),
        ("-1", UNKNOWN),
        ("an hour", WRONG),
        ("1:2:3:4", WRONG),
        ("1_000", WRONG),
        ("9" * 20, WRONG),
    ],
)
def test_seconds(text: str, expected: int) -> None:
    assert values.seconds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("UNLIMITED", UNLIMITED),
        ("Partition_Limit", OF_PARTITION),
        ("10", 600),
        ("00:10:00", 600),
        ("", UNKNOWN),
    ],
)
def test_limits(text: str, expected: int) -> None:
    assert values.limit(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("31000Mn", Asked(31000, "n")),
        ("2800Mc", Asked(2800, "c")),
        ("128G", Asked(131072)),
        ("62.50G", Asked(64000)),
        ("2147486648Mn", Asked(3000, "c")),  # the bit for 'each processor' in the number
        ("500", Asked(500)),
        ("0", Asked(0)),
        ("", Asked(UNKNOWN)),
        ("lots", Asked(WRONG)),
    ],
)
def test_requested_memory(text: str, expected: Asked) -> None:
    assert values.requested_memory(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("billing=12,cpu=12,gres/gpu=2,mem=31000M,node=1", Tres(12, 31000, 1, 2)),
        ("cpu=64,gres/gpu:a100=4,gres/gpu:v100=2,mem=62.50G,node=8", Tres(64, 64000, 8, 6)),
        ("cpu=4,gres/gpu=4,gres/gpu:a100=4,node=1", Tres(4, UNKNOWN, 1, 4)),
        ("1=20,2=170000,4=1,1002=2", Tres(20, 170000, 1, 2)),
        ("", Tres()),
        ("cpu=x", Tres(WRONG, UNKNOWN, UNKNOWN, UNKNOWN)),
        ("license/matlab=1", Tres(UNKNOWN, UNKNOWN, UNKNOWN, 0)),
    ],
)
def test_tres(text: str, expected: Tres) -> None:
    assert values.tres(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("123", Number(123)),
        ("123_4", Number(123, task=4)),
        ("123_[5-10%3]", Number(123)),
        ("123+1", Number(123, component=1)),
        ("123.batch", Number(UNKNOWN, step=True)),
        ("123_4.0", Number(UNKNOWN, step=True)),
        ("123.extern", Number(UNKNOWN, step=True)),
        ("123+0.0", Number(UNKNOWN, step=True)),
        ("6.edge.ccr.buffalo.edu", Number(6)),
        ("1234[5].server", Number(1234, task=5)),
        ("1234[].server", Number(1234)),
        ("3073070.[hostname_1]", Number(3073070)),
        ("", Number(UNKNOWN)),
        ("job", Number(WRONG)),
        ("-5", Number(WRONG)),
    ],
)
def test_ids(text: str, expected: Number) -> None:
    assert values.job_number(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu:2", 2),
        ("gpu:a100:4", 4),
        ("gpu", 1),
        ("gres:gpu:1", 1),
        ("gpu:2(S:0-1),mic:1", 2),
        ("gpu:1080ti:2", 2),
        ("gpu:3090:2(IDX:0,1),gpu:k80:1", 3),
        ("shard:4,mps:100", 0),
        ("gpu:" + "9" * 5_000, WRONG),
        ("", UNKNOWN),
    ],
)
def test_generic_resources(text: str, expected: int) -> None:
    assert values.gpus_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CANCELLED by 1000", "CANCELLED"),
        ("CA", "CANCELLED"),
        ("OOM", "OUT_OF_MEMORY"),
        ("CANCELLED+", "CANCELLED"),
    ],
)
def test_states(text: str, expected: str) -> None:
    assert values.state_name(text) == expected


@given(st.text(max_size=30))
def test_no_text_is_too_odd(text: str) -> None:
    """Whatever a cell holds, it becomes a number that a column may have."""
    for read in (
        values.whole,
        values.seconds,
        values.limit,
        values.megabytes,
        values.gpus_of,
        values.exit_code,
        lambda one: values.requested_memory(one).megabytes,
        lambda one: values.job_number(one).number,
        *(lambda one, k=k: values.tres(one)[k] for k in range(4)),
    ):
        found = read(text)
        assert WRONG <= found <= 10 * LARGEST
    values.state_name(text)
