"""What a study has in the store, by its labels: values, cells over replicas, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from packwise.experiments.scenario import Labels, Scenario
from packwise.experiments.study import Baseline, Study
from packwise.experiments.tables.cells import Cell
from packwise.experiments.tables.leaders import Sample
from packwise.experiments.tables.part import CaseFilter, measured_part
from packwise.experiments.tables.statistics import Intervals, change_percents, intervals
from packwise.model.workload import Floats, Ints

if TYPE_CHECKING:
    import polars as pl


_JOBS, _WIDE, _REJECTED = "jobs", "too_wide", "rejected"
_REPRODUCIBLE = "reproducible"
#: Policies named in a remark.
_NAMED = 5


class Point(NamedTuple):
    """A point of the grid: labels without the replica."""

    workload: str
    machine: str
    policy: str
    estimate: str


@dataclass(frozen=True, eq=False)
class StudyResults:
    """The results of a study. ``columns`` has, per metric, a value for each scenario or NaN.

    ``there`` tells which scenarios have a result at all. Where the study is about a part of the jobs,
    ``unfiltered`` has the columns of all jobs, and ``filtered`` tells of each case how many no policy made
    wait, if these are left out, or why it cannot be measured.
    ``unreproducible`` are the points with a result that another run need not give again. ``doubts`` and
    ``guesses``: by workload and machine, why nothing may be called a gain there, and from what its size is
    guessed.
    """

    study: Study
    columns: Mapping[str, Floats]
    there: NDArray[np.bool_]
    filtered: tuple[CaseFilter, ...] = ()
    unfiltered: Mapping[str, Floats] | None = None
    unreproducible: frozenset[Point] = frozenset()
    doubts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    guesses: Mapping[tuple[str, str], str] = field(default_factory=dict)
    _cells: dict[str, list[Cell | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study, frame: pl.DataFrame) -> StudyResults:
        """From a store's table: a column ``key``, and one of numbers for each metric.

        A study that leaves jobs out is measured again, from the schedules in its store.
        """
        columns, there = _columns(study, frame)
        chance = _unreproducible(study, frame)
        machines = _of_machines(study, frame, "doubt"), _of_machines(study, frame, "guess")
        if not study.of_a_part:
            return cls(study, columns, there, (), None, chance, *machines)
        measured, filtered = measured_part(study, frame)
        return cls(study, _columns(study, measured)[0], there, filtered, columns, chance, *machines)

    def against(self, baseline: Baseline) -> StudyResults:
        """The same results, compared with another baseline."""
        return replace(self, study=self.study.replace(baseline=baseline), _cells={})

    @cached_property
    def whole(self) -> StudyResults:
        """The same results, measured over all jobs."""
        if self.unfiltered is None:
            return self
        return replace(
            self,
            study=self.study.of_all_jobs,
            columns=self.unfiltered,
            filtered=(),
            unfiltered=None,
            _cells={},
        )

    def value(self, labels: Labels, metric: str) -> float | None:
        """The value of one scenario; None if it is not there or was not measured."""
        column, place = self.columns.get(metric), self._place.get(labels)
        if column is None or place is None or not np.isfinite(column[place]):
            return None
        return float(column[place])

    def cell(self, point: Point, metric: str) -> Cell | None:
        """A metric of a point over its replicas; None if no replica has a value."""
        i = self.points.get(point)
        return None if i is None else self.cells(metric)[i]

    def cells(self, metric: str) -> list[Cell | None]:
        """The same for all points, in the order of ``points``."""
        if metric not in self._cells:
            values = self._values(metric)
            values = np.where(np.isfinite(values), values, np.nan)
            changes = change_percents(values, _picked(values, self._baseline_of))
            by = (self._point_of, len(self.points), self.study.confidence)
            self._cells[metric] = _combined(intervals(values, *by), intervals(changes, *by))
        return self._cells[metric]

    def sample(self, point: Point, metric: str) -> Sample:
        """What a cell is the mean of: the value in each replica of the study, NaN where there is none.

        Empty where the study has one replica.
        """
        if len(self._replicas) < 2:
            return ()
        found = (self.value(Labels(*point, replica), metric) for replica in self._replicas)
        return tuple(float("nan") if value is None else value for value in found)

    def missing(self) -> list[Scenario]:
        """Scenarios without a result."""
        return [self.study.scenarios[i] for i in np.flatnonzero(~self.there)]

    def unmeasured(self, metric: str) -> list[Scenario]:
        """Scenarios with a result that lacks a metric."""
        lacking = self.there & ~np.isfinite(self._values(metric))
        return [self.study.scenarios[i] for i in np.flatnonzero(lacking)]

    def jobs_left_out(self) -> list[str]:
        """Where metrics are not about all jobs, and why: a line per workload and machine, or policy."""
        lines: dict[str, None] = {}
        jobs, wide, rejected = (self._values(name) for name in (_JOBS, _WIDE, _REJECTED))
        for i in np.flatnonzero((wide > 0) | (rejected > 0)):
            labels = self._labels[i]
            place = " on ".join(filter(None, (labels.workload, labels.machine)))
            if wide[i] > 0:
                of = int(jobs[i] + rejected[i] + wide[i])
                lines[
                    f"{place}: {int(wide[i]):,} of {of:,} jobs are wider than the machine and left out; "
                    "metrics are about the others"
                ] = None
            if rejected[i] > 0:
                lines[
                    f"{labels.policy} rejected {int(rejected[i]):,} of {int(jobs[i] + rejected[i]):,} "
                    f"jobs of {place}; its metrics are about the others"
                ] = None
        return list(lines)

    @cached_property
    def points(self) -> dict[Point, int]:
        """The points of the grid, in the order of the study, with their numbers."""
        found = dict.fromkeys(labels[:4] for labels in self._labels)
        return {Point(*point): i for i, point in enumerate(found)}

    @cached_property
    def baselines(self) -> frozenset[Point]:
        """The points that would be compared with themselves."""
        own = self._compared == np.arange(len(self.points))
        return frozenset(point for point, same in zip(self.points, own, strict=True) if same)

    def reproducible(self, point: Point, *, change: bool = False) -> bool:
        """Whether another run gives the same; for a change, the baseline has to, too."""
        if change and self.unreproducible:
            compared = int(self._compared[self.points[point]])
            if compared >= 0 and self._chance[compared]:
                return False
        return point not in self.unreproducible

    def withheld(self, point: Point) -> bool:
        """Whether the machine is in doubt, so that nothing there may be called better or worse."""
        return (point.workload, point.machine) in self.doubts

    def machine_words(self) -> list[str]:
        """Which machines are in doubt, and which are guesses: a line each."""
        doubts = [f"{_place(one)}: No verdict. {words}" for one, words in self.doubts.items()]
        guesses = [
            f"{_place(one)}: the size of the machine is {words}."
            for one, words in self.guesses.items()
        ]
        return [*doubts, *guesses]

    def chance_words(self) -> str:
        """What has to be said where results are shown that another run need not give; "" if none are."""
        by_policy: dict[str, int] = {}
        for point in self.points:
            if point in self.unreproducible:
                by_policy[point.policy] = by_policy.get(point.policy, 0) + 1
        if not by_policy:
            return ""
        names = ", ".join(list(by_policy)[:_NAMED]) + (", ..." if len(by_policy) > _NAMED else "")
        return (
            f"Not reproducible: {sum(by_policy.values()):,} of {len(self.points):,} results ({names}) depend "
            "on the clock of the machine that ran them; another run need not give them again."
        )

    @cached_property
    def _chance(self) -> list[bool]:
        return [point in self.unreproducible for point in self.points]

    @cached_property
    def planned(self) -> dict[Point, int]:
        """How many replicas the study has of each point."""
        counts = np.bincount(self._point_of, minlength=len(self.points)).tolist()
        return dict(zip(self.points, counts, strict=True))

    @property
    def replicas(self) -> int:
        """The most replicas that a point of the study has."""
        return max(self.planned.values(), default=0)

    @cached_property
    def _labels(self) -> list[Labels]:
        return [scenario.labels for scenario in self.study.scenarios]

    @cached_property
    def _replicas(self) -> list[int]:
        return sorted({labels.replica for labels in self._labels})

    @cached_property
    def _place(self) -> dict[Labels, int]:
        return {labels: i for i, labels in enumerate(self._labels)}

    @cached_property
    def _point_of(self) -> Ints:
        """For each scenario the number of its point."""
        number = self._number
        return np.array([number[labels[:4]] for labels in self._labels], np.int64)

    @property
    def _number(self) -> Mapping[tuple[str, ...], int]:
        """``points``, for plain tuples, which are equal to a Point."""
        return cast(Mapping[tuple[str, ...], int], self.points)

    @cached_property
    def _compared(self) -> Ints:
        """For each point the number of the one to compare with; -1 where the study has none."""
        base, number = self.study.baseline, self._number
        return np.array(
            [
                number.get(
                    (
                        workload,
                        machine if base.machine is None else base.machine,
                        policy if base.policy is None else base.policy,
                        estimate if base.estimate is None else base.estimate,
                    ),
                    -1,
                )
                for workload, machine, policy, estimate in self.points
            ],
            np.int64,
        )

    @cached_property
    def _baseline_of(self) -> Ints:
        """For each scenario the place of the one to compare with; -1 where the study has none."""
        ours, replica = self._point_of.tolist(), [labels.replica for labels in self._labels]
        place = {pair: i for i, pair in enumerate(zip(ours, replica, strict=True))}
        theirs = self._compared[self._point_of].tolist()
        return np.array([place.get(p, -1) for p in zip(theirs, replica, strict=True)], np.int64)

    def _values(self, metric: str) -> Floats:
        column = self.columns.get(metric)
        return np.full(len(self.study.scenarios), np.nan) if column is None else column


def _columns(study: Study, frame: pl.DataFrame) -> tuple[dict[str, Floats], NDArray[np.bool_]]:
    """The numbers of a store's table, one for each scenario; and which scenarios are in it."""
    row_of = {key: row for row, key in enumerate(frame["key"].to_list())}
    rows = np.array([row_of.get(one.key, -1) for one in study.scenarios], np.int64)
    columns = {}
    for name in frame.columns:
        if name == "key":
            continue
        if (
            name in (_JOBS, _WIDE, _REJECTED)
            or frame[name].dtype.is_float()
            or frame[name].is_null().all()
        ):
            columns[name] = _picked(frame[name].cast(float).fill_null(np.nan).to_numpy(), rows)
    return columns, rows >= 0


def _unreproducible(study: Study, frame: pl.DataFrame) -> frozenset[Point]:
    """The points of results that say so; those of older versions do not tell."""
    if _REPRODUCIBLE not in frame.columns:
        return frozenset()
    keys = set(frame.filter(frame[_REPRODUCIBLE].eq_missing(False))["key"])
    return frozenset(Point(*one.labels[:4]) for one in study.scenarios if one.key in keys)


def _of_machines(study: Study, frame: pl.DataFrame, column: str) -> dict[tuple[str, str], str]:
    """What results say of their machines, by workload and machine; those of older versions say nothing."""
    if column not in frame.columns:
        return {}
    told = dict(zip(frame["key"], frame[column], strict=True))
    found = ((one.labels[:2], told.get(one.key)) for one in study.scenarios)
    return {(labels[0], labels[1]): words for labels, words in found if words}


def _place(labels: tuple[str, str]) -> str:
    return " on ".join(filter(None, labels))


def _combined(means: Intervals, changes: Intervals) -> list[Cell | None]:
    columns = (
        _plain(means.mean),
        _plain(means.half_width),
        _plain(changes.mean),
        _plain(changes.half_width),
        changes.significant.tolist(),
        means.count.tolist(),
        changes.count.tolist(),
    )
    return [
        None
        if value is None
        else Cell(value, around, change, width, None if width is None else clear, count, pairs)
        for value, around, change, width, clear, count, pairs in zip(*columns, strict=True)
    ]


def _picked(values: Floats, places: Ints) -> Floats:
    """The values at some places; NaN where the place is -1."""
    if not len(values):
        return np.full(len(places), np.nan)
    picked: Floats = np.where(places >= 0, values[places], np.nan)
    return picked


def _plain(values: Floats) -> list[float | None]:
    """As Python's numbers, None for what is not finite."""
    return [value if isfinite(value) else None for value in values.tolist()]
