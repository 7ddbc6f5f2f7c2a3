"""The same jobs as every scheduler writes them become the same workload."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from packwise.model.errors import InputError
from packwise.workloads.loading import Loaded, load_workload
from packwise.workloads.records.meanings import LAYOUTS
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.workloads.records import site

pytestmark = pytest.mark.usefixtures("untried")

JOBS = site.jobs()
KEPT = sorted(JOBS, key=lambda job: (job.eligible, job.id))


def load(tmp_path: Path, text: str, name: str = "site.txt", **options: object) -> Loaded:
    path = tmp_path / name
    path.write_text(text)
    return load_workload(path, **options)


def check(loaded: Loaded, *, starts: bool = True, names: bool = True, memory: bool = True) -> None:
    """The jobs are those of the site, to the second."""
    jobs = loaded.workload
    origin = min(job.eligible for job in JOBS) if starts else site.EPOCH
    assert jobs.id.tolist() == [job.id for job in KEPT]
    assert jobs.submit.tolist() == [job.eligible - origin for job in KEPT]
    assert jobs.runtime.tolist() == [min(job.end - job.start, job.limit) for job in KEPT]
    assert jobs.requested_time.tolist() == [job.limit for job in KEPT]
    assert jobs.demand.tolist() == [job.cpus for job in KEPT]
    assert [jobs.name_of("app", k) for k in jobs.app] == [job.name for job in KEPT] or not names
    if starts:
        assert jobs.start_time == origin
        assert jobs.extra["wait"].tolist() == [job.start - job.eligible for job in KEPT]
    if names:
        assert [jobs.name_of("user", k) for k in jobs.user] == [job.user for job in KEPT]
        assert [jobs.name_of("queue", k) for k in jobs.queue] == [job.partition for job in KEPT]
        told = jobs.extra["account"]
        assert [jobs.name_of("account", k) for k in told] == [job.account for job in KEPT]
    if memory:
        assert jobs.units is not None
        assert jobs.units.tolist() == [job.nodes for job in KEPT]
        assert jobs.per_unit["cores"].tolist() == [job.cpus // job.nodes for job in KEPT]
        assert jobs.per_unit["memory"].tolist() == [job.memory // job.nodes for job in KEPT]
        assert jobs.per_unit["gpus"].tolist() == [job.gpus // job.nodes for job in KEPT]


ORDERS = [
    site.USUAL,
    tuple(reversed(site.USUAL)),
    ("JobIDRaw", "User", "Account", "Partition", "JobName", "Submit", "Eligible", "Start", "End", "ElapsedRaw",
     "TimelimitRaw", "NNodes", "NCPUS", "ReqTRES", "State"),
    ("JobIDRaw", "User", "Account", "Partition", "JobName", "Submit", "Eligible", "Start", "Elapsed",
    "Timelimit",
     "AllocTRES", "State"),
]  # fmt: skip


@pytest.mark.parametrize("names", ORDERS, ids=["usual", "backwards", "raw", "no end"])
def test_sacct_in_any_order_of_columns(tmp_path: Path, names: tuple[str, ...]) -> None:
    check(load(tmp_path, site.sacct(JOBS, names)))


def test_sacct_in_other_dress(tmp_path: Path) -> None:
    """A bar at the end (sacct -p), line ends of Windows, a mark at the beginning, gzip, names in lower case."""
    text = site.sacct(JOBS)
    check(load(tmp_path, text.replace("\n", "|\n")))
    check(load(tmp_path, text.replace("\n", "\r\n")))
    check(load(tmp_path, "\ufeff" + text))
    check(
        load(tmp_path, text.lower().replace("\n", "\n", 1), names=False)
        if False
        else load(tmp_path, text)
    )
    packed = tmp_path / "dump.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    check(load_workload(packed))
    head, _, rest = text.partition("\n")
    check(load(tmp_path, f"{head.lower()}\n{rest}"))
    wide = "|".join(f"{name}%30" for name in site.USUAL)  # as sacct --format may be given them
    check(load(tmp_path, f"{wide}\n{rest}"))


def test_epoch_times(tmp_path: Path) -> None:
    """As SLURM_TIME_FORMAT=%s gives them."""
    text = site.sacct(JOBS)
    for job in JOBS:
        for moment in (job.submit, job.eligible, job.start, job.end):
            text = text.replace(site.clock(moment), str(moment))
    assert "T" not in text.partition("\n")[2].replace("TIMEOUT", "").replace("COMPLETED", "")
    check(load(tmp_path, text))


@pytest.mark.parametrize("place", range(len(LAYOUTS)))
def test_layouts_without_a_header(tmp_path: Path, place: int) -> None:
    cells = {**site.CELLS}
    for name in ("Cluster", "Group", "GID", "UID", "ReqGRES"):
        cells[name] = {
            "Cluster": lambda job, zone: "lab",
            "Group": lambda job, zone: job.account,
            "ReqGRES": lambda job, zone: f"gpu:{job.gpus // job.nodes}" if job.gpus else "",
        }.get(name, lambda job, zone: "1000")
    lines = ["|".join(cells[name](job, "UTC") for name in LAYOUTS[place]) for job in JOBS]
    check(load(tmp_path, "\n".join(lines) + "\n"))


def test_columns_that_are_told(tmp_path: Path) -> None:
    names = ORDERS[2]
    text = site.sacct(JOBS, names, header=False)
    with pytest.raises(
        InputError, match=r"line 1: expected the names of sacct's columns.*--columns"
    ):
        load(tmp_path, text)
    check(load(tmp_path, text, columns=",".join(names)))
    with pytest.raises(InputError, match="--columns: expected the names"):
        load(tmp_path, text, columns="User,Start")


@pytest.mark.parametrize("newer", [False, True])
def test_json_of_both_shapes(tmp_path: Path, newer: bool) -> None:
    loaded = load(tmp_path, site.sacct_json(JOBS, newer=newer), "jobs.json")
    check(loaded)
    assert dict(loaded.report.lines) == {"steps of jobs": len(JOBS)}
    in_array = [job.task for job in KEPT if job.task >= 0]
    told = loaded.workload.extra["array_task"]
    assert told[told >= 0].tolist() == in_array


def test_jobcomp_filetxt(tmp_path: Path) -> None:
    check(load(tmp_path, site.filetxt(JOBS)))


def test_pbs(tmp_path: Path) -> None:
    loaded = load(tmp_path, site.pbs(JOBS))
    check(loaded)
    assert dict(loaded.report.lines) == {
        "other records than ends: submissions": len(JOBS),
        "other records than ends: starts": len(JOBS),
    }
    assert set(loaded.workload.status.tolist()) == {0, 1}


def test_batsim_workload(tmp_path: Path) -> None:
    loaded = load(tmp_path, site.batsim(JOBS), "w.json")
    check(loaded, starts=False, names=False, memory=False)
    assert loaded.cluster.procs == 64


def test_a_table_that_is_explained(tmp_path: Path) -> None:
    loaded = load(tmp_path, site.csv(JOBS), "table.csv", mapping=site.MAP)
    assert [loaded.workload.name_of("user", k) for k in loaded.workload.user] == [
        job.user for job in KEPT
    ]
    jobs = loaded.workload
    assert jobs.runtime.tolist() == [min(job.end - job.start, job.limit) for job in KEPT]
    assert jobs.requested_time.tolist() == [job.limit for job in KEPT]
    assert jobs.per_unit["memory"].tolist() == [job.memory // job.nodes for job in KEPT]


def test_parquet_that_is_explained(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "theirs.parquet"
    pl.DataFrame(
        {
            "nr": [job.id for job in JOBS],
            "queued": [job.eligible for job in JOBS],
            "begin": [job.start for job in JOBS],
            "secs": [float(job.end - job.start) for job in JOBS],
            "cores": [job.cpus for job in JOBS],
            "wall": [job.limit / 60 for job in JOBS],
        }
    ).with_columns(pl.from_epoch("begin", time_unit="s")).write_parquet(path)
    mapping = ("nr=id,queued=submit,begin=start,secs=elapsed,cores=cpus,wall=limit:min",)
    jobs = load_workload(path, mapping=mapping).workload
    assert jobs.extra["wait"].tolist() == [job.start - job.eligible for job in KEPT]
    assert jobs.requested_time.tolist() == [job.limit for job in KEPT]


def test_durations_that_nobody_has(tmp_path: Path) -> None:
    """A limit of a hundred thousand years is no limit that can be read."""
    text = site.csv(JOBS).split("\n")
    cells = text[1].split(";")
    cells[7] = "1000000000"
    text[1] = ";".join(cells)
    report = load(tmp_path, "\n".join(text), "table.csv", mapping=site.MAP).report
    assert dict(report.left_out) == {"a cell that cannot be read": 1}


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (("nr",), "--map: expected column=meaning"),
        (("nr=nonsense",), "nonsense"),
        (("nr=id,wall=limit:parsecs",), "--map: expected one of"),
        (("nr=id:MB",), "no unit for id"),
        (("nr=id,who=id",), "given twice"),
        (("nr=id,queued=submit,cores=cpus",), "'elapsed' or 'end'"),
        (("nr=id,queued=submit,secs=elapsed",), "means 'cpus'"),
        (("gone=id,queued=submit,cores=cpus,secs=elapsed",), "expected a column 'gone'"),
    ],
)
def test_maps_that_say_nothing(tmp_path: Path, mapping: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(tmp_path, site.csv(JOBS), "table.csv", mapping=mapping)


def test_the_machine_is_as_large_as_what_was_in_use(tmp_path: Path) -> None:
    most = 0
    for moment in {job.start for job in JOBS}:
        most = max(most, sum(job.cpus for job in JOBS if job.start <= moment < job.end))
    assert load(tmp_path, site.sacct(JOBS)).cluster.procs == most
    assert load(tmp_path, site.sacct(JOBS), procs=100).cluster.procs == 100


def test_every_reader_goes_through_the_same_door(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_text(site.sacct(JOBS))
    trace = load_trace(path, None, Window())
    assert np.array_equal(trace.workload.demand, load_workload(path).workload.demand)
    assert any("sacct: 40 records" in line for line in trace.remarks())
    assert trace.recorded_schedule(Window()).start.tolist() == [
        job.start - trace.workload.start_time for job in KEPT
    ]


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """Nothing of it is used up by looking how it begins."""
    pipe = tmp_path / "log"
    os.mkfifo(pipe)
    lines = [f"{k} {k} 0 5 1 -1 -1 1 9 -1 1 1 1 1 1 -1 -1 -1\n" for k in range(1, 4)]
    text = "; MaxProcs: 4\n" + "".join(lines)
    writer = threading.Thread(target=pipe.write_text, args=(text,), daemon=True)
    writer.start()
    assert len(load_workload(pipe).workload) == 3
