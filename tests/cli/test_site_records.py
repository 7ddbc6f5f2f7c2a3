"""A site's own records at the command line: replayed, compared with what happened, converted, checked."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from packwise.experiments.store import Store
from tests.workloads.records import site

CONF = """ClusterName=lab
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


def test_what_happened_beside_replays(packwise, dump: Path) -> None:
    done = packwise("compare", dump, "-p", "recorded,easy", "--by", "partition", "--procs", "400")
    assert done.status == 0, done.stderr
    assert "recorded" in done.stdout
    assert "Mean wait by partition" in done.stdout
    for name in ("batch", "short", "gpu"):
        assert name in done.stdout
    assert "of 400 processors were in use at once" in done.stdout
    answer = packwise("compare", dump, "-p", "recorded,easy", "--by", "account", "--json")
    told = json.loads(answer.stdout)
    rows = told["breakdown"]["recorded"]
    assert {row["account"] for row in rows} == {"physics", "bio"}
    jobs = site.jobs(60)
    for row in rows:
        waits = [job.start - job.eligible for job in jobs if job.account == row["account"]]
        assert row["mean_wait"] == pytest.approx(sum(waits) / len(waits))
    names = {one["who"] for one in told["effects"]["easy"]["users"]}
    assert names == {"user alice", "user bob", "user carol"}


def test_names_that_look_like_markup(packwise, tmp_path: Path) -> None:
    path = tmp_path / "sacct.txt"
    text = site.sacct(site.jobs(60))
    path.write_text(
        text.replace("alice", "[/x]").replace("physics", "[red]").replace("short", "a[/]b")
    )
    for words in (
        ("compare", path, "-p", "recorded,easy", "--by", "user"),
        ("replay", path, "--by", "account"),
        ("explain", path, "--procs", "64"),
        ("whatif", path, "--procs", "64", "--nodes", "-10%", "--by", "partition"),
    ):
        done = packwise(*words)
        assert done.status == 0, done.stderr
        assert any(name in done.stdout for name in ("[/x]", "[red]", "a[/]b"))


def test_several_estimates_and_one_past(packwise, dump: Path) -> None:
    done = packwise(
        "compare", dump, "-p", "recorded,easy", "--estimates", "requested,exact", "--json"
    )
    runs = json.loads(done.stdout)["runs"]
    assert [(one["policy"], one["estimate"]) for one in runs] == [
        ("recorded", "requested"),
        ("easy", "requested"),
        ("easy", "exact"),
    ]


def test_a_machine_that_was_larger(packwise, dump: Path) -> None:
    done = packwise("replay", dump, "--policy", "recorded", "--procs", "64")
    assert done.status == 0
    assert "more than the 64 of this machine" in " ".join(done.stdout.split())


def test_nodes_and_partitions_by_name(packwise, dump: Path, tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)
    done = packwise("replay", dump, "--cluster", conf, "--policy", "recorded", "--json")
    assert done.status == 0, done.stderr
    assert json.loads(done.stdout)["nodes"] == 8
    conf.write_text(CONF.replace("PartitionName=gpu Nodes=ALL\n", ""))
    done = packwise("replay", dump, "--cluster", conf)
    assert done.status == 2
    assert "--without partition=gpu" in done.stderr
    assert packwise("replay", dump, "--cluster", conf, "--without", "partition=gpu").status == 0


def test_conversions(packwise, dump: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.parquet", tmp_path / "b.csv"
    assert packwise("workload", "convert", dump, first).status == 0
    assert packwise("workload", "convert", first, second).status == 0
    third = tmp_path / "c.csv"
    assert packwise("workload", "convert", dump, third).status == 0
    assert second.read_text() == third.read_text()
    shared = tmp_path / "shared.csv"
    assert packwise("workload", "convert", dump, shared, "--anonymise").status == 0
    text = shared.read_text()
    assert not any(name in text for name in ("alice", "bob", "carol", "physics", "train", "n001"))
    batsim = tmp_path / "w.json"
    done = packwise("workload", "convert", dump, batsim)
    assert "not in this file" in done.stderr
    jobs = packwise("workload", "info", batsim, "--json")
    assert json.loads(jobs.stdout)["jobs"] == 60


def test_jobs_without_a_place_are_left_out_for_all(packwise, dump: Path, tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF.replace(" Gres=gpu:2", ""))
    done = packwise("compare", dump, "--cluster", conf, "-p", "recorded,easy", "--json")
    runs = json.loads(done.stdout)["runs"]
    assert {one["rejected"] for one in runs} == {0}
    assert len({one["jobs"] for one in runs}) == 1
    assert runs[0]["jobs"] == sum(not job.gpus for job in site.jobs(60))


def test_a_part_of_what_happened_is_not_alone(packwise, dump: Path) -> None:
    done = packwise("compare", dump, "-p", "recorded,easy", "--only", "user=alice")
    assert "under the load of all jobs" in " ".join(done.stdout.split())


def test_check_has_a_tolerance(packwise, tmp_path: Path) -> None:
    job = site.jobs(1)[0]
    late = site.replace(job, end=job.start + job.limit + 25)
    path = tmp_path / "sacct.txt"
    path.write_text(site.sacct([late]))
    assert packwise("check", path).status == 0
    done = packwise("check", path, "--tolerance", "10s")
    assert done.status == 1
    assert "ran longer than its limit" in done.stdout
    assert packwise("check", path, "--tolerance", "soon").status == 2


def test_dates(packwise, dump: Path) -> None:
    day = ("--from", "2023-11-14T23:00", "--until", "2023-11-15", "--json")
    utc = json.loads(packwise("workload", "info", dump, *day).stdout)
    assert 0 < utc["jobs"] < 60
    assert utc["first_submit"].startswith("2023-11-14T23")
    assert packwise("explain", dump, "--at", "2023-11-15T00:30", "--procs", "64").status == 0
    assert "expected a date" in packwise("explain", dump, "--at", "2023-11-35").stderr


def test_a_page_of_a_dump(packwise, dump: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    lost = site.jobs(1)[0]
    cancelled = replace(lost, id=7, start=-1, end=lost.submit + 5, state="CANCELLED")
    dump.write_text(site.sacct([*site.jobs(60), cancelled]))
    done = packwise(
        "report", dump, "--output", page, "--store", tmp_path / "store",
        "--title", "Our <queue>", "--site", "Lab & Co",
    )  # fmt: skip
    assert done.status == 0, done.stderr
    text = page.read_text()
    text = text[: text.index('<script type="application/gzip"')]
    for name in ("recorded", "easy", "packwise", "Our &lt;queue&gt;", "Lab &amp; Co"):
        assert name in text
    for name in ("alice", "physics", "short"):
        assert f">{name}</span></th>" in text, "groups are told by name"
    assert "14 Nov 2023" in text
    assert "left out: cancelled before it started</th><td>1</td>" in text
    assert "what really happened" in text
    store = Store.open(tmp_path / "store")
    for key in store.frame()["key"]:
        workload, _, _ = store.replayed(key)
        told = {column: set(workload.names[column]) for column in ("user", "account", "partition")}
        assert told["user"] == {"alice", "bob", "carol"}
        assert told["account"] == {"physics", "bio"}
        by_id = {job.id: job for job in site.jobs(60)}
        for number, user in zip(workload.id.tolist(), workload.user.tolist(), strict=True):
            if number in by_id:
                assert workload.name_of("user", user) == by_id[number].user


@pytest.mark.parametrize("name", ["site.parquet", "site.csv"])
def test_what_was_converted_is_the_same_on_the_cluster(
    packwise, dump: Path, tmp_path: Path, name: str
) -> None:
    """Partitions by name: a file has numbers of its own for them, in another order than the cluster."""
    conf, table = tmp_path / "slurm.conf", tmp_path / name
    conf.write_text(CONF)
    assert packwise("workload", "convert", dump, table).status == 0
    found = []
    for path in (dump, table):
        plan = tmp_path / f"{path.stem}-plan.csv"
        done = packwise("replay", path, "--cluster", conf, "--output", plan)
        assert done.status == 0, done.stderr
        rows = list(csv.DictReader(plan.read_text().splitlines()))
        found.append([(row["job_id"], row["start"], row["end"], row["nodes"]) for row in rows])
    assert found[0] == found[1]
    other = packwise("replay", table, "--cluster", conf, "--without", "partition=short", "--json")
    assert other.status == 0, other.stderr


@pytest.mark.parametrize(
    "command", [("replay",), ("workload", "info"), ("compare",), ("predict",), ("check",)]
)
def test_files_that_are_no_records(packwise, tmp_path: Path, command: tuple[str, ...]) -> None:
    for name, text in {
        "a.txt": "a|b|c|d|e\n1|2|3|4|5\n",
        "b.json": '{"something": 1}',
        "c.json": "{",
        "d.txt": site.sacct([]),
    }.items():
        path = tmp_path / name
        path.write_text(text)
        done = packwise(*command, path)
        assert done.status == 2
        assert "expected" in done.stderr
        assert "Traceback" not in done.stderr
