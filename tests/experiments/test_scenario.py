"""What a scenario is made of: its content, the jobs it loads, and the code behind it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import packwise
from packwise import registry
from packwise.clusters.finding import find_cluster
from packwise.experiments import provenance
from packwise.experiments.scenario import (
    Choice,
    Generated,
    MachineSpec,
    Scenario,
    TraceFile,
    WorkloadSpec,
    file_digest,
    has_nodes,
    load,
)
from packwise.experiments.study_file import read_study
from packwise.model.errors import InputError
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.lublin import generate
from packwise.workloads.schedule_files import write_schedule
from packwise.workloads.swf import write_swf
from packwise.workloads.window import Window

SPEC = WorkloadSpec("w", Generated(50, 16, 1, 0.9, 7), Window())


@pytest.mark.parametrize("change", [{"users": 8}, {"load": 1.0}, {"procs": 8}, {"jobs": 51}])
def test_every_parameter_of_the_generator_counts(change):
    assert replace(SPEC, source=replace(SPEC.source, **change)).content != SPEC.content


@pytest.mark.parametrize(
    "change",
    [
        {"missing_limit": "runtime"},
        {"start": 5},
        {"end": 5},
        {"first": 5},
        {"count": 5},
        {"drop_queues": (1,)},
        {"multiple": 2},
        {"factor": 1.1},
        {"seed": 3},
        {"seconds": 30},
    ],
)
def test_every_part_of_the_window_counts(change):
    assert replace(SPEC, window=Window(**change)).content != SPEC.content


def test_windows_apply_to_generated_workloads():
    spec = replace(SPEC, window=Window(count=20))
    loaded = load(spec, MachineSpec())
    assert len(loaded.workload) == 20
    assert loaded.remarks == ("20 jobs from position 0 on",)


def test_jobs_for_the_nodes_of_a_cluster(tmp_path):
    """They run on these nodes, or on others; and they travel as plain values."""
    (tmp_path / "s.toml").write_text(
        'policies = ["easy"]\n[[workload]]\ngenerate = { jobs = 30, cluster = "eurora", seeds = [1, 2] }\n'
    )
    first, second = read_study(tmp_path / "s.toml").scenarios
    assert first.labels.workload == "eurora-like-30"
    assert first.key != second.key
    again = Scenario.from_specification(json.loads(json.dumps(first.specification())))
    assert again.key == first.key
    eurora = find_cluster("eurora")
    made = generate_accelerated(30, eurora, 1)
    loaded = load(again.workload, again.machine)
    assert loaded.cluster.document() == eurora.document()
    assert loaded.workload.submit.tolist() == made.submit.tolist()
    assert {*loaded.workload.per_unit} == {"cores", "memory", "gpus", "mics"}
    assert has_nodes(again.workload, again.machine)
    other = find_cluster("kit-fh2")
    assert (
        load(again.workload, MachineSpec("k", cluster=other.document())).cluster.procs
        == other.procs
    )


def trace(path: Path) -> WorkloadSpec:
    return WorkloadSpec("log", TraceFile(str(path), file_digest(path)), Window())


def test_machines_of_a_trace(tmp_path):
    path = tmp_path / "log.swf"
    write_swf(path, generate(40, 16, 1), procs=16)
    sizes = [
        MachineSpec(),
        MachineSpec(factor=2.0),
        MachineSpec(procs=20),
        MachineSpec("", 10, 1.5),
    ]
    assert [load(trace(path), machine).cluster.procs for machine in sizes] == [16, 32, 20, 15]


def test_a_factor_of_the_machine_of_a_batsim_schedule(tmp_path):
    workload = generate(40, 16, 1)
    cluster = packwise.Cluster.pool(16)
    run = packwise.simulate(workload, cluster, packwise.ListPolicy())
    path = tmp_path / "jobs.csv"
    write_schedule(path, workload, cluster, run.schedule, format="batsim")
    single = load(trace(path), MachineSpec()).cluster.procs
    assert load(trace(path), MachineSpec(factor=2.0)).cluster.procs == 2 * single


def test_the_reader_counts(tmp_path):
    """The same bytes are read in another way under another name."""
    spec = WorkloadSpec("w", TraceFile("a.swf", "0" * 64), Window())
    assert replace(spec, source=TraceFile("b/c.swf.gz", "0" * 64)).content == spec.content
    assert replace(spec, source=TraceFile("a.csv", "0" * 64)).content != spec.content


@pytest.mark.parametrize(
    "name",
    [
        "engine/rounds.py",
        "metrics/catalogue.py",
        "optimise/kernels/search.py",
        "registry.py",
        "simulation.py",
        "experiments/work.py",
    ],
)
def test_the_code_counts(tmp_path, monkeypatch, name):
    """A copy of the package in which one file is different has another digest."""
    import shutil

    root = Path(packwise.__file__).parent
    copy = tmp_path / "packwise"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(packwise, "__file__", str(copy / "__init__.py"))
    provenance.code_digest.cache_clear()
    before = provenance.code_digest()
    with (copy / name).open("a") as file:
        file.write("\n# another version\n")
    provenance.code_digest.cache_clear()
    after = provenance.code_digest()
    monkeypatch.undo()
    provenance.code_digest.cache_clear()
    assert before != after
    assert before == provenance.code_digest()


MINE = "from helper_of_mine import value\ndef mine(view):\n    raise RuntimeError(value)\n"


def test_what_a_policy_imports_counts(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    helper = tmp_path / "helper_of_mine.py"
    (tmp_path / "my.py").write_text(MINE)
    (tmp_path / "s.toml").write_text(
        'policies = ["my.py:mine"]\n[[workload]]\ngenerate = { jobs = 9, procs = 4 }\n'
    )
    keys = []
    for value in (1, 2):
        helper.write_text(f"import json\nvalue = {value}\n")
        sys.modules.pop("helper_of_mine", None)
        keys.append(read_study(tmp_path / "s.toml").scenarios[0].key)
    sys.modules.pop("helper_of_mine", None)
    assert keys[0] != keys[1]


def test_an_installed_module_must_be_the_one_of_the_study(tmp_path, monkeypatch):
    file = tmp_path / "installed_of_mine.py"
    file.write_text("def mine(view): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    name = "installed_of_mine:mine"
    assert registry.policy(name, file.read_text()).name == "mine"
    with pytest.raises(InputError, match="is not the one that the study was started with"):
        registry.policy(name, "def mine(view): return 5\n")


def test_two_policies_of_one_file_are_two(tmp_path):
    assert Choice("a", "/x/my.py:a", "text").content != Choice("a", "/x/my.py:b", "text").content
    assert Choice("a", "/x/my.py:a", "text").content == Choice("b", "/y/my.py:a", "text").content
