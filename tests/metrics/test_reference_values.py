"""The metrics of independently simulated schedules of KTH-SP2, to the digits printed there."""

import csv
import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from packwise.feasibility import check_schedule
from packwise.metrics import summarize
from packwise.model import Cluster, Schedule, Workload

NAMES = ("BSLD", "AF", "AWF", "P2SF", "wait", "max_wait")


@pytest.fixture(scope="module")
def kth(shared: Path) -> Workload:
    from packwise.workloads.loading import load_workload

    return load_workload(shared / "traces" / "KTH-SP2.swf.gz", procs=100).workload


def published(shared: Path) -> dict[str, list[str]]:
    text = (shared / "reference" / "README.md").read_text()
    lines = re.findall(r"^\| ([\w-]+\.[\w-]+) \| (.*) \|$", text, re.MULTILINE)
    return {name: cells.split(" | ") for name, cells in lines}


def recorded(shared: Path, kth: Workload, name: str) -> Schedule:
    with gzip.open(shared / "reference" / f"KTH-SP2.{name}.csv.gz", "rt") as stream:
        waits = {int(row["job_id"]): int(row["wait"]) for row in csv.DictReader(stream)}
    return Schedule.from_wait(kth, np.array([waits[i] for i in kth.id.tolist()]))


@pytest.mark.papers
@pytest.mark.shared
def test_all_reference_schedules(shared: Path, kth: Workload) -> None:
    table = published(shared)
    assert len(table) == 38
    for name, cells in table.items():
        schedule = recorded(shared, kth, name)
        assert check_schedule(kth, Cluster.pool(100), schedule).ok, name
        values = summarize(kth, Cluster.pool(100), schedule, NAMES)
        for metric, cell in zip(NAMES, cells, strict=True):
            digits = len(cell.partition(".")[2])
            assert f"{values[metric]:.{digits}f}" == cell, (name, metric)


@pytest.mark.shared
def test_list_reg_with_exact_run_times_is_fair(shared: Path, kth: Workload) -> None:
    """Later jobs delay nobody, so nobody misses the fair start; with EASY some do."""
    cluster = Cluster.pool(100)
    names = ["FST_misses", "FST_mean_miss", "FST_gold"]
    fair = summarize(kth, cluster, recorded(shared, kth, "list-reg.exact"), names)
    assert fair == dict.fromkeys(names, 0.0)
    easy = summarize(kth, cluster, recorded(shared, kth, "easy.exact"), names)
    assert min(easy.values()) > 0
