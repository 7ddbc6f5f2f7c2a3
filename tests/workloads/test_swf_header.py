"""Header lines: names, numbers, lists."""

from __future__ import annotations

import pytest

from packwise.workloads.swf.header import Header, parse

HEADER = Header(
    (
        ";Version: SWF v2",
        "; MaxNodes: 338 (batch partition; 512 total)",
        "; MaxProcs: 1664 (72, 1368, 224)",
        "; UnixStartTime: 843480031",
        ";  TimeZoneString:  Europe/Stockholm ",
        "; Queues: these are actually LoadLeveler classes",
        "; Queue:  1 DSI      ",
        ";     Queue: 2 - Besteffort jobs",
        "; Queue:  3",
        "; Partition:  1  test",
        "; Note: first: one",
        "just text",
    )
)


def test_values() -> None:
    assert HEADER.max_procs == 1664
    assert HEADER.max_nodes == 338
    assert HEADER.unix_start_time == 843480031
    assert HEADER.time_zone == "Europe/Stockholm"
    assert HEADER.queues == {1: "DSI", 2: "Besteffort jobs", 3: ""}
    assert HEADER.partitions == {1: "test"}
    assert HEADER.field("VERSION") == "SWF v2"
    assert HEADER.field("note") == "first: one"
    assert HEADER.field("Computer") is None


@pytest.mark.parametrize("value", ["", "unknown", "-1", "0", "9" * 400])
def test_no_number_is_none(value: str) -> None:
    assert Header((f"; MaxProcs: {value}",)).max_procs is None


def test_empty_header() -> None:
    empty = Header(())
    assert empty.max_procs is empty.max_nodes is empty.unix_start_time is empty.time_zone is None
    assert empty.queues == {} == empty.partitions


def test_parse() -> None:
    assert parse("; MaxProcs: 8") == ("MaxProcs", "8")
    assert parse("; a sentence without a colon") is None
    assert parse("MaxProcs: 8") is None
