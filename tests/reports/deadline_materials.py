"""Cases with deadlines and promises: by hand, from rows of jobs, or from generated workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from packwise.experiments.tables.cells import Cell
from packwise.metrics.catalogue import summarize
from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.model.workload import NO_DEADLINE, Workload
from packwise.reports.deadlines.quantities import MEASURED
from packwise.reports.material import Case, DeadlineShare, Replayed, ReportRun
from packwise.workloads.deadlines import assign_deadlines, parse_rules
from packwise.workloads.lublin import generate
from tests.reports.materials import METRICS, Loads, make_case

#: (submit, limit, deadline or None); all jobs run for as long as their limit, on one processor.
Row = tuple[int, int, int | None]


def jobs(*rows: Row, name: str = "by-hand") -> Workload:
    workload = Workload.of([(submit, 1, limit, limit) for submit, limit, _ in rows], name)
    due = [NO_DEADLINE if deadline is None else deadline for *_, deadline in rows]
    return workload.replace(deadline=np.array(due, np.int64))


def hand_case(
    workload: Workload,
    starts: Mapping[str, Sequence[int]],
    *,
    promised: Mapping[str, Sequence[int]] | None = None,
    others: Sequence[Mapping[str, Sequence[int]]] = (),
    metrics: tuple[str, ...] = METRICS,
    **changes: Any,
) -> Case:
    """Runs with these starts; ``others`` are those of further replicas. The first is the baseline."""
    cluster = Cluster.pool(8)

    def replayed(start: Sequence[int], told: Sequence[int] | None) -> Replayed:
        begin = np.array(start, np.int64)
        return Replayed(workload, cluster, Schedule(begin, begin + workload.runtime, None, told))

    runs = []
    for label, start in starts.items():
        run = replayed(start, (promised or {}).get(label))
        names = metrics if workload.deadline is None else (*metrics, *MEASURED)
        values = summarize(*run, names)
        cells = {
            name: Cell(value, None, 0.0, None, None, 1 + len(others))
            for name, value in values.items()
            if np.isfinite(value)
        }
        copies = tuple(Loads(replayed(other[label], None)) for other in others)
        runs.append(ReportRun(label, label, cells, Loads(run), copies))
    fields: dict[str, Any] = {
        "workload": workload.name,
        "machine": "",
        "estimate": "requested",
        "jobs": len(workload),
        "procs": cluster.procs,
        "runs": tuple(runs),
        "baseline": 0,
        "replicas": 1 + len(others),
    }
    return Case(**(fields | changes))


def drawn_case(percent: int, of: str = "w", seed: int = 1, count: int = 300) -> Case:
    """Real schedules of a generated workload in which that share of the jobs has a deadline."""
    log = generate(count, 32, seed, load=1.1)
    log = assign_deadlines(log, parse_rules(f"slack(share={percent}%,least=1h,factor=2)"), 32)
    case = make_case(
        ("cbf", "dbf", "easy"),
        workload=log,
        procs=32,
        metrics=(*METRICS, *MEASURED),
        share=DeadlineShare(of, float(percent)),
    )
    return replace(case, workload=f"{of} {percent}%")
