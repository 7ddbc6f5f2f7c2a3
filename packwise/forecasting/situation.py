"""The situation: who runs and who waits on a cluster at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packwise.model.cluster import Cluster, as_cluster
from packwise.model.columns import frozen
from packwise.model.errors import InputError
from packwise.model.schedule import NEVER
from packwise.model.workload import DESCRIBING, Ints, Workload

#: The columns that a live queue has to tell, and those that it may.
TOLD = ("id", "submit", "start", "demand", "limit")
MAY_TELL = (*DESCRIBING[:4], "units", "per_unit", "extra", "names")


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """Jobs that run or wait at ``now``. ``start`` is NEVER for those who wait.

    The jobs are a workload, for its columns and checks; its run times mean nothing (nobody knows them yet) and
    are taken from nowhere. Times are seconds on one clock, that of the history that goes with it.
    """

    now: int
    cluster: Cluster
    jobs: Workload
    start: Ints

    def __post_init__(self) -> None:
        start = np.asarray(self.start)
        if start.shape != (len(self.jobs),) or not np.issubdtype(start.dtype, np.integer):
            raise InputError(
                f"a situation should have a start (a whole number, or {NEVER}) for each of its "
                f"{len(self.jobs)} jobs, found {start.dtype} of shape {start.shape}."
            )
        object.__setattr__(self, "now", int(self.now))
        object.__setattr__(self, "start", frozen(start, np.int64))
        for what, times in (("submitted", self.jobs.submit), ("started", self.start)):
            late = times > self.now
            if late.any():
                i = int(np.argmax(late))
                raise InputError(
                    f"a situation at {self.now} should have jobs {what} by then, found job {self.jobs.id[i]} "
                    f"at {times[i]}. Leave it out, or look at a later moment."
                )
        wrong = (self.start != NEVER) & (self.start < self.jobs.submit)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise InputError(
                f"job {self.jobs.id[i]} should start after its submission at {self.jobs.submit[i]}, found "
                f"{self.start[i]}. {NEVER} stands for a job that waits."
            )

    @property
    def running(self) -> Ints:
        """Places of the jobs that run."""
        return np.flatnonzero(self.start != NEVER)

    @property
    def waiting(self) -> Ints:
        """Places of the jobs that wait, in the order of submission."""
        return np.flatnonzero(self.start == NEVER)

    @property
    def elapsed(self) -> Ints:
        """For how long each job has run, 0 for those who wait."""
        return np.where(self.start == NEVER, 0, self.now - self.start)

    def place(self, job: int) -> int:
        """The place of a job that waits, by its id."""
        found = np.flatnonzero((self.jobs.id == job) & (self.start == NEVER))
        if not found.size:
            runs = bool((self.jobs.id == job).any())
            raise InputError(
                f"expected a job that waits, found job {job}, which "
                f"{'runs already' if runs else 'is not in the queue'}; {len(self.waiting)} wait."
            )
        return int(found[0])

    def in_order_of(self, priority: Sequence[float] | NDArray[Any]) -> Situation:
        """The same with those who wait in the order of the cluster's own priorities, highest first, for
        policies that serve in the order of submission: submissions are dealt out anew among them.
        """
        given = np.asarray(priority, np.float64)
        if given.shape != (len(self.jobs),) or np.isnan(given).any():
            raise InputError(
                f"expected a priority for each of the {len(self.jobs)} jobs, found shape {given.shape}, "
                f"{int(np.isnan(given).sum())} of them not numbers."
            )
        who = self.waiting
        submit = self.jobs.submit.copy()
        # One second apart at least: at equal times the smaller id would go first.
        times = submit[who] - np.arange(len(who))
        times = np.minimum.accumulate(times[::-1])[::-1] + np.arange(len(who))
        times = np.maximum(times, np.arange(len(who)))
        submit[who[np.argsort(-given[who], kind="stable")]] = times
        return _sorted(self.now, self.cluster, self.jobs, submit, self.start)

    @classmethod
    def at(
        cls,
        now: int,
        workload: Workload,
        start: Ints,
        cluster: Cluster | int,
        *,
        undecided: bool = False,
    ) -> Situation:
        """Who waited and who ran at a moment of a log with known starts; nothing later than ``now`` is in it.
        ``undecided``: before anybody was started at that moment.
        """
        start = np.asarray(start, np.int64)
        runtime = workload.runtime
        begun = (start != NEVER) & (start < now + (0 if undecided else 1))
        here = (workload.submit <= now) & ~(begun & (start + runtime <= now))
        if not here.any():
            raise InputError(f"nobody runs or waits at {now}: there is nothing to forecast.")
        jobs = workload.select(here)
        jobs = jobs.replace(
            runtime=jobs.requested_time,
            status=np.full(len(jobs), -1),
            weight=None,
            power=None,
            extra={k: v for k, v in jobs.extra.items() if k not in _TOLD_LATER},
        )
        return cls(now, as_cluster(cluster), jobs, np.where(begun, start, NEVER)[here])

    @classmethod
    def of(cls, now: int, cluster: Cluster | int, columns: Mapping[str, Any]) -> Situation:
        """From plain columns, as a live queue tells them: ``id``, ``submit``, ``start`` (NEVER for who waits),
        ``demand`` and ``limit``, and, where they are known, user, group, app, queue, units and per_unit,
        extra and names as a Workload has them. In any order.
        """
        missing = [name for name in TOLD if name not in columns]
        unknown = [name for name in columns if name not in TOLD + MAY_TELL]
        if missing or unknown:
            raise InputError(
                f"a situation should have the columns {', '.join(TOLD)}, and may have {', '.join(MAY_TELL)}; "
                f"found {', '.join(map(str, columns))}."
            )
        table = {name: np.asarray(columns[name]) for name in columns if name not in _NESTED}
        inner = {
            name: {key: np.asarray(value) for key, value in columns.get(name, {}).items()}
            for name in ("per_unit", "extra")
        }
        n = table["id"].size
        if n == 0:
            raise InputError("a situation should have one job at least: nobody runs or waits.")
        for name, column in {**table, **inner["per_unit"], **inner["extra"]}.items():
            if column.shape != (n,):
                raise InputError(
                    f"a situation of {n} jobs should have {n} values in each column, found shape "
                    f"{column.shape} in '{name}'."
                )
        order = np.lexsort((table["id"], table["submit"]))
        start, limit = table.pop("start"), table.pop("limit")
        told: dict[str, Any] = {name: column[order] for name, column in table.items()}
        for name, named in inner.items():
            told[name] = {key: value[order] for key, value in named.items()}
        jobs = Workload(
            name="the queue",
            runtime=limit[order],
            requested_time=limit[order],
            names=columns.get("names", {}),
            **told,
        )
        return cls(now, as_cluster(cluster), jobs, start[order])


_NESTED = ("per_unit", "extra", "names")
#: Columns of a log that tell what nobody knew while a job waited or ran.
_TOLD_LATER = (
    "wait",
    "used_procs",
    "cpu_time",
    "used_memory",
    "nodes",
    "estimate",
    "promised_start",
)


def _sorted(now: int, cluster: Cluster, jobs: Workload, submit: Ints, start: Ints) -> Situation:
    """With other submissions, and in their order."""
    order = np.lexsort((jobs.id, submit))
    columns = {
        name: getattr(jobs, name)[order] for name in ("id", "runtime", "requested_time", "demand")
    }
    columns |= {name: getattr(jobs, name)[order] for name in DESCRIBING}
    moved = jobs.replace(
        submit=submit[order],
        **columns,
        weight=None,
        deadline=None,
        power=None,
        units=None if jobs.units is None else jobs.units[order],
        per_unit={name: column[order] for name, column in jobs.per_unit.items()},
        extra={name: column[order] for name, column in jobs.extra.items()},
    )
    return Situation(now, cluster, moved, start[order])
