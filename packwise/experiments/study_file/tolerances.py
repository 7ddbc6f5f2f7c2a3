"""The tolerances of a study file: how near a published value ours should be."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from packwise.experiments.study import Tolerance
from packwise.experiments.study_file.table import Item, Table, short
from packwise.model.errors import UnknownName

_LIMITS = ("points", "share", "value")
_AXES = ("workload", "policy", "estimate", "metric")


def read_tolerances(
    study: Table, labels: Mapping[str, Sequence[str]], elsewhere: Mapping[str, str], complete: bool
) -> tuple[Tolerance, ...]:
    """``[published]`` for all cells, then each ``[[published.tolerance]]`` for those it names.

    Patterns should match a label of the study; that is checked where the study is ``complete``.
    """
    table = study.table("published")
    if table is None:
        return ()
    table.refuse_unknown((*_LIMITS, "tolerance"), elsewhere)
    general = replace(Tolerance(), **_limits(table, Tolerance()))
    found = [general]
    for part in table.tables("tolerance"):
        part.refuse_unknown((*_LIMITS, "reason", *_AXES), elsewhere)
        limits = _limits(part, general)
        reason = part.text("reason", "")
        if not set(_LIMITS) & set(part.values):
            part.wrong(
                "a [[published.tolerance]] needs points, value or share, as in share = 0.15."
            )
        axes = [_patterns(part, axis, labels[axis], complete) for axis in _AXES]
        for workload, policy, estimate, metric in itertools.product(*axes):
            named = Tolerance(
                workload=workload, policy=policy, estimate=estimate, metric=metric, reason=reason
            )
            found.append(replace(named, **limits))
    return tuple(found)


def _limits(table: Table, default: Tolerance) -> dict[str, Any]:
    limits = {
        key: table.number(key, getattr(default, key), "of 0 or more", lambda v: v >= 0)
        for key in ("points", "value")
    }
    limits["share"] = table.number(
        "share", default.share, "from 0 to 1", lambda v: 0 <= v <= 1, "For 15 % write 0.15."
    )
    return limits


def _patterns(table: Table, axis: str, labels: Sequence[str], complete: bool) -> list[str]:
    """The patterns for an axis, those without * and ? spelled as the study spells the label."""
    if axis not in table:
        return ["*"]
    found = []
    for item in table.patterns(axis):
        found.append(_spelled(item, labels))
        if complete and found[-1] is None:
            unknown = UnknownName(axis, short(item.value), labels)
            table.problems.add(item.line, f"the tolerance is for no {axis} of the study: {unknown}")
    return [pattern for pattern in found if pattern is not None]


def _spelled(item: Item, labels: Sequence[str]) -> str | None:
    pattern = str(item.value)
    for label in labels:
        if label.lower() == pattern.lower():
            return label
    matches = any(fnmatchcase(label, pattern) for label in labels)
    return pattern if matches else None
