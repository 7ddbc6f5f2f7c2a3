"""A quote that nobody meant never takes in the records behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from packwise.workloads.records.collecting import Records
from packwise.workloads.records.reading import read_records

MAP = ("id=id,queued=submit,begin=start,secs=elapsed,cores=cpus,job=name",)
HEADER = "id,job,queued,begin,secs,cores"


def line(number: int, name: str) -> str:
    return f"{number},{name},{1000 + number},{2000 + number},60,4"


def read(path: Path, lines: list[str]) -> Records:
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    records = read_records(path, mapping=MAP)
    assert records is not None
    return records


def names(records: Records) -> list[str]:
    words = records.names["name"]
    return [words[k] for k in records.columns["name"].tolist()]


def test_a_quote_that_is_never_closed(tmp_path: Path) -> None:
    lines = [line(k, '"train' if k == 3 else "job") for k in range(1, 31)]
    records = read(tmp_path / "log.csv", lines)
    assert records.columns["number"].tolist() == list(range(1, 31))
    assert names(records)[2] == '"train'
    assert not records.left_out


def test_two_quotes_with_records_between_them(tmp_path: Path) -> None:
    """Read as one cell, they would make one row of the right width out of thirty."""
    lines = [line(k, {3: '"a', 27: 'b"'}.get(k, "job")) for k in range(1, 31)]
    records = read(tmp_path / "log.csv", lines)
    assert records.columns["number"].tolist() == list(range(1, 31))
    assert (names(records)[2], names(records)[26]) == ('"a', 'b"')


def test_a_stray_quote_before_a_cell_in_quotes(tmp_path: Path) -> None:
    lines = [line(k, {3: '"a', 7: '"b, c"', 8: '"d ""e"""'}.get(k, "job")) for k in range(1, 11)]
    records = read(tmp_path / "log.csv", lines)
    assert records.columns["number"].tolist() == list(range(1, 11))
    assert names(records)[2:8:4] == ['"a', "b, c"]
    assert names(records)[7] == 'd "e"'


def test_lines_that_make_no_record_are_counted_one_by_one(tmp_path: Path) -> None:
    lines = [line(1, "a"), '2,"b', "no record", "and another", line(5, "c")]
    records = read(tmp_path / "log.csv", lines)
    assert records.columns["number"].tolist() == [1, 5]
    assert records.left_out == {"unreadable": 3}
    assert "line 3: a quote that is opened and not closed" in records.wrong[0]


@pytest.mark.parametrize("text", ['"two\nlines"', '"a, b\nc, ""d"""', '"\n\n"', '"1\n2\n3"'])
def test_a_cell_may_have_line_ends(tmp_path: Path, text: str) -> None:
    records = read(tmp_path / "log.csv", [line(1, "a"), line(2, text), line(3, "b")])
    assert records.columns["number"].tolist() == [1, 2, 3]
    assert not records.left_out


def test_a_row_of_another_width_is_one_record(tmp_path: Path) -> None:
    records = read(tmp_path / "log.csv", [line(1, "a"), line(2, '"x\ny"') + ",7", line(3, "b")])
    assert records.columns["number"].tolist() == [1, 3]
    assert records.left_out == {"unreadable": 1}


def test_a_cell_with_letters_behind_its_quotes_stays_as_it_is(tmp_path: Path) -> None:
    records = read(tmp_path / "log.csv", [line(1, '"a"b'), line(2, "c")])
    assert names(records) == ['"a"b', "c"]
