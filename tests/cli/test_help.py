from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import pytest

import packwise as package
from packwise import contract

COMMANDS = [
    (),
    ("replay",),
    ("explain",),
    ("solve",),
    ("compare",),
    ("predict",),
    ("metrics",),
    ("check",),
    ("policies",),
    ("compile",),
    ("demo",),
    ("workload",),
    ("workload", "info"),
    ("workload", "clean"),
    ("workload", "generate"),
    ("workload", "convert"),
    ("workload", "fetch"),
    ("study",),
    ("study", "init"),
    ("study", "run"),
    ("study", "list"),
    ("study", "table"),
    ("study", "compare"),
    ("study", "sql"),
    ("report",),
    ("slurm",),
    ("slurm", "advise"),
    ("slurm", "steer"),
    ("slurm", "reset"),
    ("slurm", "journal"),
    ("slurm", "unit"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_has_an_example(packwise, command):
    done = packwise(*command, "--help")
    assert done.status == 0
    assert "$ packwise" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("replay",),
        ("explain",),
        ("solve",),
        ("compare",),
        ("predict",),
        ("report",),
        ("workload", "convert"),
        ("workload", "info"),
    ],
    ids=" ".join,
)
def test_the_window_is_the_same_everywhere(packwise, command):
    shown = packwise(*command, "--help").stdout
    for option in (
        "--from",
        "--until",
        "--first",
        "--count",
        "--drop-queue",
        "--scale-load",
        "--shake",
    ):
        assert option in shown


@pytest.mark.parametrize("command", ["run", "list", "table", "compare", "sql"])
def test_store_and_traces_are_the_same_everywhere(packwise, command):
    shown = packwise("study", command, "--help").stdout
    assert "--store" in shown
    assert "--traces" in shown
    assert "--json" in shown


def test_exit_status_is_documented(packwise):
    assert "Exit status" in packwise("--help").stdout


def test_version(packwise):
    assert packwise("--version").stdout == f"packwise {package.__version__}\n"


def test_every_placement_is_in_the_help():
    from packwise.cli.options.arguments import Placement
    from packwise.model.placement import DEFAULT_PLACEMENT, PLACEMENTS

    (option,) = Placement.__metadata__
    assert all(rule in option.help for rule in PLACEMENTS)
    assert f"{DEFAULT_PLACEMENT} (the default)" in option.help


def test_help_is_light():
    code = (
        "import sys\nsys.argv = ['packwise', '--help']\nfrom packwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'polars', 'scipy', 'matplotlib', 'dask', 'plotly'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_terminal_that_knows_only_ascii():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "packwise", "metrics", "--list"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"BSLD" in done.stdout


def test_policies(packwise, monkeypatch):
    listed = packwise("policies").stdout
    for word in ("easy-sjbf", "Lifka, JSSPP 1995", "justbf", "saf", "threshold", "exact*K"):
        assert word in listed
    told = packwise("policies", "justbf").stdout
    assert "list-reg" in told
    assert "order=fcfs" in told
    assert packwise("policies", "cbf", "--json").json["name"] == "cbf"
    told = packwise("policies", "packwise(budget=9)").stdout
    assert "budget: orders tried in a round" in told
    assert "--policy 'packwise(budget=9)'" in told
    assert packwise("policies", "eassy").status == 2
    monkeypatch.setattr(contract, "check_policy", partial(contract.check_policy, jobs=9))
    checked = packwise("policies", "--check", "list-laf")
    assert checked.status == 0
    assert "keeps its contract" in checked.stdout


def test_compile_names_its_parts(packwise):
    listed = packwise("compile", "--list")
    assert listed.status == 0
    assert "lists         List scheduling" in listed.stdout
    unknown = packwise("compile", "list")
    assert unknown.status == 2
    assert "unknown part 'list'. Did you mean lists or last2?" in unknown.stderr
    packwise("compile", "lists", "loop")
    again = packwise("compile", "lists", "loop")
    assert (again.status, again.stdout) == (0, "Everything is compiled.\n")


def test_demo(packwise, tmp_path, monkeypatch, sketched):
    """All of it, with few jobs; the tutorial runs it as it is."""
    monkeypatch.setattr("packwise.cli.demo.JOBS", 150)
    done = packwise("demo", "--output", tmp_path / "demo")
    assert done.status == 0
    names = {"workload.swf.gz", "comparison.csv", "comparison.png", "workload.png", "report.html"}
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {*names, "results"}
    assert "Try next" in done.stdout


def test_a_demo_that_cannot_be_written(packwise, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert packwise("demo", "--output", blocked / "demo").status == 3
