"""Metrics of a study without the jobs that no policy made wait, measured on the stored schedules.

A case is the same jobs on the same machine with the same estimate: its policies are compared with each
other, and which jobs are left out depends on all of them. So a case that lacks the result of a policy has no
such values. The store is read, and nothing in it is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from packwise.experiments.index import FACTS
from packwise.experiments.scenario import Scenario
from packwise.experiments.store import Store
from packwise.experiments.study import Study
from packwise.experiments.work import replayed
from packwise.metrics.catalogue import metric, summarize
from packwise.metrics.own import stored_name
from packwise.metrics.unaffected import affected
from packwise.model.errors import InputError, UnknownName

if TYPE_CHECKING:
    import polars as pl

#: The column of a filtered table that counts the jobs that are not measured.
LEFT_OUT = "left_out"

_CASES = 10_000


@dataclass(frozen=True)
class CaseFilter:
    """A case, and how many of its ``jobs`` are left out; or the ``reason`` why it has no values."""

    workload: str
    machine: str
    estimate: str
    replica: int
    jobs: int = 0
    left_out: int = 0
    reason: str = ""

    @property
    def remark(self) -> str:
        """What has to be said of values of this case, for whoever shows it by itself."""
        if self.reason:
            return f"cannot be measured without unaffected jobs: {self.reason}"
        return (
            f"left out: {self.left_out:,} of {self.jobs:,} jobs, which have no deadline and start at once "
            "under all policies"
        )

    def __str__(self) -> str:
        copy = f"replica {self.replica}" if self.replica else ""
        return " / ".join(filter(None, (self.workload, self.machine, self.estimate, copy)))


def without_unaffected(
    study: Study, frame: pl.DataFrame
) -> tuple[pl.DataFrame, tuple[CaseFilter, ...]]:
    """The study's rows of a store's table, metrics measured over the affected jobs; and each case.

    Metrics of the machine stay those of all jobs. Whatever else cannot be measured is null.
    """
    import polars as pl

    keys = {scenario.key for scenario in study.scenarios}
    frame = frame.filter(pl.col("key").is_in(list(keys)))
    names = [name for name in frame.columns if name not in FACTS and _of_a_part(name)]
    known = {
        row["key"]: tuple(stored_name(name) for name in names if row[name] is not None)
        for row in frame.select("key", *names).iter_rows(named=True)
    }
    values: dict[str, dict[str, float]] = {}
    left_out: dict[str, int] = {}
    cases = []
    for scenarios in _cases(study):
        case = _filtered(study.store, scenarios, known, values)
        cases.append(case)
        if not case.reason:
            left_out |= dict.fromkeys((one.key for one in scenarios), case.left_out)
    rows = frame["key"].to_list()
    columns = [
        pl.Series(name, [values.get(key, {}).get(name) for key in rows], pl.Float64)
        for name in names
    ]
    counts = pl.Series(LEFT_OUT, [left_out.get(key) for key in rows], pl.Int64)
    return frame.with_columns(*columns, counts), tuple(cases)


def filter_words(cases: Sequence[CaseFilter]) -> str:
    """How many jobs are left out, for the caption of a table."""
    done = [case for case in cases if not case.reason]
    if not done:
        return ""
    jobs, left_out = sum(case.jobs for case in done), sum(case.left_out for case in done)
    shares = sorted(100 * case.left_out / max(case.jobs, 1) for case in done)
    spread = f" ({shares[0]:.0f} to {shares[-1]:.0f} % of a case)" if len(done) > 1 else ""
    return (
        f"Left out: {left_out:,} of {jobs:,} jobs{spread}, which have no deadline and start at once under "
        "all policies."
    )


def filter_rows(cases: Iterable[CaseFilter]) -> list[dict[str, object]]:
    """One row per case."""
    return [
        {
            "workload": case.workload,
            "machine": case.machine,
            "estimate": case.estimate,
            "replica": case.replica,
            "jobs": None if case.reason else case.jobs,
            "left_out": None if case.reason else case.left_out,
            "reason": case.reason,
        }
        for case in cases
    ]


def _of_a_part(name: str) -> bool:
    """Whether a metric can be measured over a part of the jobs."""
    try:
        return not metric(name).of_all_jobs
    except UnknownName:  # of another version of Packwise
        return False


def _cases(study: Study) -> list[list[Scenario]]:
    found: dict[tuple[str, str, str, int], list[Scenario]] = {}
    for scenario in study.scenarios:
        labels = scenario.labels
        case = (labels.workload, labels.machine, labels.estimate, labels.replica)
        found.setdefault(case, []).append(scenario)
    return list(found.values())


def _filtered(
    folder: Path,
    scenarios: Sequence[Scenario],
    known: dict[str, tuple[str, ...]],
    values: dict[str, dict[str, float]],
) -> CaseFilter:
    """Measure a case, add what was found to ``values`` by key, and tell of it."""
    labels = scenarios[0].labels
    case = (labels.workload, labels.machine, labels.estimate, labels.replica)
    missing = [one.policy.label for one in scenarios if one.key not in known]
    if missing:
        verb = "has" if len(missing) == 1 else "have"
        return CaseFilter(*case, reason=f"{', '.join(missing)} {verb} no result")
    keys = tuple(one.key for one in scenarios)
    try:
        found = _measured(folder, keys, tuple(known[key] for key in keys))
    except InputError as error:
        return CaseFilter(*case, reason=str(error))
    values |= {key: dict(one) for key, one in zip(keys, found.values, strict=True)}
    return CaseFilter(*case, found.jobs, found.left_out)


class _Measured(NamedTuple):
    """Of a case: its jobs, those left out, and for each result the metrics that have a value."""

    jobs: int
    left_out: int
    values: tuple[tuple[tuple[str, float], ...], ...]


@lru_cache(maxsize=_CASES)
def _measured(folder: Path, keys: tuple[str, ...], names: tuple[tuple[str, ...], ...]) -> _Measured:
    """Kept, since keys stand for contents: several tables of one process measure once."""
    store = Store(folder)
    found = []
    for key in keys:
        content = store.checked_schedule(key)
        record = store.record(key)
        label = str(record["scenario"]["workload"]["label"])
        found.append(replayed(label, record, content))
    workload = found[0][0]
    only = affected(workload, [schedule for _, _, schedule in found])
    values = []
    for each, wanted in zip(found, names, strict=True):
        measured = summarize(*each, wanted, only=only)
        values.append(tuple((n, float(v)) for n, v in measured.items() if np.isfinite(v)))
    return _Measured(len(workload), int((~only).sum()), tuple(values))
