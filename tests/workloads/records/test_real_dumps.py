"""The real dumps beside the checkout: every record used, or counted with its reason."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from packwise.clusters.finding import find_cluster
from packwise.feasibility import check_schedule
from packwise.workloads.loading import load_workload
from packwise.workloads.schedule_files import read_schedule
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from tests.lanes import broad

#: File, records, jobs, processors in use at most, and what was left out.
DUMPS = [
    ("sacct-phillips-2016.txt.gz", 4285, 4046, 340, {"cancelled before it started": 239}),
    ("sacct-pozidriv-2016.txt.gz", 11704, 11285, 1159, {"cancelled before it started": 419}),
    ("slurm-micro.sacct.txt.gz", 500, 500, 120, {}),
    ("slurm-micro.jobs.csv.gz", 500, 500, 96, {}),
    ("pbs-accounting-sample.txt.gz", 9, 7, 77, {"the same record again": 1, "no time limit": 1}),
    ("Eagle-2019-sample.csv.gz", 1000, 959, 25132, {"the same record again": 41}),
    ("Graham-2021.csv.gz", 133025, 133025, 18497, {}),
]
CONF = """
ClusterName=micro
NodeName=DEFAULT CPUs=12 RealMemory=48000
NodeName=n[1-4]
NodeName=m[1-4]
NodeName=g1 Gres=gpu:2
NodeName=b1 RealMemory=512000
PartitionName=normal Nodes=ALL
"""


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "records", "jobs", "procs", "left"),
    broad(DUMPS, lane="papers"),
    ids=[one[0] for one in DUMPS],
)
def test_every_record_is_accounted_for(
    shared: Path, name: str, records: int, jobs: int, procs: int, left: dict[str, int]
) -> None:
    path = shared / "traces" / name
    loaded = load_workload(path)
    report = loaded.report
    assert (report.jobs_read, report.jobs_kept, loaded.cluster.procs) == (records, jobs, procs)
    assert dict(report.left_out) == left
    assert dict(report.lines) == {}
    lines = gzip.decompress(path.read_bytes()).decode().count("\n")
    assert records == lines - (not name.startswith(("sacct-p", "pbs")))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "records", "jobs"),
    [
        ("sacct.psv", 103, 102),
        ("sacct.json", 14, 13),
        ("jobcomp_filetxt.txt", 25, 24),
        ("scontrol_show_job.txt", 25, 19),
        ("squeue.json", 12, 10),
    ],
)
def test_samples_of_a_real_slurm(shared: Path, name: str, records: int, jobs: int) -> None:
    loaded = load_workload(shared / "research" / "slurm_sample" / name)
    assert (loaded.report.jobs_read, loaded.report.jobs_kept) == (records, jobs)
    # 16 nodes of 32, all of them in use at least once; in the queue, half of them.
    assert loaded.cluster.procs == (256 if name == "squeue.json" else 512)


@pytest.mark.shared
def test_what_a_real_slurm_did_is_feasible_but_for_its_grace(shared: Path) -> None:
    file = read_schedule(shared / "traces" / "slurm-micro.sacct.txt.gz")
    strict = check_schedule(file.workload, file.cluster, file.schedule)
    assert not strict.ok
    assert check_schedule(file.workload, file.cluster, file.schedule, tolerance=30).ok


@pytest.mark.shared
def test_what_a_real_slurm_did_on_its_nodes(shared: Path, tmp_path: Path) -> None:
    """Node by node: the hosts of the records are those of slurm.conf, and nothing was used twice."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)
    cluster = find_cluster(str(conf))
    trace = load_trace(shared / "traces" / "slurm-micro.sacct.txt.gz", None, Window(), on=cluster)
    schedule = trace.recorded_schedule(Window())
    assert schedule.allocation is not None
    verdict = check_schedule(trace.workload, cluster, schedule, tolerance=30)
    assert verdict.nodes_known
    assert verdict.ok, [one.message for one in verdict.violations[:3]]
