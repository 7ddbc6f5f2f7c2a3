"""Columns of jobs from several sources, put together to one workload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packwise.model.workload import CORES, DESCRIBING, UNKNOWN, Ints, Workload

#: Columns besides the usual ones that decide where and in which order jobs run.
_CONSULTED = ("partition", "requested_nodes", "features", "qos", "nice", "account")
_USUAL = ("submit", "runtime", "requested_time", "demand", *DESCRIBING[:4])


class Columns(dict[str, NDArray[Any]]):
    """Columns of equal length by name; those of a unit are called ``unit:cores`` and so on, those besides the
    usual ones ``extra:partition``.
    """

    @classmethod
    def of(cls, jobs: Workload, places: Ints) -> Columns:
        """Those of some jobs."""
        found = cls({name: getattr(jobs, name)[places] for name in _USUAL})
        if jobs.units is not None:
            found["units"] = jobs.units[places]
            for name, column in jobs.per_unit.items():
                found[f"unit:{name}"] = column[places]
        for name in _CONSULTED:
            if name in jobs.extra:
                found[f"extra:{name}"] = jobs.extra[name][places]
        return found

    @classmethod
    def alone(cls, submit: int, runtime: int, demand: int) -> Columns:
        """One job of nobody."""
        found = cls({name: np.array([UNKNOWN]) for name in DESCRIBING[:4]})
        found |= {"submit": np.array([submit]), "demand": np.array([demand])}
        found |= {name: np.array([runtime]) for name in ("runtime", "requested_time")}
        return found

    def changed(self, **columns: NDArray[Any]) -> Columns:
        """With some columns replaced."""
        return Columns({**self, **columns})

    @staticmethod
    def together(parts: Sequence[Columns], like: Workload) -> Workload:
        """One workload of all parts, one after the other, with the columns that ``like`` has. Jobs of a part
        that lacks one have single cores for units, and nothing known in the others.
        """
        sizes = [len(part["submit"]) for part in parts]
        names = [*_USUAL]
        if like.units is not None:
            names += ["units", *(f"unit:{name}" for name in like.per_unit)]
        names += [f"extra:{name}" for name in _CONSULTED if name in like.extra]
        columns: dict[str, Any] = {
            name: np.concatenate(
                [
                    part[name] if name in part else _missing(name, part, size)
                    for part, size in zip(parts, sizes, strict=True)
                ]
            )
            for name in names
        }
        extra = {name[6:]: columns.pop(name) for name in names if name.startswith("extra:")}
        per_unit = {name[5:]: columns.pop(name) for name in names if name.startswith("unit:")}
        # Names are of no use where some jobs have numbers that the situation has no name for.
        told = {
            name: words
            for name, words in like.names.items()
            if (name in extra or name in DESCRIBING[:4])
            and (extra | columns)[name].max(initial=UNKNOWN) < len(words)
        }
        return Workload(
            name="a future",
            id=np.arange(sum(sizes)),
            extra=extra,
            per_unit=per_unit,
            names=told,
            **columns,
        )


def _missing(name: str, part: Columns, size: int) -> NDArray[Any]:
    if name == "units":
        return part["demand"]
    if name.startswith("unit:"):
        return np.full(size, 1 if name == f"unit:{CORES}" else 0)
    return np.full(size, UNKNOWN)
