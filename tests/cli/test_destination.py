"""No command writes over a file that it reads, however that is spelled, and no two results to one file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from packwise.cli.options.destination import Output, check_destinations
from packwise.files.inputs import inputs_kept, note_input
from packwise.model import Schedule
from packwise.model.errors import OutputError
from packwise.workloads.lublin import generate
from packwise.workloads.schedule_files import write_schedule

ENERGY = """
[price]
unit = "EUR/MWh"
file = "prices.csv"
column = "price"
time = "time"
gaps = "hold"
[jobs]
watts_per_core = 10
"""
READ, TWICE = "that is read", "is named for two results"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a log in several formats, other inputs, and links to the log."""
    jobs = generate(20, 8, 1)
    never = Schedule([-1] * 20, [-1] * 20)
    (tmp_path / "sub").mkdir()
    for name in ("log.swf", "log.csv", "log.parquet"):
        write_schedule(tmp_path / name, jobs, 8, never)
    write_schedule(tmp_path / "log.png", jobs, 8, never, format="swf")
    write_schedule(tmp_path / "log.html", jobs, 8, never, format="swf")
    (tmp_path / "due.csv").write_text("job_id,deadline\n1,1000000\n")
    (tmp_path / "my.py").write_text("def mine(view):\n    return None\n")
    (tmp_path / "own.py").write_text(
        "class Own:\n    name = 'own'\n    def predict(self, job):\n        return job.limit\n"
    )
    for suffix in ("swf", "csv", "png", "html"):
        (tmp_path / f"soft.{suffix}").symlink_to(f"log.{suffix}")
        (tmp_path / f"hard.{suffix}").hardlink_to(tmp_path / f"log.{suffix}")
    (tmp_path / "chain.csv").symlink_to("soft.csv")
    (tmp_path / "nodes.csv").write_text("name,cores\na,4\nb,4\n")
    (tmp_path / "nodes.png").symlink_to("nodes.toml")
    (tmp_path / "nodes.toml").write_text('[[group]]\nname = "cpu"\ncount = 2\ncores = 4\n')
    (tmp_path / "slurm.conf").write_text("ClusterName=c\nInclude nodes.swf\n")
    (tmp_path / "nodes.swf").write_text("NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=ALL\n")
    (tmp_path / "nodes.html").hardlink_to(tmp_path / "nodes.swf")
    (tmp_path / "power.toml").write_text(ENERGY)
    (tmp_path / "power.png").hardlink_to(tmp_path / "power.toml")
    hours = "".join(f"1970-01-{d:02}T{h:02}:00Z,1\n" for d in range(1, 32) for h in range(24))
    (tmp_path / "prices.csv").write_text(f"time,price\n{hours}")
    (tmp_path / "neighbour.py").write_text("def mine(jobs):\n    return 1.0\n")
    (tmp_path / "metric.py").write_text("from neighbour import mine\n")
    (tmp_path / "elsewhere").symlink_to(".")
    monkeypatch.delitem(sys.modules, "neighbour", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "replay log.csv --output log.csv",
        "replay log.csv -o ./log.csv",
        "replay log.csv -o sub/../log.csv",
        "replay log.csv -o {here}/log.csv",
        "replay log.csv -o elsewhere/log.csv",
        "replay log.csv -o soft.csv",
        "replay log.csv -o chain.csv",
        "replay log.csv -o hard.csv",
        "replay soft.csv -o log.csv",
        "replay hard.csv -o log.csv",
        "replay log.png --plot log.png",
        "replay log.swf --deadlines column(file=due.csv) -o due.csv",
        "replay log.swf --policy my.py:mine --format csv -o my.py",
        "replay log.swf --estimate own.py:Own --format csv -o elsewhere/own.py",
        "compare log.csv --csv log.csv",
        "compare log.csv --csv hard.csv",
        "compare log.png --plot soft.png",
        "compare log.png --queue log.png",
        "compare log.swf -p easy,my.py:mine --csv my.py",
        "compare log.swf --deadlines column(file=due.csv) --csv ./due.csv",
        "predict log.csv --output log.csv",
        "predict log.png --plot hard.png",
        "explain log.png --plot log.png",
        "solve log.csv --output log.csv",
        "solve log.png --plot log.png",
        "workload info log.png --plot log.png",
        "workload clean log.swf log.swf --force",
        "workload clean log.swf hard.swf --force",
        "workload convert log.swf soft.swf --force",
        "workload convert log.parquet log.parquet --force",
        "workload convert log.swf due.csv --deadlines column(file=due.csv) --force",
        "report log.html --output log.html",
        "report log.html --output soft.html --store sub/store",
        "replay log.swf --cluster nodes.csv -o nodes.csv",
        "replay log.swf --cluster nodes.csv -o elsewhere/nodes.csv",
        "replay log.swf --cluster slurm.conf -o nodes.swf",
        "replay log.swf --cluster nodes.toml --plot nodes.png",
        "replay log.swf --energy power.toml -o prices.csv",
        "replay log.swf --metrics metric.py:mine --format csv -o metric.py",
        "replay log.swf --metrics metric.py:mine --format csv -o neighbour.py",
        "compare log.swf --cluster nodes.csv --csv nodes.csv",
        "compare log.swf --cluster slurm.conf --csv slurm.conf",
        "compare log.swf --energy power.toml --csv power.toml",
        "compare log.swf --energy power.toml --csv prices.csv",
        "explain log.swf --energy power.toml --plot power.png",
        "plan log.swf --whole --scenario power.toml --output prices.csv",
        "plan log.swf --whole --scenario power.toml --cluster nodes.csv --output nodes.csv",
        "energy log.csv --scenario power.toml --plot power.png",
        "whatif log.swf --cluster nodes.toml --load +20% --plot nodes.png",
        "workload generate nodes.csv --cluster nodes.csv --force",
        "report log.swf --cluster slurm.conf --output nodes.html",
        "solve log.csv --resume log.csv --output log.csv",
    ],
)
def test_what_is_read_is_not_written(packwise, here: Path, command: str) -> None:
    before = {entry: entry.read_bytes() for entry in here.iterdir() if entry.is_file()}
    done = packwise(*command.format(here=here).split())
    assert (done.status, done.stdout) == (3, "")
    assert READ in done.stderr
    assert {entry: entry.read_bytes() for entry in before} == before


@pytest.mark.parametrize(
    "command",
    [
        "replay log.swf --output out.svg --format csv --plot out.svg",
        "compare log.swf --plot out.png --queue ./out.png",
        "compare log.swf --csv out.png --plot elsewhere/out.png",
        "compare log.swf --csv new.png --queue sub/../new.png",
        "predict log.swf --output a.csv --plot a.csv",
        "report log.swf --output a.html --figures a.html",
    ],
)
def test_two_results_have_two_files(packwise, here: Path, command: str) -> None:
    done = packwise(*command.split())
    assert done.status in (2, 3)
    assert TWICE in done.stderr or "expected a name that ends in" in done.stderr
    assert not (here / "out.png").exists()


@pytest.mark.parametrize("kind", ["symlink_to", "hardlink_to"])
def test_two_results_by_links(here: Path, kind: str) -> None:
    (here / "one.csv").write_text("")
    getattr(here / "two.csv", kind)(here / "one.csv")
    with pytest.raises(OutputError, match=TWICE):
        check_destinations(Output(here / "one.csv"), Output(here / "two.csv"))
    (here / "one.csv").unlink()
    if kind == "symlink_to":  # a link to a file that is not there yet
        with pytest.raises(OutputError, match=TWICE):
            check_destinations(Output(here / "one.csv"), Output(here / "two.csv"))


def test_other_spellings_of_a_name(here: Path) -> None:
    """Upper and lower case are one file where the disk says so."""
    same = (here / "LOG.CSV").exists() and os.path.samefile(here / "LOG.CSV", here / "log.csv")
    try:
        with inputs_kept():
            note_input("log.csv")
            check_destinations(Output(here / "LOG.CSV"))
        assert not same
    except OutputError:
        assert same


def test_links_in_a_circle(here: Path) -> None:
    (here / "a.csv").symlink_to("b.csv")
    (here / "b.csv").symlink_to("a.csv")
    with inputs_kept():
        note_input("a.csv")
        check_destinations(Output(here / "new.csv"))
        with pytest.raises(OutputError, match=READ):
            check_destinations(Output(here / "a.csv"))


def test_a_resumed_schedule_may_be_updated(packwise, here: Path) -> None:
    plan = ["solve", "log.swf", "--budget", "50", "--output", "plan.csv"]
    assert packwise(*plan).status == 0
    done = packwise(*plan, "--resume", "plan.csv")
    assert done.status == 0
    assert "Wrote plan.csv" in done.stdout


STUDY = """
policies = ["easy", "my.py:mine"]
store = "results"
[[machine]]
cluster = "nodes.csv"
energy = "power.toml"
[[workload]]
file = "log.csv"
label = "table"
[[workload]]
file = "log.swf"
deadlines = "column(file=due.csv)"
"""


@pytest.mark.parametrize(
    "command",
    [
        "study table study.toml --csv study.toml",
        "study table study.toml --csv log.csv",
        "study table study.toml --latex hard.csv",
        "study table study.toml --markdown due.csv",
        "study table study.toml --csv my.py",
        "study table study.toml --csv results/index.parquet",
        "study table study.toml --csv results/results/new.csv",
        "study table study.toml --csv new.csv --latex ./new.csv",
        "study sql study.toml --csv study.toml",
        "study sql study.toml --csv log.csv",
        "study sql results --csv results/store.json",
        "study compare study.toml --published due.csv --csv due.csv",
        "study compare study.toml --published due.csv --markdown study.toml",
        "study compare study.toml --published published.csv --csv soft.csv",
        "report study.toml --output a.html --figures results/results/pictures",
        "study table study.toml --csv nodes.csv",
        "study table study.toml --csv power.toml",
        "study table study.toml --latex prices.csv",
        "study table study.toml --metric metric.py:mine --csv metric.py",
        "study table study.toml --csv results/index.sha256",
        "study sql study.toml --csv prices.csv",
        "study sql results --csv results/index.parquet",
        "study compare study.toml --published published.csv --csv published.csv",
        "study compare study.toml --published published.csv --markdown nodes.csv",
    ],
)
def test_studies(packwise, here: Path, command: str) -> None:
    from packwise.experiments.store import Store

    (here / "study.toml").write_text(STUDY)
    (here / "published.csv").write_text(
        "metric,policy,trace,estimate,value\nBSLD,easy,log,requested,1\n"
    )
    Store.open(here / "results", create=True)
    (here / "results" / "results").mkdir()
    before = {entry: entry.read_bytes() for entry in here.rglob("*") if entry.is_file()}
    done = packwise(*command.split())
    if "no results" in done.stderr or "none of the" in done.stderr:
        pytest.fail(f"asked for results first: {done.stderr}")
    assert done.status == 3
    assert READ in done.stderr or TWICE in done.stderr
    assert {entry: entry.read_bytes() for entry in before} == before
