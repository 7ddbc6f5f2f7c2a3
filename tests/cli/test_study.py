"""packwise study and report as a user meets them: what works, and what is said when it does not."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys

import pytest

STUDY = """\
name = "Small"
metrics = ["BSLD", "wait"]
policies = ["easy", "list-saf"]
store = "results"

[[workload]]
label = "made up"
generate = { jobs = 60, procs = 16, load = 1.2, seed = 3 }
"""
BROKEN = """\
def broken(view):
    return 1 / 0
"""


def run_study(file, *arguments):
    """In this process, as the fixture ``packwise`` does; a fixture of a module cannot use that one."""
    from typer.testing import CliRunner

    from packwise.cli.app import app

    return CliRunner().invoke(app, ["study", "run", str(file), "-w", "1", *map(str, arguments)])


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A study that was run; no test changes it."""
    folder = tmp_path_factory.mktemp("ready")
    file = folder / "study.toml"
    file.write_text(STUDY)
    done = run_study(file)
    assert done.exit_code == 0, done.output
    assert "2 scenarios, 2 run in" in done.stdout
    assert "packwise report" in done.stdout
    return file


@pytest.fixture(scope="module")
def half_done(tmp_path_factory):
    """A study with a policy that raises, and what its run said."""
    folder = tmp_path_factory.mktemp("half")
    (folder / "mine.py").write_text(BROKEN)
    file = folder / "study.toml"
    file.write_text(STUDY.replace('"list-saf"', '"mine.py:broken"'))
    return file, run_study(file)


@pytest.fixture
def fresh(tmp_path):
    """A study that was not run."""
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


def one_line(done, status):
    """The error of a command: one line, and nothing on stdout."""
    assert done.status == status, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: ")
    return line


def test_init(packwise, tmp_path):
    file = tmp_path / "new.toml"
    done = packwise("study", "init", file)
    assert done.status == 0
    assert "packwise study run" in done.stdout
    planned = packwise("study", "run", file, "--dry-run", "--json").json
    assert (planned["study"], planned["scenarios"], planned["ready"]) == ("First study", 36, 0)
    assert len(planned["to_run"]) == 36
    assert not (tmp_path / "packwise-results").exists()
    file.write_text("mine")
    assert "--force" in one_line(packwise("study", "init", file), 3)
    assert file.read_text() == "mine"
    assert ".toml" in one_line(packwise("study", "init", tmp_path / "new.txt"), 2)


def test_a_second_run_does_nothing(packwise, ready):
    before = {path: path.stat().st_mtime_ns for path in ready.parent.rglob("*.parquet")}
    done = packwise("study", "run", ready)
    assert done.status == 0
    assert "2 scenarios, 2 were in the store" in done.stdout
    told = packwise("study", "run", ready, "--verify", "--json").json
    assert (told["ready_before"], told["ready"], told["failed"]) == (2, 2, [])
    assert before == {path: path.stat().st_mtime_ns for path in ready.parent.rglob("*.parquet")}


def test_list(packwise, ready, fresh):
    assert "2 done, 0 failed, 0 to do" in packwise("study", "list", ready).stdout
    rows = packwise("study", "list", ready, "--json").json["scenarios"]
    assert [(row["policy"], row["state"]) for row in rows] == [
        ("easy", "done"),
        ("list-saf", "done"),
    ]
    assert "0 done, 0 failed, 2 to do" in packwise("study", "list", fresh).stdout
    assert not (fresh.parent / "results").exists()


def test_table(packwise, ready):
    done = packwise("study", "table", ready)
    assert done.status == 0
    assert "BSLD: change against easy" in done.stdout
    cells = packwise("study", "table", ready, "--json").json["cells"]
    assert {cell["metric"] for cell in cells} == {"BSLD", "wait"}


def test_sql(packwise, ready):
    columns = packwise("study", "sql", ready, "--json").json["rows"]
    assert {"table": "jobs", "column": "wait", "type": "Int64"} in columns
    joined = (
        "select r.policy, count(*) as jobs, avg(j.wait) as wait from jobs j join results r "
        "on j.key = r.key group by r.policy order by r.policy"
    )
    rows = packwise("study", "sql", ready, joined, "--json").json["rows"]
    assert [(row["policy"], row["jobs"]) for row in rows] == [("easy", 60), ("list-saf", 60)]
    stored = packwise("study", "sql", ready, "select wait from results order by policy", "--json")
    assert [row["wait"] for row in rows] == pytest.approx(
        [row["wait"] for row in stored.json["rows"]]
    )
    folder = packwise("study", "sql", ready.parent / "results", "select count(*) as n from results")
    assert folder.stdout.split()[-1] == "2"


def test_sql_as_csv(packwise, ready, tmp_path):
    file = tmp_path / "answer.csv"
    done = packwise("study", "sql", ready, "select policy from results", "--csv", file)
    assert "2 rows" in done.stdout
    assert sorted(file.read_text().split()) == ["easy", "list-saf", "policy"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("selec policy from results", "selec"),
        ("select nothing from results", "nothing"),
        ("select * from nowhere", "nowhere"),
        ("select 1 from results; select 2 from results", "one"),
        ("", "error"),
    ],
)
def test_bad_sql(packwise, ready, query, expected):
    assert expected in one_line(packwise("study", "sql", ready, query), 2)


def test_report(packwise, ready, tmp_path):
    page = tmp_path / "page.html"
    done = packwise("report", ready, "--output", page)
    assert done.status == 0
    assert "Wrote" in done.stdout
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    assert "<h1>Small</h1>" in text
    assert "http://" not in text.partition("<main>")[2].partition("</main>")[0]


def test_report_of_a_log(packwise, log, tmp_path):
    page, store = tmp_path / "page.html", tmp_path / "store"
    arguments = ("-p", "easy", "-o", page, "--store", store, "--count", "50")
    assert packwise("report", log, *arguments).status == 0
    first = page.read_bytes()
    assert packwise("report", log, *arguments).status == 0
    assert page.read_bytes() == first
    assert "no such file" in one_line(packwise("report", tmp_path / "none.swf", "-o", page), 2)
    assert page.read_bytes() == first


def test_report_that_cannot_be_made(packwise, ready, fresh, tmp_path):
    page = tmp_path / "page.html"
    assert "packwise study run" in one_line(packwise("report", fresh, "-o", page), 2)
    missing = packwise("report", ready, "-o", tmp_path / "no" / "page.html")
    assert "does not exist" in one_line(missing, 3)
    assert ".html" in one_line(packwise("report", ready, "-o", tmp_path / "page.pdf"), 2)
    assert "easy" in one_line(packwise("report", ready, "-o", page, "--baseline", "eazy"), 2)
    assert not page.exists()


def test_table_that_cannot_be_made(packwise, ready, fresh):
    assert "packwise study run" in one_line(packwise("study", "table", fresh), 2)
    assert "BSLD" in one_line(packwise("study", "table", ready, "-m", "BSLT"), 2)
    assert "Did you mean easy" in one_line(
        packwise("study", "table", ready, "--baseline", "eazy"), 2
    )
    assert "baseline" in one_line(packwise("study", "table", ready, "--baseline", "x=y"), 2)


def test_a_scenario_that_raises(packwise, half_done):
    file, done = half_done
    assert done.exit_code == 1
    assert "1 run in" in done.stdout
    assert "1 failed" in done.stdout
    assert "made up / broken / requested: " in done.stderr
    assert "ZeroDivisionError" in done.stderr
    assert "Traceback (" not in done.stderr
    (kept,) = (file.parent / "results" / "failures").iterdir()
    assert "ZeroDivisionError" in json.loads(kept.read_text())["traceback"]
    listed = packwise("study", "list", file)
    assert listed.status == 0
    assert "1 done, 1 failed, 0 to do" in listed.stdout
    table = packwise("study", "table", file, "-m", "BSLD")
    assert table.status == 0
    assert "no result" in table.stderr
    page = file.parent / "page.html"
    assert packwise("report", file, "-o", page).status == 0
    assert "ZeroDivisionError" in page.read_text().partition("</main>")[0]


def test_a_scenario_that_failed_is_tried_again(packwise, half_done):
    file, _ = half_done
    told = packwise("study", "run", file, "-w", "1", "--json")
    assert told.status == 1
    assert (told.json["ready_before"], told.json["ready"]) == (1, 1)
    (failed,) = told.json["failed"]
    assert failed["scenario"] == "made up / broken / requested"


WRONG = {
    "unknown policy": ('"easy"', '"eazy"', 3, "Did you mean easy"),
    "unknown metric": ('"BSLD"', '"BSLT"', 2, "Did you mean BSLD"),
    "unknown key": ("metrics", "metrix", 2, "Did you mean metrics"),
    "unknown key of a workload": ("label", "lable", 7, "Did you mean label"),
    "unknown estimate": ("policies", 'estimates = ["exakt"]\npolicies', 3, "Did you mean exact"),
    "missing file": ("generate = {", 'file = "none.swf" #', 8, "none.swf"),
    "no such policy file": ('"easy"', '"none.py:mine"', 3, "none.py"),
    "not TOML": ('"results"', "results", 4, "quotes"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("command", [("study", "run"), ("study", "table"), ("report",)])
def test_wrong_study_files(packwise, fresh, name, command):
    right, wrong, line, expected = WRONG[name]
    fresh.write_text(STUDY.replace(right, wrong, 1))
    said = one_line(packwise(*command, fresh), 2)
    assert f"line {line}: " in said
    assert expected in said
    assert not (fresh.parent / "results").exists()


def test_several_mistakes_at_once(packwise, fresh):
    fresh.write_text(STUDY.replace("easy", "eazy").replace("BSLD", "BSLT"))
    done = packwise("study", "run", fresh)
    assert done.status == 2
    first, *others = done.stderr.strip().splitlines()
    assert "2 problems" in first
    assert [line.split(":")[0].strip() for line in others] == ["line 2", "line 3"]


def test_no_study(packwise, tmp_path):
    for command in ("run", "list", "table", "sql"):
        assert "no such file" in one_line(packwise("study", command, tmp_path / "no.toml"), 2)
    assert "no such file" in one_line(packwise("report", tmp_path / "no.toml"), 2)


def test_a_log_that_was_not_fetched(packwise, fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    fresh.write_text(STUDY.replace("generate = {", 'archive = "KTH-SP2" #'))
    assert "packwise workload fetch KTH-SP2" in one_line(packwise("study", "run", fresh), 2)
    nowhere = packwise("study", "run", fresh, "--traces", tmp_path / "no")
    assert "--traces" in one_line(nowhere, 2)


def test_a_store_of_a_newer_version(packwise, fresh, tmp_path):
    store = tmp_path / "newer"
    store.mkdir()
    (store / "store.json").write_text('{"format": 99, "made_by": "9.9"}')
    for command in (("study", "run"), ("study", "list"), ("study", "table"), ("report",)):
        said = one_line(packwise(*command, fresh, "--store", store), 2)
        assert "newer Packwise (9.9, format 99)" in said
    assert [path.name for path in store.iterdir()] == ["store.json"]


def test_a_store_that_is_something_else(packwise, fresh, tmp_path):
    for command in ("run", "list", "table"):
        said = one_line(packwise("study", command, fresh, "--store", fresh), 2)
        assert "expected a folder" in said
    assert fresh.read_text() == STUDY
    said = one_line(packwise("study", "run", fresh, "--store", tmp_path), 2)
    assert "not a store of Packwise" in said
    below_a_file = packwise("study", "run", fresh, "--store", fresh / "results")
    assert "could not be made" in one_line(below_a_file, 3)


def test_dask_that_cannot_be_used(packwise, fresh, monkeypatch):
    from functools import partial

    from packwise.experiments.executors import dask_executor

    quick = partial(dask_executor.DaskExecutor, timeout=0.5)
    monkeypatch.setattr(dask_executor, "DaskExecutor", quick)
    for where, expected in {
        "somewhere": "local, slurm, pbs",
        "ftp://host:1": "tcp://host:8786",
        "none.json": "scheduler file",
        "tcp://127.0.0.1:1": "no Dask scheduler answered",
    }.items():
        assert expected in one_line(packwise("study", "run", fresh, "--dask", where), 2)


def with_small_files(study, most):
    """Run a study where no file may have more bytes than this."""
    return subprocess.run(
        [sys.executable, "-m", "packwise", "study", "run", str(study), "-w", "1"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_full_disk(fresh):
    """A schedule of 1000 jobs does not fit."""
    fresh.write_text(STUDY.replace("jobs = 60", "jobs = 1000"))
    done = with_small_files(fresh, 4096)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert "start the study again" in done.stderr
    left = [path for path in (fresh.parent / "results" / "results").rglob("*") if path.is_file()]
    assert left == []


@pytest.mark.slow
def test_a_disk_that_is_full_when_the_index_is_written(packwise, fresh):
    """The results fit, and the index does not: it can do without."""
    done = with_small_files(fresh, 6000)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert "2 done" in packwise("study", "list", fresh).stdout


def test_jobs_that_are_too_wide_are_told_of(packwise, tmp_path):
    """In `run`, in `table` and on the page: metrics are about the other jobs."""
    file = tmp_path / "wide.toml"
    file.write_text(
        'policies = ["easy"]\nmetrics = ["BSLD"]\n[[workload]]\n'
        "generate = { jobs = 100, procs = 64, seed = 1 }\n[[machine]]\nprocs = 4\n"
    )
    warning = r"lublin-100-64 on 4 procs: (\d+) of 100 jobs are wider than the machine and left out"
    found = re.search(warning, packwise("study", "run", file, "--workers", 1).stderr)
    assert found
    assert re.search(warning, packwise("study", "table", file).stderr)
    packwise("report", file, "--output", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert f"dropped: wider than the machine: {found[1]}" in page


def test_sql_reads_only(packwise, ready):
    for query in ("delete from results", "drop table results", "  TRUNCATE results"):
        assert "SELECT" in one_line(packwise("study", "sql", ready, query), 2)


def test_sql_with_more_columns_than_fit(packwise, ready):
    shown = packwise("study", "sql", ready, "select * from results").stdout
    assert "easy" in shown
    assert "more columns" in shown


def test_results_that_depend_on_the_clock_are_marked(packwise, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from packwise.policies import ListPolicy\n"
        "class Mine(ListPolicy):\n    reproducible = False\n"
        "mine = Mine(name='mine')\n"
    )
    file = tmp_path / "study.toml"
    file.write_text(STUDY.replace('"list-saf"', '"mine.py:mine"'))
    told = "Not reproducible: 1 of 2 results (mine) depend on the clock"
    assert told in run_study(file).stderr
    listed = packwise("study", "list", file).stdout
    assert listed.count("done †") == 1
    assert "† marks what another run need not give again" in listed
    rows = packwise("study", "list", file, "--json").json["scenarios"]
    assert [row["reproducible"] for row in rows] == [True, False]
    table = packwise("study", "table", file).stdout
    assert "† marks what another run need not give again" in table
    cells = packwise("study", "table", file, "--json").json["cells"]
    assert {cell["policy"]: cell["reproducible"] for cell in cells} == {"easy": True, "mine": False}
    query = "select policy from results where not reproducible"
    assert packwise("study", "sql", file, query, "--json").json["rows"] == [{"policy": "mine"}]
    published = tmp_path / "published.csv"
    published.write_text("metric,policy,estimate,trace,value\nBSLD,mine,requested,made up,1\n")
    page = tmp_path / "page.md"
    done = packwise("study", "compare", file, "--published", published, "--markdown", page)
    assert told in done.stderr
    assert told in page.read_text()


def test_how_far_a_slow_machine_is_stands_on_lines_of_its_own(packwise, fresh, monkeypatch):
    """They come only where a study takes long: on stderr, and to be told from what always comes."""
    from packwise.cli.study import progress
    from packwise.cli.terminal import MEANWHILE

    quick = packwise("study", "run", fresh, "-w", "1", "--store", fresh.parent / "quick")
    monkeypatch.setattr(progress, "_LINE_SECONDS", 0.0)
    slow = packwise("study", "run", fresh, "-w", "1", "--store", fresh.parent / "slow")
    lines = slow.stderr.splitlines()
    assert len([line for line in lines if line.startswith(f"{MEANWHILE}1 of 2 scenarios")]) == 1
    for line in (*lines, *quick.stderr.splitlines()):
        assert line.startswith(MEANWHILE)
    assert len(slow.stdout.splitlines()) == len(quick.stdout.splitlines())


@pytest.fixture
def secret(tmp_path):
    """Files that no question to a store should reach."""
    import polars as pl

    frame = pl.DataFrame({"hidden": ["secret"]})
    frame.write_csv(tmp_path / "x.csv")
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_ipc(tmp_path / "x.ipc")
    frame.write_ndjson(tmp_path / "x.json")
    return tmp_path / "x"


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_csv('{x}.csv')",
        "select * from READ_CSV('{x}.csv')",
        "select * from \"read_csv\"('{x}.csv')",
        "select * from `read_csv`('{x}.csv')",
        "select * from read_csv/* */('{x}.csv')",
        "select * from read_csv -- a remark\n('{x}.csv')",
        "select * from read_csv(E'{x}.csv')",
        "select E'\\'' as a, hidden from read_csv('{x}.csv') --'",
        "select * from read_parquet('{x}.parquet')",
        "select * from read_ipc('{x}.ipc')",
        "select * from read_json('{x}.json')",
        "select * from scan_csv('{x}.csv')",
        "select * from results, read_csv('{x}.csv') r",
        "select * from results join read_csv('{x}.csv') r on true",
        "select * from results cross join read_csv('{x}.csv')",
        "with t as (select * from read_csv('{x}.csv')) select * from t",
        "select (select max(hidden) from read_csv('{x}.csv')) as w from results",
        "select key from results where policy in (select hidden from read_csv('{x}.csv'))",
        "select policy from results union all select hidden from read_csv('{x}.csv')",
        "select * from read_csv('http://127.0.0.1:9/x.csv')",
        "select * from glob('{x}*')",
        "select * from open_file /* new */ ('{x}.csv')",
        "select * from '{x}.csv'",
        'select * from "{x}.csv"',
        "explain select * from read_csv('{x}.csv')",
        "copy results to '{x}.out'",
        "create table t as select * from read_csv('{x}.csv')",
        "select 1; select * from read_csv('{x}.csv')",
        "select * into outfile '{x}.out' from results",
    ],
)
def test_sql_reads_the_store_and_nothing_else(packwise, ready, secret, query):
    before = sorted(secret.parent.iterdir())
    line = one_line(packwise("study", "sql", ready, query.format(x=secret)), 2)
    assert "hidden" not in line.replace(query.format(x=secret), "")
    assert sorted(secret.parent.iterdir()) == before


def test_sql_that_only_looks_as_if_it_read_files(packwise, ready):
    for query in (
        "select policy from results where policy <> 'read'",
        "select policy from (select * from results) as r",
        "select max(j.wait) as most from jobs j join (select key from results) r on j.key = r.key",
        "select u from results cross join unnest([1, 2]) as t(u)",
        "select extract(year from date('2020-01-01')) as y from results",
    ):
        assert packwise("study", "sql", ready, query, "--json").status == 0, query
