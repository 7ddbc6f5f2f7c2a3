"""--density: how utilization is distributed over time, wherever schedules are measured."""

import pytest

from packwise import simulate
from packwise.metrics.series import utilization_density
from packwise.workloads.loading import load_workload


@pytest.fixture
def expected(log):
    loaded = load_workload(log)
    run = simulate(loaded.workload, loaded.cluster, "easy")
    return utilization_density(run.workload, run.cluster, run.schedule)


def same(told, expected) -> None:
    assert told["edges"] == expected.edges.tolist()
    assert told["share"] == pytest.approx(expected.share.tolist())


def test_of_a_replay_and_of_its_schedule(packwise, log, expected, tmp_path):
    plan = tmp_path / "plan.csv"
    done = packwise("replay", log, "--policy", "easy", "--density", "--json", "--output", plan)
    same(done.json["utilization_density"], expected)
    procs = done.json["procs"]
    measured = packwise("metrics", plan, "--procs", procs, "--density", "--json").json
    same(measured["utilization_density"], expected)
    shown = packwise("metrics", plan, "--procs", procs, "--density").stdout
    assert "Share of the time" in shown
    assert f"{100 * expected.share[-1]:.1f} %" in shown


def test_of_several_policies(packwise, log, expected):
    told = packwise("compare", log, "-p", "fcfs,easy", "--density", "--json").json
    assert list(told["utilization_density"]) == ["fcfs", "easy"]
    same(told["utilization_density"]["easy"], expected)
    shown = packwise("compare", log, "-p", "fcfs,easy", "--density").stdout
    assert "processors busy" in shown


def test_only_when_asked_for(packwise, log):
    assert "utilization_density" not in packwise("replay", log, "--json").json
    assert "Share of the time" not in packwise("replay", log).stdout
