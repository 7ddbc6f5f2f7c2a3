"""The cases of a report: which stored runs can be compared job by job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from packwise.experiments.scenario import Scenario
from packwise.experiments.store import Store
from packwise.experiments.study import Study
from packwise.experiments.tables.leaders import Sample
from packwise.experiments.tables.part import trim_words
from packwise.experiments.tables.results import Point, StudyResults
from packwise.model.sizing import Sizing
from packwise.model.workload import Ints
from packwise.reports.deadlines.quantities import MEASURED
from packwise.reports.deadlines.shares import deadline_shares
from packwise.reports.material import Case, DeadlineShare, Replayed, ReportRun
from packwise.workloads.origin import Origin

_AXES = ("workload", "machine", "policy", "estimate")

#: By label along the axis that is compared, the scenarios (replicas) that have a result.
Group = dict[str, list[Scenario]]


def study_cases(
    study: Study, store: Store, results: StudyResults, names: tuple[str, ...]
) -> tuple[tuple[Case, ...], list[tuple[str, str]]]:
    """The cases, and what could not be compared, with the reason."""
    axis = compared_axis(study)
    shares = deadline_shares(study.scenarios)
    groups: dict[tuple[str, ...], Group] = {}
    for scenario, there in zip(study.scenarios, results.there, strict=True):
        if there:
            labels = scenario.labels._asdict()
            rest = tuple(labels[name] for name in _AXES if name != axis)
            groups.setdefault(rest, {}).setdefault(labels[axis], []).append(scenario)
    cases, left_out = [], []
    for rest, group in groups.items():
        title = " / ".join(filter(None, rest))
        wanted = getattr(study.baseline, axis)
        if wanted is not None and wanted not in group:
            left_out.append((title, f"the baseline {wanted} has no result here"))
            continue
        chosen = _same_replica(group, wanted or next(iter(group)))
        for label in group.keys() - chosen.keys():
            reason = "has no result for the replica that the figures show"
            left_out.append((f"{title} / {label}", reason))
        share = shares.get(next(iter(chosen.values())).workload.label)
        others = _other_replicas(group, chosen)
        case = _case(study, store, results, names, axis, chosen, others, wanted, share)
        if case is None:
            left_out.append((title, "no job ran in all of these"))
        else:
            cases.append(case)
    return tuple(cases), left_out


def compared_axis(study: Study) -> str:
    """The axis along which runs are compared: that of the baseline."""
    baseline = study.baseline
    if baseline.policy is None and baseline.estimate is not None:
        return "estimate"
    if baseline.policy is None and baseline.machine is not None:
        return "machine"
    return "policy"


def _same_replica(group: Group, baseline: str) -> dict[str, Scenario]:
    """Of each label the same replica: one of the baseline's, that most of the others have."""
    by_replica = [
        {label: s for label, copies in group.items() for s in copies if s.replica == own.replica}
        for own in group[baseline]
    ]
    return max(by_replica, key=len)


def _other_replicas(group: Group, chosen: dict[str, Scenario]) -> list[dict[str, Scenario]]:
    """The replicas besides the chosen one that all of its labels have."""
    shown = next(iter(chosen.values())).replica
    by_label = {label: {s.replica: s for s in group[label]} for label in chosen}
    common = set.intersection(*(set(copies) for copies in by_label.values())) - {shown}
    return [{label: by_label[label][number] for label in chosen} for number in sorted(common)]


def _case(
    study: Study,
    store: Store,
    results: StudyResults,
    names: tuple[str, ...],
    axis: str,
    chosen: dict[str, Scenario],
    others: list[dict[str, Scenario]],
    baseline: str | None,
    share: DeadlineShare | None,
) -> Case | None:
    records = {label: store.record(scenario.key) for label, scenario in chosen.items()}
    first = next(iter(chosen.values())).labels
    least = min(records.values(), key=lambda found: found["jobs"])
    remarks = [*least.get("remarks", ())]
    if first.replica:
        remarks = [one for one in remarks if not str(one).startswith("submissions shaken")]
    if str(study.baseline) != str(baseline or ""):
        remarks.append(
            f"changes are against {baseline} in this case; study table has {study.baseline}"
        )
    case = (first.workload, first.machine, first.estimate, first.replica)
    remarks += [
        f"metrics in tables: {one.remark}"
        for one in results.filtered
        if (one.workload, one.machine, one.estimate, one.replica) == case
    ]
    if words := trim_words(study):
        remarks.append(f"metrics in tables: {words[0].lower()}{words[1:].rstrip('.')}")
    remarks += [
        f"not reproducible: {label} depends on the clock of the machine that ran it; another run need not give "
        "these numbers again"
        for label, found in records.items()
        if found.get("reproducible") is False
    ]
    points = [results.cell(Point(*s.labels[:4]), names[0]) for s in chosen.values()]
    replicas = max((cell.replicas for cell in points if cell is not None), default=1)
    ran = {label: found["jobs"] for label, found in records.items()}
    rejected = any(found["rejected"] for found in records.values())
    shared = None
    if len(set(ran.values())) > 1 or rejected or axis == "machine":
        shared = _ran_everywhere(store, [scenario.key for scenario in chosen.values()])
        if not len(shared):
            return None
    if shared is not None and set(ran.values()) == {len(shared)} and not rejected:
        shared = None  # the same jobs on all machines
    if shared is not None:
        told = ", ".join(f"{label} {count:,}" for label, count in ran.items())
        what = "Metrics are about these, figures" if replicas > 1 else "All of this is"
        remarks.append(f"jobs that ran: {told}. {what} about the {len(shared):,} that ran in all")
    measured = (*names, *MEASURED)
    runs = tuple(
        ReportRun(
            label=label,
            policy=scenario.policy.name,
            cells=_cells(results, scenario, measured),
            samples=_samples(results, scenario, measured),
            load=_loader(store, scenario.key, shared),
            others=tuple(_loader(store, copy[label].key, None) for copy in others),
            whole=_cells(results.whole, scenario, MEASURED) if study.of_a_part else None,
            whole_samples=_samples(results.whole, scenario, MEASURED),
            trim=study.trim_of(scenario.policy.label),
        )
        for label, scenario in chosen.items()
    )
    return Case(
        workload=first.workload,
        machine=first.policy if axis == "machine" else first.machine,
        estimate=first.policy if axis == "estimate" else first.estimate,
        jobs=least["jobs"] if shared is None else len(shared),
        procs=max(found["procs"] for found in records.values()),
        runs=runs,
        baseline=list(chosen).index(baseline) if baseline is not None else 0,
        replicas=replicas,
        remarks=tuple(map(str, remarks)),
        compared=axis,
        share=share,
        partial=shared is not None,
        sizing=_sizing(records.values()),
        counts=tuple((label, count) for label, count in least.get("counts", ())),
        origin=Origin(**{name: least.get("origin", {}).get(name, "") for name in Origin._fields}),
    )


def _sizing(records: Iterable[Mapping[str, Any]]) -> Sizing:
    """How the size of the machine is known: where there are several, that of one in doubt."""
    found = [Sizing.from_facts(record.get("sizing", {})) for record in records]
    return max(found, key=lambda one: (bool(one.doubt), bool(one.guess)))


def _cells(results: StudyResults, scenario: Scenario, names: tuple[str, ...]) -> dict[str, Any]:
    point = Point(*scenario.labels[:4])
    return {name: cell for name in names if (cell := results.cell(point, name)) is not None}


def _samples(
    results: StudyResults, scenario: Scenario, names: tuple[str, ...]
) -> dict[str, Sample]:
    """By metric the value in each replica of the study; empty where there is one."""
    point = Point(*scenario.labels[:4])
    found = {name: results.sample(point, name) for name in names}
    return {name: sample for name, sample in found.items() if sample}


def _loader(store: Store, key: str, shared: Ints | None) -> Callable[[], Replayed]:
    def load() -> Replayed:
        workload, cluster, schedule = store.replayed(key)
        if shared is not None:
            mask = np.isin(workload.id, shared)
            workload = workload.select(mask)
            schedule = schedule.select(mask)
        return Replayed(workload, cluster, schedule)

    return load


def _ran_everywhere(store: Store, keys: list[str]) -> Ints:
    """The ids of the jobs that ran in all of these: a smaller machine, say, cannot run them all."""
    ran = []
    for key in keys:
        workload, _, schedule = store.replayed(key)
        ran.append(workload.id[schedule.ran])
    return reduce(np.intersect1d, ran)
