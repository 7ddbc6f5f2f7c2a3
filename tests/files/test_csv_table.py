"""Tables as CSV: what a quote takes in is said, with the line where it opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from packwise.files.csv_table import CsvTable, read_csv_table
from packwise.model.errors import FormatError


def read(folder: Path, text: str, **how: Any) -> CsvTable:
    path = folder / "table.csv"
    path.write_text(text)
    return read_csv_table(path, **how)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('job,cores\n1,"4\n2,4\n3,4\n', 2),
        ('job,cores\n1,4\n\n"2,4\n3,4', 4),
        ('job,"cores\n1,4\n2,4\n', 1),
        ('job,cores\n1,"4"5\n', 2),
    ],
)
def test_a_quote_that_is_not_closed(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(FormatError, match="expected CSV, found") as caught:
        read(tmp_path, text)
    assert caught.value.line == line


def test_a_quote_that_takes_in_rows(tmp_path: Path) -> None:
    """Taken as it stands, the table has two jobs of four, each with as many cells as the header."""
    with pytest.raises(FormatError) as caught:
        read(tmp_path, 'job,name,cores\n1,a,4\n2,"b,4\n3,c,4\n4,d",4\n')
    assert caught.value.line == 3
    assert "one that takes in line 4, a row by its looks" in str(caught.value)


def test_a_cell_may_have_line_ends(tmp_path: Path) -> None:
    table = read(tmp_path, 'job,name,cores\n1,"a\nb, ""c""",4\n2,"\n3,x\n",8\n')
    assert table.columns == {
        "job": ["1", "2"],
        "name": ['a\nb, "c"', "\n3,x\n"],
        "cores": ["4", "8"],
    }
    assert table.lines == [2, 4]


def test_only_the_delimiter_of_the_file_has_to_work_out(tmp_path: Path) -> None:
    table = read(tmp_path, '"time, UTC","price"\n"1","2"\n', delimiters="\t;,")
    assert table.names == ("time, UTC", "price")
