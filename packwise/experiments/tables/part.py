"""Metrics of a study over a part of the jobs, measured on the stored schedules: without those that no policy
made wait, without those that end first or last, or without both.

A case is the same jobs on the same machine with the same estimate: its policies are compared with each
other, and which jobs none of them made wait depends on all of them. So there a case that lacks the result of a
policy has no such values. Who ends last depends on the one schedule alone. The store is read, and nothing in it
is changed.
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
from packwise.metrics.trimming import Trim
from packwise.metrics.unaffected import affected
from packwise.model.errors import InputError, UnknownName

if TYPE_CHECKING:
    import polars as pl

#: The column of such a table that counts the jobs that are not measured.
LEFT_OUT = "left_out"

_CASES = 10_000


@dataclass(frozen=True)
class CaseFilter:
    """A case, and how many of its ``jobs`` no policy made wait; or the ``reason`` why it has no values."""

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
            return f"cannot be measured over a part of the jobs: {self.reason}"
        return (
            f"left out: {self.left_out:,} of {self.jobs:,} jobs, which have no deadline and start at once "
            "under all policies"
        )

    def __str__(self) -> str:
        copy = f"replica {self.replica}" if self.replica else ""
        return " / ".join(filter(None, (self.workload, self.machine, self.estimate, copy)))


def measured_part(study: Study, frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[CaseFilter, ...]]:
    """The study's rows of a store's table, metrics measured over the part that the study asks for; and each
    case of which jobs were left out because nobody made them wait, or that cannot be measured.

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
    for scenarios in _cases(study, known):
        case = _filtered(study, scenarios, known, values, left_out)
        if study.drop_unaffected or case.reason:
            cases.append(case)
    rows = frame["key"].to_list()
    columns = [
        pl.Series(name, [values.get(key, {}).get(name) for key in rows], pl.Float64)
        for name in names
    ]
    counts = pl.Series(LEFT_OUT, [left_out.get(key) for key in rows], pl.Int64)
    return frame.with_columns(*columns, counts), tuple(cases)


def part_words(study: Study, cases: Sequence[CaseFilter]) -> str:
    """Which jobs are left out, for the caption of a table; "" if none are."""
    return " ".join(filter(None, (filter_words(cases), trim_words(study))))


def trim_words(study: Study) -> str:
    """Which of the jobs that end first or last are left out; "" if none are."""
    if study.trim is None:
        return ""
    all_jobs = f" {', '.join(study.untrimmed)}: all jobs." if study.untrimmed else ""
    return f"Left out: {study.trim.words}.{all_jobs}"


def filter_words(cases: Sequence[CaseFilter]) -> str:
    """How many jobs are left out because no policy made them wait."""
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


def trim_facts(study: Study) -> dict[str, object]:
    """The same for JSON."""
    trim = None if study.trim is None else str(study.trim)
    return {"trim": trim, "untrimmed": list(study.untrimmed)}


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


def _cases(study: Study, known: dict[str, tuple[str, ...]]) -> list[list[Scenario]]:
    """What has to be looked at together; by itself, only what has a result."""
    if not study.drop_unaffected:
        return [[scenario] for scenario in study.scenarios if scenario.key in known]
    found: dict[tuple[str, str, str, int], list[Scenario]] = {}
    for scenario in study.scenarios:
        labels = scenario.labels
        case = (labels.workload, labels.machine, labels.estimate, labels.replica)
        found.setdefault(case, []).append(scenario)
    return list(found.values())


def _filtered(
    study: Study,
    scenarios: Sequence[Scenario],
    known: dict[str, tuple[str, ...]],
    values: dict[str, dict[str, float]],
    left_out: dict[str, int],
) -> CaseFilter:
    """Measure a case, add what was found by key, and tell of it."""
    labels = scenarios[0].labels
    case = (labels.workload, labels.machine, labels.estimate, labels.replica)
    missing = [one.policy.label for one in scenarios if one.key not in known]
    if missing:
        verb = "has" if len(missing) == 1 else "have"
        return CaseFilter(*case, reason=f"{', '.join(missing)} {verb} no result")
    asked = tuple(
        _Asked(one.key, known[one.key], study.trim_of(one.policy.label)) for one in scenarios
    )
    try:
        found = _measured(study.store, asked, study.drop_unaffected)
    except InputError as error:
        return CaseFilter(*case, reason=str(error))
    for one, told, count in zip(asked, found.values, found.left_out, strict=True):
        values[one.key] = dict(told)
        left_out[one.key] = count
    return CaseFilter(*case, found.jobs, found.unaffected)


class _Asked(NamedTuple):
    """A stored result, which metrics to measure again, and without whom."""

    key: str
    names: tuple[str, ...]
    trim: Trim | None


class _Measured(NamedTuple):
    """Of a case: its jobs, those that nobody made wait if they are left out; and of each result how many are
    left out in all, and the metrics that have a value.
    """

    jobs: int
    unaffected: int
    left_out: tuple[int, ...]
    values: tuple[tuple[tuple[str, float], ...], ...]


@lru_cache(maxsize=_CASES)
def _measured(folder: Path, asked: tuple[_Asked, ...], drop_unaffected: bool) -> _Measured:
    """Kept, since keys stand for contents: several tables of one process measure once."""
    store = Store(folder)
    found = []
    for one in asked:
        content = store.checked_schedule(one.key)
        record = store.record(one.key)
        label = str(record["scenario"]["workload"]["label"])
        found.append(replayed(label, record, content))
    workload = found[0][0]
    common = np.ones(len(workload), np.bool_)
    if drop_unaffected:
        common = affected(workload, [schedule for _, _, schedule in found])
    values, left_out = [], []
    for each, one in zip(found, asked, strict=True):
        only = common if one.trim is None else common & one.trim.kept(each[0], each[2])
        measured = summarize(*each, one.names, only=only)
        values.append(tuple((n, float(v)) for n, v in measured.items() if np.isfinite(v)))
        left_out.append(int((~only).sum()))
    return _Measured(len(workload), int((~common).sum()), tuple(left_out), tuple(values))
