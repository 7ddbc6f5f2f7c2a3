"""Materials for reports, made from generated workloads without a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from packwise.experiments.tables.cells import Cell
from packwise.metrics.catalogue import summarize
from packwise.metrics.comparison import change_percent
from packwise.model.cluster import Cluster
from packwise.model.workload import Workload
from packwise.registry import policy
from packwise.reports.material import Case, Material, Replayed, ReportRun, Sweep
from packwise.simulation import simulate
from packwise.workloads.lublin import generate

METRICS = ("BSLD", "AF", "AWF", "P2SF", "utilization")
POLICIES = ("list-reg", "easy", "saf-aggressive")


class Loads:
    """Replays that count how often they are asked for."""

    def __init__(self, replayed: Replayed) -> None:
        self.replayed = replayed
        self.count = 0

    def __call__(self) -> Replayed:
        self.count += 1
        return self.replayed


def make_case(
    policies: Sequence[str] = POLICIES,
    *,
    labels: Sequence[str] | None = None,
    jobs: int = 400,
    procs: int = 64,
    seed: int = 1,
    load: float = 0.9,
    workload: Workload | None = None,
    cluster: Cluster | None = None,
    metrics: tuple[str, ...] = METRICS,
    replicas: int = 1,
    **changes: Any,
) -> Case:
    """Real schedules of a workload; with replicas, changes below 20 % count as noise."""
    log = workload if workload is not None else generate(jobs, procs, seed, load=load)
    cluster = Cluster.pool(procs) if cluster is None else cluster
    replays = [simulate(log, cluster, policy(name)) for name in policies]
    values = [summarize(log, cluster, run.schedule, metrics) for run in replays]
    runs = []
    for k, (name, run) in enumerate(zip(policies, replays, strict=True)):
        cells = {}
        for one in metrics:
            change = change_percent(values[k][one], values[0][one])
            several = replicas > 1
            cells[one] = Cell(
                value=values[k][one],
                half_width=0.1 * abs(values[k][one]) if several else None,
                change=change,
                change_half_width=3.0 if several else None,
                significant=change is not None and abs(change) > 20 if several else None,
                replicas=replicas,
            )
        load_run = Loads(Replayed(run.workload, run.cluster, run.schedule))
        runs.append(ReportRun(labels[k] if labels else name, name, cells, load_run))
    fields: dict[str, Any] = {
        "workload": log.name,
        "machine": "pool",
        "estimate": "requested",
        "jobs": len(log),
        "procs": cluster.procs,
        "runs": tuple(runs),
        "baseline": 0,
        "replicas": replicas,
    }
    return Case(**(fields | changes))


def make_material(*cases: Case, **changes: Any) -> Material:
    fields: dict[str, Any] = {
        "title": "A test",
        "description": "Two paragraphs.\n\nThe second.",
        "metrics": METRICS,
        "cases": cases,
        "sweeps": (),
        "confidence": 0.95,
        "provenance": (("packwise", "0"),),
    }
    return Material(**(fields | changes))


def make_sweep(labels: Sequence[str] = POLICIES) -> Sweep:
    lines = {
        label: {name: tuple(float(k + point) for point in (1.0, 2.0, np.nan)) for name in METRICS}
        for k, label in enumerate(labels)
    }
    return Sweep("Distorted estimates", "factor", (1.0, 2.0, 5.0), lines)


def idle_workload() -> Workload:
    """Nobody waits, and nobody says who they are."""
    return Workload.of([(1000 * k, 1, 60, 120) for k in range(20)], "idle")
