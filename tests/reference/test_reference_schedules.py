"""Every wait of every job of KTH-SP2 equals that of the simulator of Goponenko et al.."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from packwise import load_workload, simulate
from packwise.registry import estimate, policy

POLICIES = (
    "list-reg",
    "list-sjf",
    "list-saf",
    "list-spf",
    "list-laf",
    "easy",
    "easy-sjbf",
    "sjf-aggressive",
    "saf-aggressive",
    "laf-aggressive",
)

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def kth(shared: Path):
    return load_workload(shared / "traces" / "KTH-SP2.swf.gz")


@pytest.mark.parametrize("estimate_name", ["exact", "requested"])
@pytest.mark.parametrize("name", POLICIES)
def test_every_wait_is_equal(kth, shared, name, estimate_name):
    file = shared / "reference" / f"KTH-SP2.{name}.{estimate_name}.csv.gz"
    text = gzip.decompress(file.read_bytes()).decode()
    expected = np.array([line.split(",")[:2] for line in text.split()[1:]], np.int64)
    run = simulate(kth.workload, kth.cluster, policy(name), estimate(estimate_name))
    order = np.argsort(run.workload.id)
    np.testing.assert_array_equal(run.workload.id[order], expected[:, 0])
    np.testing.assert_array_equal(run.schedule.wait(run.workload)[order], expected[:, 1])


def test_no_reference_schedule_is_left_out(shared):
    files = {
        tuple(path.name.split(".")[1:3])
        for path in (shared / "reference").glob("KTH-SP2.*.csv.gz")
        if path.name.split(".")[2] in ("exact", "requested")
    }
    assert files == {(name, e) for name in POLICIES for e in ("exact", "requested")}
