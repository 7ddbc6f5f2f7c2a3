"""The studies that come with Packwise can be read, and say what the papers say."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from packwise.experiments.scenario import load
from packwise.experiments.study import Baseline
from packwise.experiments.study_file import example_study, read_study
from packwise.metrics.trimming import Trim
from packwise.optimise.cp.nodes.methods import METHODS
from packwise.registry import policy

STUDIES = Path(__file__).resolve().parents[2] / "studies"
LOGS = ("KTH-SP2", "CTC-SP2", "SDSC-SP2", "SDSC-BLUE", "CEA-Curie")
CLEANED = ("SDSC-BLUE-2000-4.2-cln", "SDSC-DS-2004-2.1-cln", "HPC2N-2002-2.2-cln")


@pytest.fixture
def traces(tmp_path):
    """Small logs under the names of the archive."""
    studies = ("balanced", "heterogeneous-cp", "heterogeneous-cp-kit")
    texts = [(STUDIES / f"{name}.toml").read_text() for name in studies]
    named = re.findall(r'archive = "(.+)"', "".join(texts))
    for i, name in enumerate(dict.fromkeys((*LOGS, *CLEANED, *named))):
        rest = f"0 0 {10 + i} 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
        jobs = range(2000 if name == "Eurora-2014" else 1)  # of which its study takes so many
        lines = "".join(f"{job + 1} {rest}" for job in jobs)
        (tmp_path / f"{name}.swf").write_text(f"; MaxProcs: 8\n{lines}")
    return tmp_path


def shipped(name, traces):
    return read_study(STUDIES / f"{name}.toml", traces=[traces])


@pytest.mark.parametrize("file", sorted(STUDIES.glob("*.toml")), ids=lambda file: file.stem)
def test_every_study_can_be_read(file, traces):
    study = read_study(file, traces=[traces])
    assert study.description
    assert study.file == file
    assert study.store == STUDIES / "packwise-results"
    assert file.read_text().startswith("# ")


def test_objectives(traces):
    """Every objective and six lists, with both kinds of estimates, on the logs of the balanced study."""
    study = shipped("objectives", traces)
    assert len(study.scenarios) == 17 * 10 * 2 * 3
    assert sorted(study.axis("workload")) == sorted(shipped("balanced", traces).axis("workload"))


def test_packing_and_fairness(traces):
    study = shipped("packing-and-fairness", traces)
    assert len(study.scenarios) == 5 * 2 * 10
    assert study.axis("workload") == list(LOGS)
    assert study.baseline == Baseline(policy="JustBF")
    for scenario in study.scenarios:
        assert scenario.machine.procs == (93312 if scenario.workload.label == "CEA-Curie" else None)
        label, name = scenario.policy.label, scenario.policy.name
        if label == "LAF-Aggressive":
            assert name == "list(order=laf,option=greedy)"
        else:
            assert policy(label).name == name


@pytest.mark.parametrize("name", ["packing-and-fairness", "list-scheduling", "run-time-prediction"])
def test_tables_of_the_papers_are_held_to_the_printed_digit(traces, name):
    study = shipped(name, traces)
    assert study.published.tolerances == ()
    assert study.trim == Trim.of("last")
    assert study.untrimmed == (("List-SPF",) if name == "list-scheduling" else ())
    assert len(study.published.explained) == (2 if name == "run-time-prediction" else 0)


def test_cumulative_wait_area(traces):
    study = shipped("cumulative-wait-area", traces)
    assert study.axis("policy") == ["SAF-JustBF", "EASY-SJBF", "JustBF", "LAF-JustBF"]
    assert study.axis("estimate") == ["exact"]
    assert study.axis("workload") == ["SDSC-SP2"]


def test_distortion(traces):
    study = shipped("distortion", traces)
    factors = dict.fromkeys(s.estimate.parameters["factor"] for s in study.scenarios)
    assert list(factors) == [round(0.5 + 0.1 * i, 1) for i in range(16)]
    assert study.axis("estimate")[5] == "exact"
    assert study.baseline == Baseline(estimate="exact")


def test_list_scheduling(traces):
    study = shipped("list-scheduling", traces)
    assert study.axis("policy") == [
        "List-REG", "List-SJF", "List-SAF", "List-SPF", "List-LAF", "EASY",
    ]  # fmt: skip
    assert "utilization" in study.metrics
    for scenario in study.scenarios:
        assert policy(scenario.policy.label).name == scenario.policy.name


def test_optimising_dispatch(traces):
    """Table 2 with packwise(objective=X) where it has CP-X: the list policies, three seeds of each metric."""
    study = shipped("optimising-dispatch", traces)
    lists = shipped("list-scheduling", traces)
    policies = {s.policy.label: s.policy.name for s in study.scenarios}
    assert len(study.scenarios) == 5 * 2 * 18
    assert study.baseline == lists.baseline == Baseline(policy="List-REG")
    assert set(policies) >= set(lists.axis("policy"))
    assert {s.key for s in lists.scenarios} <= {s.key for s in study.scenarios}  # run only once
    for metric in ("AF", "AWF", "BSLD", "P2SF"):
        assert metric in study.metrics
        for seed in range(3):
            name = f"packwise(objective={metric},seed={seed})"
            assert policies[f"packwise {metric}, seed {seed}"] == name == policy(name).name


def test_cp_rounds(traces):
    """The paper's policies by its names, under limits that make them reproducible."""
    study = shipped("cp-rounds", traces)
    for scenario in study.scenarios:
        label, found = scenario.policy.label, policy(scenario.policy.name)
        if label.startswith("CP-"):
            assert found.name.startswith(f"{label.lower()}(")
            assert found.deterministic
        else:
            assert label == "List-REG" or label.startswith(("List-", "packwise "))


@pytest.mark.parametrize(("suffix", "nodes"), [("", 64), ("-kit", 1173)])
def test_dispatchers(traces, suffix, nodes):
    """Those of the paper by its names, reproducible; each claim is about one of them."""
    study = shipped(f"heterogeneous-cp{suffix}", traces)
    for scenario in {one.workload.content: one for one in study.scenarios}.values():
        assert load(scenario.workload, scenario.machine).cluster.nodes == nodes
    for scenario in study.scenarios:
        label, found = scenario.policy.label, policy(scenario.policy.name)
        if label[1:3] == "CP":
            name = label.lower().replace("'", "")
            # On the large machine a tenth of what is usual.
            share = 10 if suffix else 1
            assert found.method == name
            assert found.effort.branches == METHODS[name].effort.branches // share
        assert getattr(found, "reproducible", True)
    for claim in study.claims:
        assert {claim.policy[1:3], (claim.against or "")[1:3]} & {"CP"}


def test_deadline_policies(traces):
    """The same jobs as in the study of the paper's claims."""
    study, claims = (shipped(f"deadline-{name}", traces) for name in ("policies", "backfilling"))
    assert len(study.scenarios) == 3 * 2 * 9
    known = {scenario.workload.content for scenario in claims.scenarios}
    assert {scenario.workload.content for scenario in study.scenarios} <= known


def test_deadline_backfilling(traces):
    """The three policies at four shares of three logs, and what the paper says of them."""
    study = shipped("deadline-backfilling", traces)
    shares = ("20%", "40%", "60%", "80%")
    logs = ("SDSC-BLUE", "SDSC-DS", "HPC2N")
    assert study.axis("workload") == [f"{log} {share}" for log in logs for share in shares]
    assert study.axis("policy") == ["DBF", "CBF", "EASY"]
    assert study.axis("estimate") == ["requested"]
    assert study.drop_unaffected
    for scenario in study.scenarios:
        label = scenario.workload.label
        assert scenario.workload.window.deadlines == (f"slack(share={label.split()[1]})",)
        assert scenario.machine.procs is None
        assert policy(scenario.policy.label).name == scenario.policy.name
        assert study.swept[label].series == label.split()[0]
    for claim in study.claims:
        assert claim.source.startswith("section 6.3")
        assert claim.unfiltered == (claim.metric == "wait")  # figure 4 is about all jobs
        assert {claim.metric, claim.part_of or "wait"} <= {*study.metrics, "deadline_jobs"}
    assert {type(claim.check).__name__ for claim in study.claims} == {
        "Flat", "Falls", "Between", "Largest",
    }  # fmt: skip


@pytest.mark.papers
@pytest.mark.shared
def test_its_logs_have_as_many_jobs_as_the_paper_says(shared):
    """Table 2: all jobs, and the regular ones at 20 %."""
    study = shipped("deadline-backfilling", shared / "traces")
    published = {"SDSC-BLUE 20%": (157604, 126084), "SDSC-DS 20%": (64715, 51772)}
    published["HPC2N 20%"] = (202871, 162297)
    specs = {s.workload.label: (s.workload, s.machine) for s in study.scenarios}
    for label, (jobs, regular) in published.items():
        loaded = load(*specs[label])
        assert len(loaded.workload) == jobs
        assert abs(int((~loaded.workload.deadline_driven).sum()) - regular) <= 1
        assert loaded.dropped_wide == 0


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("packing-and-fairness", "packing-and-fairness-table2.csv"),
        ("list-scheduling", "cp-vs-backfilling-table2.csv"),
    ],
)
def test_the_rows_of_the_published_tables(shared, name, table):
    study = shipped(name, shared / "traces")
    with (shared / "published" / table).open() as file:
        rows = list(csv.DictReader(file))
    published = {row["policy"] for row in rows if not row["policy"].startswith("CP-")}
    assert set(study.axis("policy")) == published
    assert set(study.axis("estimate")) == {row["estimate"] for row in rows}
    assert set(study.metrics) >= {row["metric"] for row in rows}
    logs = {row["trace"].lower() for row in rows} - {"bw201911"}
    assert {log.lower() for log in study.axis("workload")} == logs


def test_the_example_runs_as_it_is(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(example_study(), encoding="utf-8")
    study = read_study(file)
    assert len(study.scenarios) == 2 * 6 * 3
    assert study.baseline == Baseline(policy="easy")
    first = study.scenarios[0]
    assert len(load(first.workload, first.machine).workload) == 2000


def test_the_keys_that_the_example_comments_out_are_known(tmp_path):
    """With every comment that shows a key taken at its word."""
    lines = []
    for line in example_study().splitlines():
        bare = line.removeprefix("# ")
        shown = bare.startswith("[") or (" = " in bare and bare.split(" = ")[0].isidentifier())
        source = bare.startswith(("archive", "file", "generate")) and bare != line
        lines.append(bare if shown and not source else line)
    text = "\n".join(lines).replace("procs = 128  ", "procs = 130  ")
    assert 'depth = [1, 4, 16, "unlimited"]' in text  # as the comment says, not with backfill
    text = text.replace(', "unlimited"]', "]")
    file = tmp_path / "study.toml"
    file.write_text(text, encoding="utf-8")
    study = read_study(file)
    assert study.axis("machine") == ["as it is", "10 % more"]
    loads, shares = ("x1", "x1.2"), ("20%", "40%", "60%")
    labels = [f"synthetic {load} {share}" for load in loads for share in shares]
    assert study.axis("workload") == labels
    assert study.scenarios[0].workload.window.count == 1000
    assert study.scenarios[0].machine.procs == 130
    assert study.scenarios[-1].policy.parameters["threshold"] == "2d"
    assert study.dask["jobs"] == 4
    assert len(study.published.tolerances) == 1 + 2 * 2
    assert len(study.published.explained) == 1
    assert study.drop_unaffected
    assert [type(claim.check).__name__ for claim in study.claims] == ["Between", "Falls"]


def test_balanced(traces):
    """The page knows which logs took part, and the study has as many others at least."""
    from scripts.balanced_page import METRICS, TOOK_PART, USERS

    study = shipped("balanced", traces)
    logs = study.axis("workload")
    assert set(TOOK_PART) < set(logs)
    assert len(logs) >= 2 * len(TOOK_PART)
    assert study.metrics == (*METRICS, *USERS)
    assert study.baseline == Baseline(policy="easy", estimate="requested")
    assert len(study.scenarios) == len(logs) * 4 * 2 * 10
