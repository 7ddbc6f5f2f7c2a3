"""Lines that a job's name has broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.workloads.loading import load_workload
from packwise.workloads.records.key_values import read_pbs
from packwise.workloads.records.rows import blocks_of_lines, split_lines
from packwise.workloads.records.times import Clock
from tests.workloads.records import site

JOBS = site.jobs(6)


@pytest.mark.parametrize(
    "name", ["a|b", "|", "a||b|c", "two\nlines", "1|2024-01-01T00:00:00|x", "bar|\nand line"]
)
@pytest.mark.parametrize("last", [False, True])
def test_names_with_separators_and_line_ends(tmp_path: Path, name: str, last: bool) -> None:
    """The job is read; its name is as near as can be."""
    columns = [*(one for one in site.USUAL if one != "JobName"), "JobName"] if last else site.USUAL
    text = site.sacct(JOBS, columns)
    lines = text.split("\n")
    cells = lines[3].split("|")
    cells[columns.index("JobName")] = name
    lines[3] = "|".join(cells)
    path = tmp_path / "dump.txt"
    path.write_text("\n".join(lines))
    jobs = load_workload(path).workload
    assert sorted(jobs.id.tolist()) == [job.id for job in JOBS]
    # A line end in the last cell looks like the end of the record: the rest of the name is counted.
    told = name.partition("\n")[0] if last else " ".join(name.split("\n"))
    assert told in jobs.names["app"]


def test_lines_that_cannot_be_read_are_counted_and_quoted(tmp_path: Path) -> None:
    text = site.sacct(JOBS)
    path = tmp_path / "dump.txt"
    path.write_text(text + "what is this\n" + "x|y\n")
    loaded = load_workload(path)
    assert len(loaded.workload) == 6
    assert dict(loaded.report.lines) == {"unreadable": 2}


def test_a_file_of_other_lines_is_no_hang(tmp_path: Path) -> None:
    """Each line is joined with a few that follow, not with all of them."""
    path = tmp_path / "dump.txt"
    path.write_text(site.sacct(JOBS) + "no cells here\n" * 10_000)
    loaded = load_workload(path)
    assert len(loaded.workload) == 6
    assert dict(loaded.report.lines) == {"unreadable": 10_000}


@given(st.lists(st.binary(max_size=12), max_size=12), st.integers(1, 7))
def test_blocks_are_cut_at_line_ends(parts: list[bytes], size: int) -> None:
    content = b"".join(parts)
    pieces = [content[i : i + size] for i in range(0, len(content), size)]
    found = list(blocks_of_lines(pieces))
    whole = b"".join(found)
    assert whole == (content if content.endswith(b"\n") or not content else content + b"\n")
    assert all(block.endswith(b"\n") for block in found)


@given(st.lists(st.text("ab|\r ", max_size=8), max_size=12), st.integers(1, 4))
def test_good_lines_and_bad_ones(lines: list[str], cells: int) -> None:
    """A naive twin: count the separators of each line."""
    block = "".join(f"{line}\n" for line in lines).encode()
    found = split_lines(block, "|", cells)
    good = [line for line in lines if line.count("|") == cells - 1 and (cells > 1 or line)]
    assert found.good == "".join(f"{line}\n" for line in good).encode()
    bad = [(k, line.encode()) for k, line in enumerate(lines) if line not in good and line.strip()]
    assert found.bad == bad
    assert found.lines == len(lines)


def test_a_line_that_is_no_record_of_pbs(tmp_path):
    """It is counted and quoted; the job behind it is read."""
    path = tmp_path / "20091221"
    path.write_text(f"not a record\n{site.pbs(site.jobs(1))}")
    found = read_pbs(path, Clock())
    assert (len(found), found.left_out["unreadable"]) == (1, 1)
    assert found.wrong == (
        "line 1: no record such as 12/21/2009 15:27:00;E;6.server;user=...: 'not a record'",
    )
