"""The workload: rigid parallel jobs as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.columns import frozen
from packwise.model.display import html_of, pandas_frame, polars_frame
from packwise.model.errors import InputError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: No time, duration or demand may be larger: areas and sums of times then stay far from overflow.
LARGEST = 2**40
UNKNOWN = -1
#: The resource that every unit of a job needs: its sum over the units is what a job's ``demand`` counts.
CORES = "cores"
#: In the column of deadlines: a regular job, which has none. Later than every time, so that an end
#: compares with it as with any other.
NO_DEADLINE = 2**62

#: Columns that every workload has; those that describe its jobs, -1 for unknown.
REQUIRED = ("id", "submit", "runtime", "requested_time", "demand")
DESCRIBING = ("user", "group", "app", "queue", "status")
#: Columns that a workload may lack altogether.
MAYBE = (
    ("weight", np.float64),
    ("deadline", np.int64),
    ("power", np.float64),
    ("units", np.int64),
)


class Job(NamedTuple):
    """One row of a workload, for people."""

    id: int
    submit: int
    runtime: int
    requested_time: int
    demand: int
    user: int
    group: int
    app: int
    queue: int
    status: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Workload:
    """Jobs as read-only columns of equal length, sorted by submit time, then id.

    Times are whole seconds since ``start_time``. ``-1`` means unknown in the columns that describe
    (user, group, app, queue, status). ``extra`` carries the other columns of the source through
    (for SWF: the recorded wait, used processors, memory, ...), so that writing loses nothing.
    ``names`` tells what the numbers of a column stand for, as far as that is known: the name of user 3 is
    ``names["user"][3]``. A job's run time never exceeds its limit: the readers' cleaning step sees to that
    and says so. ``deadline`` is a time like ``submit``, by which a job should have ended, or NO_DEADLINE; one
    that nobody could meet is allowed here (``workloads.deadlines`` refuses or counts those).

    For a machine of nodes: a job consists of ``units``, each of which needs the amounts ``per_unit`` on one
    node. ``demand`` is then the cores of all units. Without ``units``, any cores will do, wherever they are.
    """

    name: str
    id: Ints
    submit: Ints
    runtime: Ints
    requested_time: Ints
    demand: Ints
    user: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    group: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    app: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    queue: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    status: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    weight: Floats | None = None
    deadline: Ints | None = None
    power: Floats | None = None
    units: Ints | None = None
    per_unit: Mapping[str, Ints] = field(default_factory=dict)
    extra: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    start_time: int = 0
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        n = len(np.asarray(self.id))
        if n == 0:
            raise InputError(f"workload '{self.name}' has no jobs: at least one is needed.")
        unknown: Ints | None = None  # one for all columns that are not told
        for name in REQUIRED + DESCRIBING:
            column = np.asarray(getattr(self, name))
            if name in DESCRIBING and len(column) == 0:
                if unknown is None:
                    unknown = frozen(np.full(n, UNKNOWN, np.int64))
                column = unknown
            object.__setattr__(self, name, self._column(name, column, n, np.int64))
        for name, dtype in MAYBE:
            if getattr(self, name) is not None:
                column = np.asarray(getattr(self, name))
                object.__setattr__(self, name, self._column(name, column, n, dtype))
        extra = {k: self._column(k, np.asarray(v), n, None) for k, v in self.extra.items()}
        object.__setattr__(self, "extra", MappingProxyType(extra))
        parts = {
            k: self._column(f"{k} of a unit", np.asarray(v), n, np.int64)
            for k, v in self.per_unit.items()
        }
        object.__setattr__(self, "per_unit", MappingProxyType(parts))
        named = {name: tuple(words) for name, words in self.names.items()}
        object.__setattr__(self, "names", MappingProxyType(named))
        self._validate_units()
        self._validate()
        self._validate_names()

    def _column(self, name: str, column: NDArray[Any], n: int, dtype: Any) -> NDArray[Any]:
        if column.shape != (n,):
            raise InputError(
                f"workload '{self.name}': column '{name}' should have {n} values like 'id', "
                f"found shape {column.shape}."
            )
        if dtype is np.int64 and not np.issubdtype(column.dtype, np.integer):
            raise InputError(
                f"workload '{self.name}': column '{name}' should hold whole numbers, "
                f"found {column.dtype}. Round it first."
            )
        return frozen(column, dtype)

    def _validate(self) -> None:
        for name, least in (("submit", 0), ("runtime", 1), ("requested_time", 1), ("demand", 1)):
            column = getattr(self, name)
            wrong = (column < least) | (column > LARGEST)
            if wrong.any():
                i = int(np.argmax(wrong))
                raise InputError(
                    f"workload '{self.name}', job {self.id[i]}: {name} should be between {least} "
                    f"and {LARGEST}, found {column[i]}. Clean the workload first."
                )
        over = self.runtime > self.requested_time
        if over.any():
            i = int(np.argmax(over))
            raise InputError(
                f"workload '{self.name}', job {self.id[i]}: run time {self.runtime[i]} s exceeds "
                f"its limit of {self.requested_time[i]} s. Cut it to the limit first."
            )
        later = self.submit[1:] > self.submit[:-1]
        tie = (self.submit[1:] == self.submit[:-1]) & (self.id[1:] > self.id[:-1])
        if not (later | tie).all():
            i = int(np.argmin(later | tie))
            raise InputError(
                f"workload '{self.name}': jobs should be sorted by submit time, then id, without "
                f"duplicates; job {self.id[i + 1]} comes after job {self.id[i]}. Sort it first."
            )
        ascending = bool((self.id[1:] > self.id[:-1]).all())
        if not ascending and len(np.unique(self.id)) != len(self.id):
            raise InputError(f"workload '{self.name}': job ids should be unique. Renumber them.")
        for name, measure in (("weights", self.weight), ("powers", self.power)):
            if measure is None:
                continue
            wrong = ~(np.isfinite(measure) & (measure >= 0))
            if wrong.any():
                i = int(np.argmax(wrong))
                raise InputError(
                    f"workload '{self.name}', job {self.id[i]}: {name} should be finite and not negative, "
                    f"found {measure[i]}."
                )
        if self.deadline is not None:
            wrong = (self.deadline < 0) | ((self.deadline > LARGEST) & self.deadline_driven)
            if wrong.any():
                i = int(np.argmax(wrong))
                raise InputError(
                    f"workload '{self.name}', job {self.id[i]}: deadline should be between 0 and "
                    f"{LARGEST}, or NO_DEADLINE, found {self.deadline[i]}."
                )

    def _validate_units(self) -> None:
        """Each unit needs a core at least, and all of them together make up the demand."""
        if self.units is None:
            if self.per_unit:
                raise InputError(
                    f"workload '{self.name}' tells what a unit needs, but not how many units a job has."
                )
            return
        cores = self.per_unit.get(CORES)
        if cores is None:
            raise InputError(f"workload '{self.name}' should tell the cores of a unit.")
        least = {name: 1 if name == CORES else 0 for name in self.per_unit}
        for name, column in (("units", self.units), *self.per_unit.items()):
            wrong = (column < least.get(name, 1)) | (column > LARGEST)
            if wrong.any():
                i = int(np.argmax(wrong))
                what = name if name == "units" else f"{name} of a unit"
                raise InputError(
                    f"workload '{self.name}', job {self.id[i]}: {what} should be between "
                    f"{least.get(name, 1)} and {LARGEST}, found {column[i]}."
                )
        wrong = self.demand / self.units != cores
        if wrong.any():
            i = int(np.argmax(wrong))
            raise InputError(
                f"workload '{self.name}', job {self.id[i]}: {self.units[i]} units of {cores[i]} cores should "
                f"add up to its demand, found {self.demand[i]} processors."
            )

    def _validate_names(self) -> None:
        """Names are for columns that are there, one for each number that occurs."""
        for name, words in self.names.items():
            column = self.numbers(name)
            if column is None:
                raise InputError(
                    f"workload '{self.name}' has names for '{name}', but no such column."
                )
            if len(column) and int(column.max()) >= len(words):
                i = int(np.argmax(column))
                raise InputError(
                    f"workload '{self.name}', job {self.id[i]}: {name} {column[i]} should have one of "
                    f"{len(words)} names, counted from 0."
                )

    def numbers(self, column: str) -> Ints | None:
        """A column of whole numbers that describes jobs, of the workload itself or of ``extra``; None if it has
        no such column.
        """
        found = getattr(self, column) if column in DESCRIBING else self.extra.get(column)
        return found if found is not None and np.issubdtype(found.dtype, np.integer) else None

    def name_of(self, column: str, number: int) -> str:
        """What a number of a column stands for: its name or, where it has none, the number itself."""
        words = self.names.get(column, ())
        return (words[number] if 0 <= number < len(words) else "") or str(number)

    def job_names(self) -> list[str] | None:
        """What each job is called: its ``job_name``, or the name of its application; None if there are no
        names.
        """
        told = self.extra.get("job_name")
        if told is not None:
            return [str(name) for name in told.tolist()]
        words = self.names.get("app")
        return (
            None
            if not words
            else [words[number] if number >= 0 else "" for number in self.app.tolist()]
        )

    def __len__(self) -> int:
        return len(self.id)

    def __iter__(self) -> Iterator[Job]:
        return (self.job(i) for i in range(len(self)))

    def job(self, i: int) -> Job:
        """Row ``i`` as a Job."""
        return Job(*(int(getattr(self, name)[i]) for name in REQUIRED + DESCRIBING))

    @property
    def area(self) -> Floats:
        """Processor-seconds of each job: demand times run time."""
        return self.demand.astype(np.float64) * self.runtime

    @property
    def deadline_driven(self) -> NDArray[np.bool_]:
        """Which jobs have a deadline; the others are regular."""
        if self.deadline is None:
            return np.zeros(len(self), np.bool_)
        driven: NDArray[np.bool_] = self.deadline != NO_DEADLINE
        return driven

    @property
    def span(self) -> int:
        """Seconds from the first to the last submission."""
        return int(self.submit[-1] - self.submit[0])

    def load(self, procs: int) -> float:
        """Offered load: total area over the capacity of the submission span."""
        return float(self.area.sum() / (procs * max(self.span, 1)))

    def select(self, mask: NDArray[Any]) -> Workload:
        """The jobs picked by a boolean mask or by ascending positions."""
        changes: dict[str, Any] = {
            "extra": {k: v[mask] for k, v in self.extra.items()},
            "per_unit": {k: v[mask] for k, v in self.per_unit.items()},
        }
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                changes[f.name] = value[mask]
        return replace(self, **changes)

    def replace(self, **changes: Any) -> Workload:
        """A copy with some columns or attributes changed, validated again."""
        return replace(self, **changes)

    def to_polars(self) -> Any:
        """A table of all that is known of the jobs, for Polars, with names where numbers have them."""
        return polars_frame(self)

    def to_pandas(self) -> Any:
        """The same for pandas."""
        return pandas_frame(self)

    def __repr__(self) -> str:
        days = self.span / 86400
        span = f"{days:,.1f} days" if days >= 2 else f"{24 * days:.1f} hours"
        return f"<Workload '{self.name}': {len(self):,} jobs over {span}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    @classmethod
    def of(cls, jobs: list[tuple[int, int, int, int]], name: str = "jobs") -> Workload:
        """From (submit, demand, runtime, requested_time) tuples, ids 1, 2, 3, ...; for small cases."""
        table = np.array(sorted(jobs, key=lambda job: job[0]), np.int64).reshape(-1, 4)
        return cls(
            name=name,
            id=np.arange(1, len(table) + 1),
            submit=table[:, 0],
            demand=table[:, 1],
            runtime=table[:, 2],
            requested_time=table[:, 3],
        )
