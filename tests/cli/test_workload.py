from __future__ import annotations

import pytest

from packwise import load_workload
from packwise.workloads.schedule_files import read_schedule

pytestmark = pytest.mark.usefixtures("untried")


def test_info(packwise, log, tmp_path, sketched):
    done = packwise("workload", "info", log)
    assert done.status == 0
    for word in ("300 jobs", "32 processors", "jobs read", "median", "Mon", "█"):
        assert word in done.stdout
    picture = tmp_path / "w.svg"
    answer = packwise("workload", "info", log, "--plot", picture, "--json").json
    assert answer["jobs"] == 300
    assert sum(answer["by_hour"]) == sum(answer["by_weekday"]) == 300
    assert answer["cleaning"]["jobs_read"] == 300
    assert picture.exists()


def test_clean_counts_and_refuses_to_overwrite(packwise, tmp_path):
    source, target = tmp_path / "log.swf", tmp_path / "clean.swf.gz"
    row = "{} {} 3 {} 2 -1 -1 2 {} -1 1 1 1 1 1 -1 -1 -1\n"
    source.write_text(
        "; MaxProcs: 4\n"
        + row.format(1, 0, 10, 20)
        + row.format(2, 5, -1, 20)
        + row.format(3, 9, 30, 20)
    )
    done = packwise("workload", "clean", source, target)
    assert done.status == 0
    assert "dropped: no run time" in done.stdout
    workload, _, report, _ = load_workload(target)
    assert workload.id.tolist() == [1, 3]
    assert workload.runtime.tolist() == [10, 20]
    assert report.dropped == 0
    again = packwise("workload", "clean", source, target)
    assert again.status == 3
    assert "--force" in again.stderr
    assert packwise("workload", "clean", source, target, "--force").status == 0


def test_generate_is_reproducible(packwise, tmp_path):
    first, second = tmp_path / "a.swf.gz", tmp_path / "b.swf.gz"
    for path in (first, second):
        done = packwise(
            "workload", "generate", path, "--jobs", 100, "--procs", 16, "--seed", 3, "--load", 0.9
        )
        assert done.status == 0
        assert "offered load 0.90" in done.stdout
    assert first.read_bytes() == second.read_bytes()
    assert packwise("workload", "generate", first, "--jobs", 5).status == 3
    assert packwise("workload", "generate", tmp_path / "c.swf", "--jobs", 0).status == 2


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_convert_there_and_back_keeps_the_schedule(packwise, log, tmp_path, suffix):
    plan, table, back = tmp_path / "plan.swf", tmp_path / f"plan{suffix}", tmp_path / "back.swf.gz"
    assert packwise("replay", log, "--output", plan).status == 0
    assert packwise("workload", "convert", plan, table).status == 0
    done = packwise("workload", "convert", table, back, "--procs", 32)
    assert done.status == 0
    assert "the recorded start of 300" in done.stdout
    first, last = read_schedule(plan), read_schedule(back)
    assert (first.schedule.start == last.schedule.start).all()
    assert (first.workload.requested_time == last.workload.requested_time).all()
    assert last.cluster.procs == 32


def test_convert_cuts_and_changes(packwise, log, tmp_path):
    plan, part = tmp_path / "plan.swf", tmp_path / "part.swf"
    assert packwise("replay", log, "--output", plan).status == 0
    assert packwise("workload", "convert", plan, part, "--first", 10, "--count", 20).status == 0
    assert len(read_schedule(part).workload) == 20
    done = packwise("workload", "convert", plan, part, "--scale-load", 2, "--force")
    assert "no recorded schedule" in done.stdout
    before, after = load_workload(plan).workload, load_workload(part).workload
    assert after.span == pytest.approx(before.span / 2, abs=2)
    assert (after.extra["wait"] == -1).all()
    assert "arrivals 2 times as dense" in part.read_text()


def test_fetch_lists_and_suggests(packwise):
    assert "kth-sp2" in packwise("workload", "fetch", "--list").stdout
    done = packwise("workload", "fetch", "kth-sp")
    assert done.status == 2
    assert "kth-sp2" in done.stderr
    assert packwise("workload", "fetch").status == 2


@pytest.mark.shared
def test_a_fetched_log_goes_by_its_name(packwise, shared, monkeypatch, tmp_path):
    name = "KTH-SP2-1996-2.1-cln.swf.gz"
    folder = tmp_path / "packwise" / "archive"
    folder.mkdir(parents=True)
    (folder / name).symlink_to(shared / "traces" / name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert packwise("workload", "fetch", "kth-sp2").stdout.strip() == str(folder / name)
    answer = packwise("replay", "KTH-SP2", "--count", 100, "--json").json
    assert answer["jobs"] == 100
