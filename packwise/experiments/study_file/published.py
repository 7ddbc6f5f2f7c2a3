"""What a study file says of a published table: when a cell agrees, and which are known not to."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from packwise.experiments.study import Cells, PublishedRules, Tolerance
from packwise.experiments.study_file.table import Item, Table, short
from packwise.model.errors import UnknownName

_LIMITS = ("points", "share", "value")
_AXES = ("workload", "policy", "estimate", "metric")
_MOST_DECIMALS = 12


def read_published_rules(
    study: Table, labels: Mapping[str, Sequence[str]], elsewhere: Mapping[str, str], complete: bool
) -> PublishedRules:
    """``[published]`` for all cells, then each ``[[published.tolerance]]`` and ``[[published.explained]]`` for
    those that it names.

    Patterns should match a label of the study; that is checked where the study is ``complete``.
    """
    table = study.table("published")
    if table is None:
        return PublishedRules()
    table.refuse_unknown((*_LIMITS, "rounded", "tolerance", "explained"), elsewhere)
    everywhere = bool(set(_LIMITS) & set(table.values))
    general = replace(Tolerance(), **_limits(table, Tolerance()))
    rounded = tuple(table.wholes("rounded", least=0, most=_MOST_DECIMALS))
    if rounded and everywhere:
        table.wrong("rounded goes without points, share and value: give one or the other.")
    tolerances = [general] if everywhere else []
    for part in table.tables("tolerance"):
        part.refuse_unknown((*_LIMITS, "reason", *_AXES), elsewhere)
        if not set(_LIMITS) & set(part.values):
            part.wrong(
                "a [[published.tolerance]] needs points, value or share, as in share = 0.15."
            )
        limits = _limits(part, general)
        found = _cells(part, labels, complete)
        tolerances += [replace(Tolerance(**limits), **vars(cells)) for cells in found]
    explained = []
    for part in table.tables("explained"):
        part.refuse_unknown(("reason", *_AXES), elsewhere)
        if not part.text("reason", ""):
            part.wrong('a [[published.explained]] needs a reason, as in reason = "a misprint".')
        explained += _cells(part, labels, complete)
    return PublishedRules(rounded, tuple(tolerances), tuple(explained))


def _cells(part: Table, labels: Mapping[str, Sequence[str]], complete: bool) -> list[Cells]:
    """The patterns of a table, one combination each, with its reason."""
    axes = [_patterns(part, axis, labels[axis], complete) for axis in _AXES]
    reason = part.text("reason", "")
    return [
        Cells(**dict(zip(_AXES, found, strict=True)), reason=reason)
        for found in itertools.product(*axes)
    ]


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
            table.problems.add(item.line, f"this is for no {axis} of the study: {unknown}")
    return [pattern for pattern in found if pattern is not None]


def _spelled(item: Item, labels: Sequence[str]) -> str | None:
    pattern = str(item.value)
    for label in labels:
        if label.lower() == pattern.lower():
            return label
    matches = any(fnmatchcase(label, pattern) for label in labels)
    return pattern if matches else None
