"""Grids of scenarios that nobody runs, and made-up results for them."""

from __future__ import annotations

from pathlib import Path

from packwise.experiments.scenario import Choice, Generated, MachineSpec, Scenario, WorkloadSpec
from packwise.experiments.study import Baseline, Study
from packwise.experiments.tables.results import StudyResults
from packwise.workloads.window import Window


def make_grid(
    workloads=("A", "B"),
    policies=("easy", "list-saf"),
    estimates=("exact",),
    machines=("",),
    replicas=1,
    baseline=None,
):
    """A grid; policies and estimates are called by their names."""
    choices = {name: Choice(name, name) for name in (*policies, *estimates)}
    specs = {name: MachineSpec(name, factor=1.0 + i) for i, name in enumerate(machines)}
    scenarios = []
    for number, label in enumerate(workloads):
        for replica in range(replicas):
            source = Generated(10, 4, seed=100 * number + replica)
            workload = WorkloadSpec(label, source, Window())
            scenarios += [
                Scenario(workload, specs[m], choices[p], choices[e], replica)
                for m in machines
                for e in estimates
                for p in policies
            ]
    baseline = baseline or Baseline(policy=policies[0])
    return Study("study", tuple(scenarios), ("BSLD",), baseline, Path("store"))


def filled(study, value, name="BSLD"):
    """Results with ``value(labels)``; None leaves a scenario without a result."""
    import polars as pl

    found = {s.key: value(s.labels) for s in study.scenarios}
    frame = pl.DataFrame(
        {
            "key": [key for key, one in found.items() if one is not None],
            name: [one for one in found.values() if one is not None],
        },
        schema={"key": pl.String, name: pl.Float64},
    )
    return StudyResults.of(study, frame)
