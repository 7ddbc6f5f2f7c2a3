"""Units and nodes go to CSV and Parquet and back; logs without units get them for a cluster."""

from __future__ import annotations

import numpy as np
import pytest

from packwise import Cluster, Workload, simulate
from packwise.clusters.presets import PRESETS
from packwise.model import NodeGroup
from packwise.model.errors import FormatError, InputError
from packwise.registry import policy
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.schedule_files import read_schedule, write_schedule
from packwise.workloads.trace import load_trace
from packwise.workloads.units import with_units
from packwise.workloads.window import Window

pytestmark = pytest.mark.usefixtures("untried")

EURORA = PRESETS["eurora"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_there_and_back(tmp_path, suffix):
    jobs = generate_accelerated(300, EURORA, 1, load=1.2)
    run = simulate(jobs, EURORA, policy("easy"))
    path = tmp_path / f"plan.{suffix}"
    write_schedule(path, jobs, EURORA, run.schedule)
    back = read_schedule(path)
    assert back.workload.units.tolist() == jobs.units.tolist()
    for name, column in jobs.per_unit.items():
        assert back.workload.per_unit[name].tolist() == column.tolist()
    one, other = run.schedule.allocation, back.schedule.allocation
    assert [one.of(j) for j in range(len(jobs))] == [other.of(j) for j in range(len(jobs))]
    trace = load_trace(path, None, Window(seed=3), on=EURORA)
    assert sorted(trace.workload.units.tolist()) == sorted(jobs.units.tolist())
    kept = load_trace(path, None, Window(count=100), on=EURORA).recorded_schedule(Window(count=100))
    assert kept.allocation.of(99) == one.of(99)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0-1:1", "0-x:1"), "line 2: expected in column 'nodes' numbers of nodes"),
        (("0-1:1", "1:1 0-1:1"), "each once"),
        (("0-1:1", "3-1:1"), "such as 0-3:1 7:2"),
        (("0-1:1", "0:99999999999999999999"), "such as 0-3:1 7:2"),
        (("0-1:1", "0:0 1:2"), "such as 0-3:1 7:2"),
        (("0-1:1", "0-9999999:1"), "such as 0-3:1 7:2"),
        (("2,4", "2,3"), r"line 2: expected a demand of 6, the 2 units of 3 cores, found 8"),
        (("units,", "other,"), "a column 'units'"),
    ],
)
def test_refusals(tmp_path, change, message):
    text = (
        "job_id,submit,wait,start,end,runtime,requested_time,demand,units,unit_cores,nodes,log_procs\n"
        "1,0,0,0,5,5,9,8,2,4,0-1:1,1024\n"
    )
    path = tmp_path / "plan.csv"
    path.write_text(text)
    assert read_schedule(path).schedule.allocation.of(0) == {0: 1, 1: 1}
    path.write_text(text.replace(*change))
    with pytest.raises(FormatError, match=message):
        read_schedule(path)


def test_units_for_logs_that_have_none():
    nodes = Cluster("n", (NodeGroup("a", 4, {"cores": 20, "memory": 100}),))
    jobs = Workload.of([(0, 50, 1, 1), (0, 7, 1, 1), (0, 20, 1, 1)])
    one = with_units(jobs, nodes)
    assert one.units.tolist() == [50, 7, 20]
    assert set(one.per_unit["cores"]) == {1}
    whole = with_units(jobs, nodes, "node")
    assert whole.units.tolist() == [3, 1, 1]
    assert whole.per_unit["cores"].tolist() == [17, 7, 20]
    assert whole.demand.tolist() == [51, 7, 20], "50 processors in three equal units"
    assert with_units(whole, nodes, "4") is whole
    memory = jobs.replace(extra={"requested_memory": np.array([2048.0, -1.0, 100.0])})
    assert with_units(memory, nodes).per_unit["memory"].tolist() == [2, 0, 1]
    for wrong in ("0", "-2", "few", "1.5"):
        with pytest.raises(InputError, match="cores of a unit should be"):
            with_units(jobs, nodes, wrong)


def test_units_that_divide_a_job_and_a_node():
    nodes = Cluster("n", (NodeGroup("a", 4, {"cores": 20}), NodeGroup("fat", 1, {"cores": 48})))
    jobs = Workload.of([(0, demand, 1, 1) for demand in (7, 20, 48, 50, 60, 47)])
    cut = with_units(jobs, nodes, "Divisor")
    assert cut.units.tolist() == [1, 1, 12, 5, 3, 47]
    assert cut.per_unit["cores"].tolist() == [7, 20, 4, 10, 20, 1]
    assert cut.demand.tolist() == jobs.demand.tolist(), "no core more than was asked for"


def test_jobs_like_those_of_eurora():
    jobs = generate_accelerated(20_000, EURORA, 7, load=0.8)
    assert abs((jobs.runtime < 3600).mean() - 0.93) < 0.02
    some = (jobs.per_unit["gpus"] > 0) | (jobs.per_unit["mics"] > 0)
    assert abs(some.mean() - 0.77) < 0.01
    assert not ((jobs.per_unit["gpus"] > 0) & (jobs.per_unit["mics"] > 0)).any()
    area = (jobs.units * jobs.per_unit["gpus"]) @ jobs.runtime
    other = (jobs.units * jobs.per_unit["mics"]) @ jobs.runtime
    assert max(area, other) / (64 * jobs.span) == pytest.approx(0.8, abs=0.01)
    again = generate_accelerated(20_000, EURORA, 7, load=0.8)
    assert (again.submit == jobs.submit).all()
    assert (again.units == jobs.units).all()
    assert (generate_accelerated(500, EURORA, 8).submit != jobs.submit[:500]).any()
    plain = Cluster("plain", (NodeGroup("n", 3, {"cores": 6, "memory": 2000}),))
    few = generate_accelerated(1, plain, 1)
    assert set(few.per_unit) <= {"cores", "memory"}
    with pytest.raises(InputError, match="need a cluster of nodes"):
        generate_accelerated(5, Cluster.pool(4), 1)
    with pytest.raises(InputError, match="target load"):
        generate_accelerated(5, EURORA, 1, load=-1.0)
