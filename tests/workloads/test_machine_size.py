"""How large a machine is where nobody says so, and when the records of its jobs speak against it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import packwise
from packwise.model.cluster import Cluster, NodeGroup, Partition
from packwise.model.errors import InputError
from packwise.model.sizing import IN_USE, WIDEST, Sizing
from packwise.model.workload import Workload
from packwise.workloads.machine_size import MOST_BESIDE, MOST_BEYOND, guessed_size, judged
from packwise.workloads.swf import write_swf
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window

#: (submission, wait or -1, run time, processors)
Row = tuple[int, int, int, int]
HOUR = 3600


def of(rows: Sequence[Row], **more: object) -> Workload:
    submit, wait, runtime, demand = (list(column) for column in zip(*rows, strict=True))
    return Workload(
        name="log",
        id=list(range(1, len(rows) + 1)),
        submit=submit,
        runtime=runtime,
        requested_time=runtime,
        demand=demand,
        extra={"wait": np.array(wait), **more.pop("extra", {})},
        **more,
    )


HEADER = Sizing("header")


def verdict(rows: Sequence[Row], procs: int, sizing: Sizing = HEADER) -> str:
    jobs = of(sorted(rows))
    return judged(Cluster.pool(procs, sizing=sizing), jobs, jobs.id).sizing.doubt


def used(rows: Sequence[Row], at: int) -> int:
    return sum(n for s, w, run, n in rows if w >= 0 and s + w <= at < s + w + run)


rows_of_jobs = st.lists(
    st.tuples(
        st.integers(0, 40),
        st.integers(-1, 30),
        st.integers(1, 30),
        st.sampled_from([1, 2, 3, 4, 7]),
    ),
    min_size=1,
    max_size=12,
)


@given(rows_of_jobs)
def test_a_guess_is_the_most_in_use_at_once_or_the_widest_job(rows: list[Row]) -> None:
    """Second by second."""
    jobs = of(sorted(rows))
    start = np.where(jobs.extra["wait"] >= 0, jobs.submit + jobs.extra["wait"], -1)
    found = guessed_size(start, start + jobs.runtime, jobs.demand)
    most = max(used(rows, second) for second in range(110))
    widest = max(row[3] for row in rows)
    assert found.procs == max(most, widest)
    assert found.sizing == Sizing("guessed", IN_USE if most >= widest else WIDEST)


@given(rows_of_jobs, st.integers(7, 30))
def test_doubt_is_what_a_count_of_every_second_says(rows: list[Row], procs: int) -> None:
    """Seconds stand for minutes, so that waits are longer than a scheduler's pace. Widths are such that none
    is looked at as wider than it is: of 3 and 4 processors, 4 always waits too, or 3 is the widest.
    """
    rows = [(60 * s, 60 * w if w >= 0 else -1, 60 * run, n) for s, w, run, n in sorted(rows)]
    ran = [row for row in rows if row[1] >= 0]
    said = verdict(rows, procs, Sizing("guessed", WIDEST))
    if not ran:
        assert said.startswith("Nothing is known of the machine")
        return
    seconds = range(0, 60 * 110, 60)
    busy = [used(ran, at) for at in seconds]
    beyond, work = sum(max(n - procs, 0) for n in busy), sum(busy)
    if beyond > MOST_BEYOND * work:
        assert f"up to {max(busy):,} processors were in use at once, of {procs:,}" in said
        return
    waited = beside = 0
    for at, n in zip(seconds, busy, strict=True):
        waiting = [row[3] for row in ran if row[0] <= at < row[0] + row[1]]
        waited += len(waiting)
        if waiting and procs - n >= procs / 2 and procs - n >= _looked_at_as(max(waiting), ran):
            beside += len(waiting)
    free = beside > MOST_BESIDE * waited and 60 * beside >= 300 * len(ran)
    assert said.startswith("The records speak against the machine: for") == free, (beside, waited)


def _looked_at_as(widest: int, ran: list[Row]) -> int:
    """The widest need of its power of two among all jobs."""
    power = int(np.ceil(np.log2(widest)))
    return max(row[3] for row in ran if int(np.ceil(np.log2(row[3]))) == power)


BUSY: list[Row] = [(k * HOUR, HOUR, HOUR, 10) for k in range(24)]
"""One after the other on ten processors: each waits an hour for the one before."""


def test_an_honest_log_is_believed() -> None:
    assert verdict(BUSY, 10) == ""
    assert verdict(BUSY, 16) == ""  # six are free, but not half, and no room for ten


def test_short_waits_are_a_schedulers_pace() -> None:
    assert verdict([(k * HOUR, 60, HOUR, 1) for k in range(24)], 100) == ""
    assert "100 % of all waiting" in verdict([(k * HOUR, 600, HOUR, 1) for k in range(24)], 100)


def test_one_that_was_held_is_not_most_of_the_waiting() -> None:
    assert verdict([*BUSY, (30 * HOUR, 10 * HOUR, HOUR, 1)], 10) == ""
    assert verdict([*BUSY, (30 * HOUR, 100 * HOUR, HOUR, 1)], 10) != ""


def test_more_in_use_than_there_is() -> None:
    assert "100 % of all waiting" in verdict(BUSY, 20)
    said = verdict(BUSY, 8)
    assert "up to 10 processors were in use at once, of 8, and 20 % of the work" in said


@pytest.mark.parametrize(
    ("gpus", "sizing", "believed"),
    [
        ([1, 2, 0], Sizing("guessed", IN_USE), False),
        ([1, 0, 0], Sizing("guessed", IN_USE), True),
        ([1, 2, 0], HEADER, True),  # somebody has said that it is a pool
    ],
)
def test_a_guess_from_processors_says_nothing_of_gpus(gpus, sizing, believed) -> None:
    jobs = of(
        [(0, 0, HOUR, 4), (0, 0, HOUR, 4), (0, HOUR, HOUR, 8)],
        units=np.array([1, 1, 1]),
        per_unit={
            "cores": np.array([4, 4, 8]),
            "memory": np.array([1, 1, 1]),
            "gpus": np.array(gpus),
        },
    )
    doubt = judged(Cluster.pool(8, sizing=sizing), jobs, jobs.id).sizing.doubt
    assert (doubt == "") is believed
    assert believed or "gpus of the machine, which 2 of 3 jobs ask for" in doubt


def test_without_starts_what_is_told_is_believed() -> None:
    rows = [(k, -1, HOUR, 4) for k in range(5)]
    assert verdict(rows, 4) == ""
    assert verdict(rows, 4, Sizing("told")) == ""
    assert verdict(rows, 4, Sizing("guessed", WIDEST)).startswith("Nothing is known of the machine")


def test_partitions_are_looked_at_by_themselves() -> None:
    """The small partition is full, the large one free: nothing is odd about its queue."""
    machine = Cluster(
        "site",
        (NodeGroup("a", 1, {"cores": 10}), NodeGroup("b", 9, {"cores": 10})),
        (Partition("small", 1, ("a",)), Partition("all", 2, ("a", "b"))),
    )
    small = np.full(len(BUSY), 1)
    rows = of(BUSY, extra={"partition": small})
    units = {"units": rows.demand, "per_unit": {"cores": np.ones(len(BUSY), np.int64)}}
    jobs = rows.replace(**units)
    assert judged(machine, jobs, jobs.id).sizing.doubt == ""
    everywhere = jobs.replace(extra={**jobs.extra, "partition": small + 1})
    assert (
        "its nodes that they may use were free" in judged(machine, everywhere, jobs.id).sizing.doubt
    )


def swf(path: Path, rows: Sequence[Row], header: str = "") -> Path:
    lines = [
        f"{k} {s} {w} {run} {n} -1 -1 {n} {run} -1 1 1 1 -1 1 -1 -1 -1"
        for k, (s, w, run, n) in enumerate(rows, 1)
    ]
    path.write_text("".join(f"{line}\n" for line in [*header.splitlines(), *lines]))
    return path


def table(path: Path, rows: Sequence[Row]) -> Path:
    lines = ["job_id,submit,wait,start,end,runtime,requested_time,demand,user"]
    for k, (s, w, run, n) in enumerate(rows, 1):
        start, end = (s + w, s + w + run) if w >= 0 else (-1, -1)
        lines.append(f"{k},{s},{w},{start},{end},{run},{run},{n},1")
    path.write_text("\n".join(lines) + "\n")
    return path


def sacct(path: Path, rows: Sequence[Row]) -> Path:
    def at(second: int) -> str:
        return f"2024-01-{1 + second // 86400:02d}T{second // 3600 % 24:02d}:{second // 60 % 60:02d}:00"

    lines = ["JobID|Submit|Start|End|Elapsed|Timelimit|NCPUS|State"]
    for k, (s, w, run, n) in enumerate(rows, 1):
        minutes = f"{run // 3600:02d}:{run // 60 % 60:02d}:00"
        lines.append(f"{k}|{at(s)}|{at(s + w)}|{at(s + w + run)}|{minutes}|{minutes}|{n}|COMPLETED")
    path.write_text("\n".join(lines) + "\n")
    return path


TWO_AT_ONCE = [*BUSY, (HOUR + 60, 0, HOUR // 2, 3)]


@pytest.mark.parametrize(("write", "name"), [(swf, "l.swf"), (table, "l.csv"), (sacct, "l.txt")])
def test_every_reader_guesses_alike(write, name: str, tmp_path: Path) -> None:
    trace = packwise.read(write(tmp_path / name, TWO_AT_ONCE))
    assert trace.cluster.procs == 13
    assert trace.cluster.sizing == Sizing("guessed", IN_USE)
    assert "13 processors, a guess: the most in use at once" in repr(trace)
    assert "machine size: 13 processors, a guess: the most in use at once" in "\n".join(
        trace.remarks()
    )


def test_a_header_is_no_guess(tmp_path: Path) -> None:
    for name in ("MaxProcs", "MaxNodes"):
        trace = packwise.read(swf(tmp_path / "log.swf", BUSY, f"; {name}: 12"))
        assert (trace.cluster.procs, trace.cluster.sizing) == (12, Sizing("header"))
        assert not any("machine size" in line for line in trace.remarks())
    assert packwise.read(tmp_path / "log.swf", 11).cluster.sizing == Sizing("told")


def test_a_log_that_tells_nothing_is_refused(tmp_path: Path) -> None:
    path = swf(tmp_path / "log.swf", [(0, -1, 60, 4)])
    with pytest.raises(InputError, match="no job tells when it started"):
        packwise.read(path)


def test_a_guess_that_is_written_is_read_as_one(tmp_path: Path) -> None:
    first = packwise.read(swf(tmp_path / "log.swf", TWO_AT_ONCE))
    again = tmp_path / "again.swf"
    size = first.cluster.procs, first.cluster.sizing
    write_swf(again, first.workload, procs=size[0], sizing=size[1])
    assert "; MaxProcs: 13 (a guess: the most in use at once)" in again.read_text().splitlines()
    assert packwise.read(again).cluster.sizing == Sizing("guessed", IN_USE)


def test_a_window_leaves_the_others_where_they_were(tmp_path: Path) -> None:
    """The hour of one job looks at a machine on which the one before still runs."""
    path = swf(tmp_path / "log.swf", BUSY, "; MaxProcs: 20")
    part = load_trace(path, 10, Window(start=5 * HOUR, end=6 * HOUR))
    assert len(part.workload) == 1
    assert part.cluster.sizing.doubt == ""
