"""Deadlines out of files, impossible ones, and what windows do to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.model import Cluster, Schedule
from packwise.model.errors import FormatError, InputError, PackwiseError
from packwise.model.workload import NO_DEADLINE, Workload
from packwise.workloads.deadlines import (
    assign_deadlines,
    deadline_remarks,
    impossible_deadlines,
    parse_rules,
)
from packwise.workloads.describe import describe
from packwise.workloads.schedule_files import read_schedule, write_schedule
from packwise.workloads.swf import write_swf
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window

pytestmark = pytest.mark.usefixtures("untried")

NONE = NO_DEADLINE
COUNT = "keep and count such jobs where they are replayed: --impossible-deadlines count"

# ids 1 to 4, submitted at 100 200 300 400, 2 4 2 2 processors, limits of 50 s
FOUR = Workload.of([(100, 2, 10, 50), (200, 4, 10, 50), (300, 2, 10, 50), (400, 2, 10, 50)], "four")
GOOD = np.array([150, 999, NONE, 450])


def with_deadlines(*times: int) -> Workload:
    return FOUR.replace(deadline=np.array(times))


@pytest.mark.parametrize(
    ("times", "procs", "never", "message"),
    [
        ((150, 250, NONE, 450), 4, [], ""),
        ((150, 249, NONE, 450), 4, [2], "job 2: its deadline cannot be met: 249 s is before its "
         "submission at 200 s plus its limit of 50 s, which is 250 s. Jobs with such a deadline: 1."),
        ((NONE, NONE, 300, 0), 4, [3, 4], "job 3: its deadline cannot be met: 300 s is in the past when "
         "the job is submitted, at 300 s. Jobs with such a deadline: 2."),
        ((150, 250, NONE, 450), 3, [2], "job 2: its deadline cannot be met: the job needs 4 processors "
         "and the machine has 3, so it never runs. Jobs with such a deadline: 1."),
        ((150, NONE, NONE, 450), 3, [], ""),
    ],
)  # fmt: skip
def test_impossible(times, procs, never, message):
    workload = with_deadlines(*times)
    mask = impossible_deadlines(workload, procs)
    assert workload.id[mask].tolist() == never
    counted = assign_deadlines(workload, (), procs, "count")
    assert counted.deadline is not None
    assert counted.deadline.tolist() == list(times)
    assert Window(impossible="count").apply(workload, procs).deadline.tolist() == list(times)
    told = deadline_remarks(counted, (), procs)
    assert (f"deadlines that could never be met: {len(never)}" in told) == bool(never)
    for attempt in (assign_deadlines, lambda w, _, p: Window().apply(w, p)):
        if not never:
            attempt(workload, (), procs)
            continue
        with pytest.raises(InputError) as caught:
            attempt(workload, (), procs)
        assert message in str(caught.value)
        assert COUNT in str(caught.value)


def test_no_deadlines_no_remarks():
    assert not impossible_deadlines(FOUR, 1).any()
    assert deadline_remarks(FOUR, (), 4) == []


def test_what_to_do_is_one_of_two():
    with pytest.raises(InputError, match="should be 'refuse' or 'count', found 'ignore'"):
        assign_deadlines(FOUR, (), 4, "ignore")  # type: ignore[arg-type]


@pytest.fixture
def column(tmp_path):
    """Deadlines that a file gives FOUR."""

    def read(text: str | bytes, impossible="refuse"):
        file = tmp_path / "d.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        rules = parse_rules(f"column(file={file})")
        try:
            return assign_deadlines(FOUR, rules, 4, impossible).deadline.tolist()
        except FormatError as error:
            raise InputError(str(error).replace(f"{tmp_path}/", "")) from None

    return read


def test_a_file_of_deadlines(column):
    assert column("job_id,deadline\n4,450\n1,150.0\n2,\n3,-1\n") == [150, NONE, NONE, 450]
    assert column("note,deadline,job_id\nx, 300 ,2\n") == [NONE, 300, NONE, NONE]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("job_id,deadline\n1,150\n9,1\n7,1\n", "d.csv, line 3: expected jobs of 'four' as it is after "
         "cleaning, found job 9, which is not there (such rows: 2). Remove them, or check"),
        ("job_id,deadline\n1,150\n2,\n1,150\n", "d.csv, line 4: expected each job once, found job 1 again. "
         "Keep one of its rows."),
        ("job_id,dead\n1,150\n", "d.csv, line 1: expected a column 'deadline', found columns job_id, dead."),
        ("id,deadline\n1,150\n", "expected a column 'job_id'"),
        ("job_id,deadline\nx,150\n", "line 2: expected a number below 2^40 in column 'job_id', found 'x'."),
        ("job_id,deadline\n", "found no job."),
        ("", "found no job."),
        (b"\xff\xfe", "expected UTF-8 text"),
        ("job_id,deadline\n1,150\n3,NaN\n4,inf\n", "d.csv, line 3: expected as deadline of job 3 a time in "
         "whole seconds from 0 to 2^40, or an empty cell or -1 for none, found 'NaN' (jobs with such a "
         "cell: 2). Correct them, or keep and count such jobs where they are replayed: "
         "--impossible-deadlines count"),
        ("job_id,deadline\n1,150.5\n", "line 2: expected as deadline of job 1"),
        ("job_id,deadline\n1,-2\n", "found '-2' (jobs with such a cell: 1)."),
        ("job_id,deadline\n1,1_5\n", "found '1_5'"),
        ("job_id,deadline\n1,tomorrow\n", "found 'tomorrow'"),
        ("job_id,deadline\n1,1e300\n", "found '1e300'"),
        ("job_id,deadline\n4,449\n", "job 4: its deadline cannot be met: 449 s is before"),
    ],
)  # fmt: skip
def test_mistakes_in_a_file(column, text, message):
    with pytest.raises(InputError) as caught:
        column(text)
    assert message in str(caught.value)


def test_what_is_no_time_at_all_can_be_counted(column):
    assert column("job_id,deadline\n1,150\n3,NaN\n4,-7\n2,0\n", "count") == [150, 0, 300, 400]


@pytest.mark.parametrize("cell", ["soon", "2024-01-02", "1e13", "inf", "150.5", "1_5"])
def test_other_cells_are_refused_even_then(column, cell):
    """A date or half a second may well be met: to count it as missed would be a wrong number."""
    with pytest.raises(InputError, match=r"a time in whole seconds.*Correct them\.$"):
        column(f"job_id,deadline\n1,{cell}\n", "count")


def test_there_is_no_such_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        assign_deadlines(FOUR, parse_rules(f"column(file={tmp_path}/none.csv)"), 4)


cells = st.one_of(
    st.sampled_from(
        ["", "-1", "nan", "inf", "-inf", "1e400", "1_0", "0x1", "150", "99.5", '"', ",", "٣"]
    ),
    st.integers(-5, 2**70).map(str),
    st.text(max_size=5),
)


@given(st.lists(st.tuples(cells, cells), max_size=6), st.sampled_from(["refuse", "count"]))
def test_any_file_gives_deadlines_or_an_error_of_ours(tmp_path_factory, rows, impossible):
    file = tmp_path_factory.mktemp("fuzz") / "d.csv"
    text = "".join(f"{job},{time}\n" for job, time in rows)
    file.write_text(f"job_id,deadline\n{text}", encoding="utf-8", errors="replace")
    try:
        found = assign_deadlines(FOUR, parse_rules(f"column(file={file})"), 4, impossible)
    except PackwiseError:
        return
    if impossible == "refuse":
        assert not impossible_deadlines(found, 4).any()


def test_two_files_must_not_speak_of_the_same_job(tmp_path):
    for name, job in (("a", 1), ("b", 2), ("c", 1)):
        (tmp_path / f"{name}.csv").write_text(f"job_id,deadline\n{job},900\n")
    first, second, third = (f"column(file={tmp_path / name}.csv)" for name in "abc")
    both = assign_deadlines(FOUR, parse_rules([first, second]), 4)
    assert both.deadline.tolist() == [900, 900, NONE, NONE]
    with pytest.raises(
        InputError, match=r"'column\(file=a.csv\)' and 'column\(file=c.csv\)' contradict"
    ):
        assign_deadlines(FOUR, parse_rules([first, second, third]), 4)


def test_a_file_tells_of_the_whole_log_and_its_deadlines_move_along(tmp_path):
    """Jobs left out by the window are no mistake; a job that comes earlier is due earlier."""
    file = tmp_path / "d.csv"
    file.write_text("job_id,deadline\n1,150\n3,400\n4,450\n")
    rules = (f"column(file={file})",)
    assert Window(first=2, deadlines=rules).apply(FOUR, 4).deadline.tolist() == [400, 450]
    denser = Window(factor=2.0, deadlines=rules).apply(FOUR, 4)
    assert denser.submit.tolist() == [100, 150, 200, 250]
    assert denser.deadline.tolist() == [150, NONE, 300, 300]
    shaken = Window(seed=3, seconds=500, deadlines=rules).apply(FOUR, 4)
    slack = dict(zip(shaken.id.tolist(), (shaken.deadline - shaken.submit).tolist(), strict=True))
    assert (slack[1], slack[3], slack[4]) == (50, 100, 50)


def test_rules_come_last():
    denser = Window(factor=2.0, seed=1, deadlines=("slack(least=1000)",)).apply(FOUR, 4)
    assert (denser.deadline - denser.submit).tolist() == [1000] * 4


def test_words():
    window = Window(
        drop_partitions=(1, 3),
        drop_unallocated=True,
        seed=1,
        deadlines=("slack(share=0.2)", "column(file=/far/d.csv)"),
        impossible="count",
    )
    assert window.words() == [
        "without partitions 1, 3",
        "without jobs that have no recorded number of allocated processors",
        "submissions shaken by up to 60 s, seed 1",
        "deadlines by slack(share=20%)",
        "deadlines by column(file=d.csv)",
        "deadlines that nobody could meet are kept and counted",
    ]


SWF = FOUR.replace(
    extra={"partition": np.array([1, 2, 2, 3]), "used_procs": np.array([2, 0, -1, 2])}
)


def test_partitions_and_unallocated():
    assert Window(drop_partitions=(1, 3)).apply(SWF, 4).id.tolist() == [2, 3]
    assert Window(drop_unallocated=True).apply(SWF, 4).id.tolist() == [1, 4]
    for window, message in (
        (Window(drop_partitions=(4,)), "'four' has no partition 4. It has: 1, 2, 3."),
        (Window(drop_partitions=(1, 2, 3)), "'four' has no jobs outside the partitions [1, 2, 3]."),
    ):
        with pytest.raises(InputError) as caught:
            window.apply(SWF, 4)
        assert message in str(caught.value)
    with pytest.raises(InputError, match=r"does not tell the partition .* field 16"):
        Window(drop_partitions=(1,)).apply(FOUR, 4)
    with pytest.raises(InputError, match=r"does not tell the used_procs .* field 5"):
        Window(drop_unallocated=True).apply(FOUR, 4)
    with pytest.raises(InputError, match="no job with a known number of allocated processors"):
        Window(drop_unallocated=True).apply(FOUR.replace(extra={"used_procs": np.zeros(4)}), 4)


def test_description():
    assert describe(FOUR, 4).deadlines is None
    # slacks 0, 749 and 0 s beyond the limits
    found = describe(FOUR.replace(deadline=GOOD), 4).deadlines
    assert found == (3, 0.75, 0.0, 0)
    late = describe(with_deadlines(NONE, 999, NONE, 410), 3).deadlines
    assert late == (2, 0.5, (749 - 40) / 2, 2)
    none = describe(with_deadlines(NONE, NONE, NONE, NONE), 4).deadlines
    assert none.jobs == 0
    assert math.isnan(none.median_slack)


SCHEDULE = Schedule([100, 200, 300, 400], [110, 210, 310, 410])
PROMISED = Schedule(SCHEDULE.start, SCHEDULE.end, None, [100, -1, -1, 420])


def table(path):
    import polars as pl

    return pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_tables_keep_deadlines_and_promises(tmp_path, suffix):
    path = tmp_path / f"s.{suffix}"
    write_schedule(path, FOUR.replace(deadline=GOOD), Cluster.pool(4), PROMISED)
    raw = table(path)
    assert raw["deadline"].to_list() == [150, 999, -1, 450]
    assert raw["promised_start"].to_list() == [100, -1, -1, 420]
    read = read_schedule(path, procs=4)
    assert read.workload.deadline.tolist() == GOOD.tolist()
    assert read.schedule.promised.tolist() == [100, -1, -1, 420]
    trace = load_trace(path, 4, Window())
    assert trace.workload.deadline.tolist() == GOOD.tolist()
    assert trace.remarks() == ["deadline-driven jobs: 3 of 4 (75.0 %)"]
    other = load_trace(path, 4, Window(deadlines=("slack",)))
    assert other.workload.deadline.tolist() == (FOUR.submit + 86400).tolist()
    assert (
        other.remarks()[-1] == "the deadlines of the trace itself are not used: no rule is 'column'"
    )
    with pytest.raises(InputError, match="job 2: its deadline cannot be met: the job needs 4 proc"):
        load_trace(path, 3, Window())


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_tables_without_have_no_such_columns(tmp_path, suffix):
    path = tmp_path / f"s.{suffix}"
    write_schedule(path, FOUR, Cluster.pool(4), SCHEDULE)
    raw = table(path)
    assert not {"deadline", "promised_start"} & set(raw.columns)
    read = read_schedule(path, procs=4)
    assert read.workload.deadline is None
    assert read.schedule.promised is None


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("column", [[150.0, math.nan, None, -1.0], ["150", "nan", "", "-1"]])
def test_unreadable_cells_of_a_table(tmp_path, suffix, column):
    import polars as pl

    path = tmp_path / f"s.{suffix}"
    write_schedule(path, FOUR, Cluster.pool(4), SCHEDULE)
    raw = table(path)
    changed = raw.with_columns(deadline=pl.Series(column, strict=False))
    changed.write_csv(path) if suffix == "csv" else changed.write_parquet(path)
    with pytest.raises(FormatError) as caught:
        read_schedule(path, procs=4)
    assert "expected as deadline of job 2 a time in whole seconds" in str(caught.value)
    assert caught.value.line == (3 if suffix == "csv" else None)
    read = load_trace(path, 4, Window(impossible="count"))
    assert read.workload.deadline.tolist() == [150, 200, NONE, NONE]
    assert "deadlines that could never be met: 1" in read.remarks()


def test_swf_says_that_deadlines_are_lost(tmp_path):
    path = tmp_path / "s.swf"
    write_swf(path, FOUR.replace(deadline=GOOD), procs=4)
    told = "; Note: the deadlines of 3 jobs are not in this file: the format has no place for them"
    assert told in path.read_text().splitlines()
    write_swf(path, FOUR, procs=4)
    assert "deadline" not in path.read_text()
