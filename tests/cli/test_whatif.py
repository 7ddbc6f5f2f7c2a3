"""packwise whatif: words, table, JSON and picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ink import ink, read_png
from tests.workloads.records import site

CONF = """ClusterName=lab
PriorityWeightFairshare=1000
SchedulerParameters=bf_interval=60
NodeName=n[001-008] CPUs=16 RealMemory=64000 Gres=gpu:2
PartitionName=batch Nodes=ALL MaxTime=1-00:00:00
PartitionName=short Nodes=n[001-004]
PartitionName=gpu Nodes=ALL
"""


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "sacct.txt"
    path.write_text(site.sacct(site.jobs(60)))
    return path


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    path = tmp_path / "slurm.conf"
    path.write_text(CONF)
    return path


def test_settings_and_nodes(packwise, dump: Path, conf: Path) -> None:
    done = packwise(
        *(
            "whatif",
            dump,
            "--cluster",
            conf,
            "--set",
            "bf_window=10",
            "--set",
            "priorityweightage=5",
        ),
        *("--nodes", "+50%"),
    )
    assert done.status == 0, done.stderr
    assert "policy slurm" in done.stdout
    assert "What if: bf_window=10, PriorityWeightAge=5, +50% nodes" in done.stdout
    assert "then: 12 nodes" in done.stdout
    assert "Mean wait by partition" in done.stdout
    assert "really it was" in done.stdout


def test_the_numbers_are_those_of_two_replays(packwise, dump: Path) -> None:
    both = json.loads(
        packwise("compare", dump, "-p", "easy,list-sjf", "--procs", "64", "--json").stdout
    )
    told = json.loads(packwise("whatif", dump, "-p", "list-sjf", "--procs", "64", "--json").stdout)
    waits = [run["metrics"]["wait"] for run in both["runs"]]
    assert [told["mean_wait"]["today"], told["mean_wait"]["then"]] == pytest.approx(waits)
    groups = told["groups"]["account"]
    jobs = sum(one["jobs"] for one in groups)
    assert jobs == told["compared_jobs"] == told["mean_wait"]["jobs"]
    mean = sum(one["jobs"] * one["then"] for one in groups) / jobs
    assert mean == pytest.approx(waits[1])


def test_without_a_user(packwise, dump: Path) -> None:
    told = json.loads(
        packwise("whatif", dump, "--without", "user=alice", "--procs", "64", "--json").stdout
    )
    alice = sum(job.user == "alice" for job in site.jobs(60))
    assert alice > 0
    assert told["compared_jobs"] == 60 - alice
    assert "alice" not in {one["name"] for one in told["groups"]["user"]}
    assert any(f"Without {alice} jobs of today" in line for line in told["words"])


def test_more_load(packwise, dump: Path) -> None:
    told = json.loads(packwise("whatif", dump, "--load", "+100%", "--procs", "64", "--json").stdout)
    assert told["changes"] == ["+100 % load"]
    assert told["mean_wait"]["then"] > told["mean_wait"]["today"]


def test_the_picture(packwise, dump: Path, tmp_path: Path) -> None:
    given = "whatif", dump, "--nodes", "-50%", "--by", "user", "--plot"
    done = packwise(*given, tmp_path / "w.png")
    assert done.status == 0, done.stderr
    assert ink(read_png(tmp_path / "w.png")) > 0.005


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "nothing is to change"),
        (("--set", "bf_window"), "expected such as bf_window=4320"),
        (("--set", "bf_windo=3"), "Did you mean bf_window"),
        (("--set", "bf_window=x"), "setting bf_window"),
        (("--set", "bf_window=3", "--policy", "easy"), "the policy is 'easy'"),
        (("--nodes", "many"), "--nodes: expected"),
        (("--load", "x"), "--load: expected"),
        (("--load", "-100%"), "--load: expected"),
        (("--load", "+20"), "--load: expected"),
        (("--load", "20%"), "--load: expected"),
        (("--nodes", "0"), "processors are possible"),
        (("--without", "user=nobody"), "no job of user 'nobody'"),
        (("--nodes", "+1", "--by", "runtime"), "--by: expected"),
    ],
)
def test_what_is_wrong_is_said(packwise, dump: Path, options: tuple[str, ...], said: str) -> None:
    done = packwise("whatif", dump, *options)
    assert done.status != 0
    assert said in " ".join(done.stderr.split())
