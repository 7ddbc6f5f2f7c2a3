"""Every record is used, or counted with its reason: each rule by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from packwise.model.errors import InputError
from packwise.workloads.records.examined import Examined
from packwise.workloads.records.reading import read_records
from packwise.workloads.records.rules import examine_records
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.workloads.records import site

ONE = site.Job(1, 1_700_000_000, 1_700_000_000, 1_700_000_100, 1_700_000_400, 600, 8, 2, 2048)
TWO = replace(ONE, id=2, start=ONE.start + 400, end=ONE.end + 400)


def examined(tmp_path: Path, text: str, zone: str = "", **options: object) -> Examined:
    path = tmp_path / "dump.txt"
    path.write_text(text)
    records = read_records(path, time_zone=zone)
    assert records is not None
    return examine_records(records, **options)


def lines(*cells: dict[str, str]) -> str:
    """Two jobs that ran, and one line for each change of the first of them."""
    head = site.sacct([ONE, TWO])
    names = list(site.USUAL)
    rows = []
    for k, changes in enumerate(cells):
        row = {name: site.CELLS[name](replace(ONE, id=100 + k), "UTC") for name in names}
        rows.append("|".join({**row, **changes}[name] for name in names))
    return head + "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"Submit": "yesterday"}, "a cell that cannot be read"),
        ({"JobID": "x", "JobIDRaw": ""}, "a cell that cannot be read"),
        ({"Elapsed": "long"}, "a cell that cannot be read"),
        ({"JobIDRaw": "1", "JobID": "1"}, "the same record again"),
        ({"Submit": "Unknown", "Eligible": "Unknown"}, "no time of submission"),
        ({"State": "PENDING", "Start": "Unknown", "End": "Unknown"}, "still waiting"),
        ({"State": "CANCELLED by 7", "Start": "None", "End": "Unknown"}, "cancelled before it started"),
        (
            {"State": "CANCELLED by 7", "End": site.clock(ONE.start), "Elapsed": "00:00:00",
             "NodeList": "None assigned"},
            "cancelled before it started",
        ),
        ({"State": "RUNNING", "End": "Unknown", "Elapsed": ""}, "still running"),
        ({"State": "RUNNING", "End": "Unknown", "Elapsed": "00:05:00"}, "still running"),
        ({"State": "SUSPENDED", "End": "Unknown", "Elapsed": "00:05:00"}, "still running"),
        ({"State": "FAILED", "Start": "Unknown", "End": "Unknown"}, "never started"),
        ({"NCPUS": "1K", "AllocTRES": ""}, "a cell that cannot be read"),
        ({"End": site.clock(ONE.start - 5), "Elapsed": ""}, "no run time"),
        ({"NCPUS": "0", "AllocTRES": ""}, "no processors"),
        ({"Timelimit": ""}, "no time limit"),
        ({"Timelimit": "Partition_Limit"}, "no time limit"),
    ],
)  # fmt: skip
def test_left_out(tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    found = examined(tmp_path, lines(changes))
    report = found.report()
    assert dict(report.left_out) == {reason: 1}
    assert (report.records, report.kept, report.dropped) == (3, 2, 1)
    assert found.workload().id.tolist() == [1, 2]


def test_wider_than_the_machine(tmp_path: Path) -> None:
    text = lines({"NCPUS": "64", "AllocTRES": "cpu=64,node=2"})
    assert examined(tmp_path, text).size.procs == 72  # both that ran at once
    report = examined(tmp_path, text, procs=16).report()
    assert dict(report.left_out) == {"wider than the machine": 1}
    assert report.dropped_wide == 1


def test_a_requeued_job_ran_twice(tmp_path: Path) -> None:
    """As sacct -D shows it: the last run keeps the number."""
    again = {"JobIDRaw": "1", "JobID": "1", "Start": site.clock(ONE.start - 60), "End": site.clock(ONE.start -
    10),
             "State": "NODE_FAIL", "Elapsed": "00:00:50"}  # fmt: skip
    jobs = examined(tmp_path, lines(again)).workload()
    assert sorted(jobs.id.tolist()) == [1, 2, 3]
    assert jobs.runtime[jobs.id.tolist().index(1)] == 300
    assert jobs.runtime[jobs.id.tolist().index(3)] == 50


def test_array_tasks_without_raw_ids(tmp_path: Path) -> None:
    names = [name for name in site.USUAL if name != "JobIDRaw"]
    some = [replace(TWO, id=k, task=k, start=TWO.start + k) for k in range(3)]
    jobs = examined(tmp_path, site.sacct(some, names)).workload()
    assert len(set(jobs.id.tolist())) == 3
    assert jobs.extra["array_job"].tolist() == [900] * 3
    assert sorted(jobs.extra["array_task"].tolist()) == [0, 1, 2]


def test_components_of_a_heterogeneous_job(tmp_path: Path) -> None:
    text = lines({"JobID": "50+0", "JobIDRaw": "50"}, {"JobID": "50+1", "JobIDRaw": "51"})
    jobs = examined(tmp_path, text).workload()
    assert sorted(jobs.id.tolist()) == [1, 2, 50, 51]
    assert sorted(jobs.extra["het_component"].tolist()) == [-1, -1, 0, 1]


def test_steps_are_no_jobs(tmp_path: Path) -> None:
    found = examined(
        tmp_path,
        lines({"JobID": "1.batch", "JobIDRaw": "1.batch"}, {"JobID": "1.0", "JobIDRaw": "1.0"}),
    )
    assert dict(found.report().lines) == {"steps of jobs": 2}
    assert len(found.workload()) == 2


def test_what_is_no_waiting(tmp_path: Path) -> None:
    """A job that was held, or depended on another, waits from when it became eligible."""
    text = lines({"Submit": site.clock(ONE.submit - 5000)})
    found = examined(tmp_path, text)
    jobs = found.workload()
    place = jobs.id.tolist().index(100)
    assert jobs.extra["held"].tolist()[place] == 5000
    assert jobs.extra["wait"][place] == 100
    assert "held, or waiting for other jobs, before they became eligible: 1" in found.notes()


def test_odd_times_are_mended_and_said(tmp_path: Path) -> None:
    text = lines(
        {"Eligible": site.clock(ONE.start + 50)},
        {"Submit": site.clock(ONE.start + 9), "Eligible": site.clock(ONE.start + 9)},
        {"End": site.clock(ONE.start), "Elapsed": "00:00:00"},
    )
    found = examined(tmp_path, text)
    jobs = found.workload()
    wait = dict(zip(jobs.id.tolist(), jobs.extra["wait"].tolist(), strict=True))
    assert (wait[100], wait[101]) == (100, 0)
    assert jobs.runtime[jobs.id.tolist().index(102)] == 1
    told = [
        line
        for line in found.notes()
        if "taken as" in line and "UTC" not in line and "machine" not in line
    ]
    assert told == [
        "started before they were submitted, taken as submitted at the start: 1",
        "eligible only after their start, taken as eligible when submitted: 2",
        "ran for less than a second, taken as 1 s: 1",
    ]


def test_limits(tmp_path: Path) -> None:
    text = lines(
        {"Timelimit": "UNLIMITED"}, {"Timelimit": "Partition_Limit"}, {"Timelimit": "00:01:00"}
    )
    limits = {"batch": 7200}
    found = examined(tmp_path, text, partition_limits=limits)
    jobs = found.workload()
    told = dict(zip(jobs.id.tolist(), jobs.requested_time.tolist(), strict=True))
    assert (told[100], told[101], told[102]) == (365 * 86400, 7200, 60)
    assert jobs.runtime[jobs.id.tolist().index(102)] == 60
    report = found.report()
    assert (report.cut, report.cut_over_minute) == (1, 1)
    kept = examined(tmp_path, lines({"Timelimit": ""}), missing_limit="runtime")
    assert kept.report().repaired_limit == 1


def test_nodes_with_unequal_shares(tmp_path: Path) -> None:
    """Seven processors on two nodes: each is a unit of its own."""
    jobs = examined(
        tmp_path, lines({"NCPUS": "7", "AllocTRES": "cpu=7,mem=7000M,node=2"})
    ).workload()
    place = jobs.id.tolist().index(100)
    assert jobs.units is not None
    assert (jobs.units[place], jobs.per_unit["cores"][place], jobs.per_unit["memory"][place]) == (
        7,
        1,
        1000,
    )


def test_more_nodes_than_were_asked_for(tmp_path: Path) -> None:
    """Eight processors, which Slurm spread over two nodes: each could have been anywhere."""
    had = {"NCPUS": "8", "AllocTRES": "cpu=8,mem=8000M,node=2"}
    asked = (("cpu=8,mem=8000M,node=1", 8), ("cpu=8,mem=8000M,node=2", 2), ("", 2))
    for told, units in asked:
        text = lines(had).replace("JobName", "ReqTRES", 1).splitlines()
        row = text[-1].split("|")
        row[2] = told
        jobs = examined(tmp_path, "\n".join([text[0], "|".join(row), ""])).workload()
        assert jobs.units is not None
        assert jobs.units[jobs.id.tolist().index(100)] == units


def test_nothing_is_left(tmp_path: Path) -> None:
    text = site.sacct([replace(ONE, start=-1, end=-1, state="CANCELLED")])
    with pytest.raises(
        InputError, match="no job is left of 1 records: 1 cancelled before it started"
    ):
        examined(tmp_path, text)
    with pytest.raises(InputError, match=r"expected records of jobs \(sacct\), found none"):
        examined(tmp_path, site.sacct([]))


def test_the_same_line_twice_and_a_header_in_between(tmp_path: Path) -> None:
    """Two dumps put together, which overlap."""
    text = site.sacct([ONE, TWO])
    found = examined(tmp_path, text + text)
    assert dict(found.report().lines) == {"headers": 2}
    assert dict(found.report().left_out) == {"the same record again": 2}
    other = site.sacct([ONE], list(reversed(site.USUAL)))
    with pytest.raises(InputError):
        examined(tmp_path, text + other)


def test_records_of_two_clusters(tmp_path: Path) -> None:
    """They are two machines: one has to be picked; the same id on the other is another job."""
    head, *rows = site.sacct([ONE, TWO]).splitlines()
    text = (
        "\n".join([f"{head}|Cluster", *(f"{row}|alpha" for row in rows), f"{rows[0]}|beta"]) + "\n"
    )
    path = tmp_path / "dump.txt"
    path.write_text(text)
    with pytest.raises(InputError, match="found those of alpha, beta"):
        load_trace(path, None, Window())
    with pytest.raises(InputError, match="no record of cluster 'gamma'"):
        load_trace(path, None, Window(only=("cluster=gamma",)))
    picked = load_trace(path, None, Window(only=("cluster=alpha",)))
    assert picked.workload.id.tolist() == [1, 2]
    assert picked.cleaning is not None
    assert ("not counted as records: of other clusters", 1) in picked.cleaning.rows()


def test_gpus_are_not_multiplied(tmp_path: Path) -> None:
    """Sixteen processors and four GPUs on three nodes: four units that have equal shares."""
    text = lines({"NNodes": "3", "NCPUS": "16", "AllocTRES": "cpu=16,gres/gpu=4,node=3"})
    jobs = examined(tmp_path, text).workload()
    place = jobs.id.tolist().index(100)
    assert jobs.units is not None
    found = (jobs.units[place], jobs.per_unit["cores"][place], jobs.per_unit["gpus"][place])
    assert found == (4, 4, 1)


def test_steps_by_their_raw_ids(tmp_path: Path) -> None:
    names = [name for name in site.USUAL if name != "JobID"]
    text = site.sacct([ONE], names)
    step = text.splitlines()[1].replace("1|", "1.batch|", 1)
    found = examined(tmp_path, f"{text}{step}\n")
    assert dict(found.report().lines) == {"steps of jobs": 1}
    assert found.workload().id.tolist() == [1]


def test_starts_from_ends(tmp_path: Path) -> None:
    names = [name for name in site.USUAL if name != "Start"]
    jobs = examined(tmp_path, site.sacct([ONE, TWO], names)).workload()
    assert jobs.extra["wait"].tolist() == [100, 500]


def test_processors_that_were_asked_for(tmp_path: Path) -> None:
    names = [name for name in site.USUAL if name not in ("NCPUS", "AllocTRES")]
    found = examined(tmp_path, site.sacct([ONE, TWO], [*names, "ReqCPUS"]))
    assert found.workload().demand.tolist() == [8, 8]
    assert any("processors are those asked for" in line for line in found.notes())
