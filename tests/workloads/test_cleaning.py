"""Cleaning: each rule, the order of the rules, and the published counts of real logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from packwise.model.errors import InputError
from packwise.model.sizing import Sizing
from packwise.workloads.cleaning import clean, machine_size
from packwise.workloads.loading import load_workload
from packwise.workloads.swf import SwfLog, read_swf
from tests.lanes import broad

HEADER = "; MaxProcs: 8\n; UnixStartTime: 1000\n; TimeZoneString: Europe/Paris\n"


def log_of(tmp_path: Path, *rows: dict[str, float], header: str = HEADER) -> SwfLog:
    """A log from (submit, runtime, used, requested, limit) given by name; ids 1, 2, ..."""
    lines = []
    for i, row in enumerate(rows, 1):
        v = {"id": i, "submit": i, "runtime": 60, "used": 2, "requested": 2, "limit": 100} | row
        lines.append(
            f"{v['id']} {v['submit']} 5 {v['runtime']} {v['used']} -1 -1 {v['requested']} "
            f"{v['limit']} -1 1 7 8 9 2 3 -1 -1"
        )
    path = tmp_path / "log.swf"
    path.write_text(header + "\n".join(lines))
    return read_swf(path)


def test_each_rule_once(tmp_path: Path) -> None:
    log = log_of(
        tmp_path,
        {"runtime": 0},
        {"runtime": -1, "used": -1, "requested": -1, "limit": -1},  # counts under run time only
        {"used": 0, "requested": -1, "limit": -1},  # counts under processors only
        {"limit": -1, "requested": 9},  # counts under requested time only
        {"requested": 9},
        {"submit": -1, "runtime": -1},  # counts under run time
        {"requested": -1, "used": 3},  # repaired
        {"runtime": 150},  # cut by 50
        {"runtime": 161},  # cut by 61: more than a minute
        {"submit": 0},  # out of order
        {"runtime": 59.5},  # a fraction
    )
    workload, report = clean(log)
    assert dict(report.rows()) == {
        "jobs read": 11,
        "dropped: no run time": 3,
        "dropped: no processors": 1,
        "dropped: no requested time": 1,
        "dropped: wider than the machine": 1,
        "jobs kept": 5,
        "repaired: processors requested taken from those used": 1,
        "repaired: requested time taken from the run time": 0,
        "run time cut to the requested time": 2,
        "  of these, by more than a minute": 1,
        "jobs out of order, sorted": 1,
        "fractions rounded to whole numbers": 1,
    }
    assert report.dropped == 6
    assert workload.id.tolist() == [10, 7, 8, 9, 11]
    assert workload.runtime.tolist() == [60, 60, 100, 100, 60]
    assert workload.demand.tolist() == [2, 3, 2, 2, 2]
    assert workload.extra["requested_procs"].tolist() == [2, -1, 2, 2, 2]
    assert workload.extra["wait"].tolist() == [5] * 5
    assert (workload.start_time, workload.time_zone) == (1000, "Europe/Paris")
    assert workload.header == log.header
    assert workload.name == "log"


def test_no_repair(tmp_path: Path) -> None:
    workload, report = clean(log_of(tmp_path, {"requested": -1}, {}), repair=False)
    assert workload.id.tolist() == [2]
    assert (report.dropped_procs, report.repaired_procs) == (1, 0)


def test_limit_from_run_time(tmp_path: Path) -> None:
    workload, report = clean(log_of(tmp_path, {"limit": -1}, {}), missing_limit="runtime")
    assert workload.requested_time.tolist() == [60, 100]
    assert (report.dropped_limit, report.repaired_limit) == (0, 1)


def test_wrong_choice_for_missing_limits(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'drop' or 'runtime', found 'guess'"):
        clean(log_of(tmp_path, {}), missing_limit="guess")  # type: ignore[arg-type]


def test_ties_are_sorted_by_id(tmp_path: Path) -> None:
    log = log_of(tmp_path, {"id": 5, "submit": 3}, {"id": 2, "submit": 3}, {"id": 9, "submit": 3})
    workload, report = clean(log)
    assert workload.id.tolist() == [2, 5, 9]
    assert report.unsorted == 1


@pytest.mark.parametrize(
    ("header", "procs", "size"),
    [
        ("; MaxProcs: 8\n; MaxNodes: 4\n", None, 8),
        ("; MaxNodes: 4 (thin)\n", None, 4),
        ("; MaxProcs: 8\n", 16, 16),
    ],
)
def test_machine_size(tmp_path: Path, header: str, procs: int | None, size: int) -> None:
    log = log_of(tmp_path, {}, header=header)
    found = machine_size(log, procs)
    assert found.procs == size
    assert found.sizing == Sizing("header" if procs is None else "told")
    assert load_workload(log.path, procs=procs).cluster.procs == size


def test_no_machine_size(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no machine size.*--procs"):
        clean(log_of(tmp_path, {"runtime": 0}, header=""))


def test_impossible_machine_size(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--procs 0"):
        clean(log_of(tmp_path, {}), procs=0)


def test_nothing_left(tmp_path: Path) -> None:
    log = log_of(tmp_path, {"runtime": 0}, {"requested": 9}, {"limit": 0})
    with pytest.raises(InputError, match=r"no job is left of 3: 1 without run time.*1 wider than"):
        clean(log)


# The traces' table counts jobs without processors before those without run time: its 19 + 17267
# jobs of CEA-Curie are here 17286 without run time, 19 of which have no processors either. The
# totals and the jobs kept agree.
@pytest.mark.shared
@pytest.mark.parametrize(
    ("found", "filtered", "procs", "dropped", "cut"),
    broad(
        [
            ("KTH-SP2-1996-2", "KTH-SP2", None, (8, 0, 0), 475),
            ("CTC-SP2-1996-3.1-cln", "CTC-SP2", None, (17, 0, 6), 7174),
            ("SDSC-SP2-1998-4.2-cln", None, None, (5681, 0, 35), 4134),
            ("CEA-Curie-2011-2.1-cln", "CEA-Curie", 80640, (17286, 0, 0), 5416),
        ],
        lane="papers",
    ),
)
def test_published_counts(
    shared: Path,
    found: str,
    filtered: str | None,
    procs: int | None,
    dropped: tuple[int, int, int],
    cut: int,
) -> None:
    loaded = load_workload(shared / "traces" / f"{found}.swf.gz", procs=procs)
    report = loaded.report
    assert (report.dropped_runtime, report.dropped_procs, report.dropped_limit) == dropped
    assert report.dropped == sum(dropped)
    assert report.cut == cut
    if filtered is None:
        return
    reference = load_workload(shared / "traces" / f"{filtered}.swf.gz")
    assert reference.report.dropped == reference.report.cut == 0
    for name in ("id", "submit", "runtime", "requested_time", "demand", "user"):
        got, want = getattr(loaded.workload, name), getattr(reference.workload, name)
        assert (got == want).all(), name
