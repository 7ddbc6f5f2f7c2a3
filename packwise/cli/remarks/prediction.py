"""What falls away from a predictor when a log does not tell users, applications or names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.workload import Workload
    from packwise.predict import Predictor

_USER, _APP, _NAME = "user", "application", "job name"
#: What each predictor wants to know of a job besides its limit and processors.
_WANTED = {
    "last2": (_USER,),
    "cvh": (_USER,),
    "knn": (_USER, _APP),
    "gbm": (_USER,),
    "ceiling": (_USER, _APP),
    "hierarchy": (_APP, _USER),
    "sp": (_APP, _USER),
    "data-driven": (_USER, _NAME, _APP),
}


def prediction_remarks(workload: Workload, predictors: Iterable[Predictor]) -> list[str]:
    """One line for each built-in predictor that knows less of these jobs than it could use."""
    missing = _missing(workload)
    lines = []
    for one in predictors:
        base = str(getattr(one, "base_name", one.name))
        base = "sp" if base.startswith("sp-") else base
        gone = [column for column in _WANTED.get(base, ()) if column in missing]
        if base == "data-driven" and _NAME not in gone and _APP in gone:
            gone.remove(_APP)  # it stands in for names where there are none
        if gone:
            which = f"{_listed(gone)} {'is' if len(gone) == 1 else 'are'} unknown in all jobs"
            lines.append(f"{one.name}: {which}, so {_listed(_losses(base, gone))}")
    return lines


def _missing(workload: Workload) -> set[str]:
    from packwise.model.workload import UNKNOWN

    names = workload.job_names()
    unknown = {
        _USER: (workload.user == UNKNOWN).all(),
        _APP: (workload.app == UNKNOWN).all(),
        _NAME: names is None or not any(names),
    }
    return {column for column, all_of_it in unknown.items() if all_of_it}


def _losses(base: str, gone: list[str]) -> list[str]:
    if base in ("hierarchy", "sp"):
        left = [column for column in (_APP, _USER, "limit", "processors") if column not in gone]
        if base == "sp":
            return [f"like jobs are those of equal {_listed(left)}"]
        # Templates are the non-empty subsets of four columns. Those that differ only in an unknown column
        # are the same, and one of unknown columns alone holds all jobs: the empty subset counts too.
        return [f"{2 ** len(left)} of 15 templates remain distinct, the last one of all jobs"]
    losses = ["all count as one user's"] if _USER in gone else []
    if _APP in gone and base == "ceiling":
        losses.append("the first two templates are the same")
    if _APP in gone and base == "knn":
        losses.append("applications add nothing to the distance")
    if _NAME in gone:  # rules 1, 3 and 5 do with the application instead, 1 and 3 with nothing
        losses.append(f"{2 if _APP in gone else 3} of 6 rules remain")
    return losses


def _listed(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
