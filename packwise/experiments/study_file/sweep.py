"""Sweeps: a table whose parameters are lists stands for all their combinations."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from packwise.experiments.scenario import Choice
from packwise.experiments.study_file.grid import Entry
from packwise.experiments.study_file.table import Item, Table, short
from packwise.model.errors import InputError

_MOST_OF_A_SWEEP = 10_000
_PLACEHOLDER = re.compile(r"\{(\w+)\}")

#: A parameter's value in a study file, checked.
Checked = Callable[[str, Item], str | int | float]
#: A choice from parameters and a label.
Make = Callable[[Mapping[str, Any], str], Choice]


def swept(
    table: Table, kind: str, name: str, given: Sequence[str], checked: Checked, make: Make
) -> list[Entry]:
    """The entries of one table: as many as its lists have combinations; none if something is wrong."""
    label = table.text("label", "")
    values = [_values(table, key, checked) for key in given]
    if not all(values):
        return []
    size = math.prod(len(each) for each in values)
    if size > _MOST_OF_A_SWEEP:
        table.wrong(
            f"the sweep of {kind} '{short(name)}' has {size:,} combinations; "
            f"{_MOST_OF_A_SWEEP:,} is the most. Shorten its lists."
        )
        return []
    entries = []
    try:
        for point in itertools.product(*values):
            parameters = dict(zip(given, point, strict=True))
            choice = make(parameters, _filled(kind, label, parameters))
            entries.append(Entry(choice, table.line()))
    except InputError as error:
        table.wrong(error, *(("label",) if str(error).startswith("label") else ("name",)))
        return []
    if label and len({entry.choice.label for entry in entries}) < len(entries):
        braces = " ".join(f"{{{key}}}" for key in given)
        several = "policies" if kind == "policy" else f"{kind}s"
        table.wrong(
            f"label '{short(label)}' does not tell the {size} {several} of the sweep apart. Use "
            f'placeholders, as in label = "{short(label)} {braces}".',
            "label",
        )
        return []
    return entries


def _values(table: Table, key: str, checked: Checked) -> list[str | int | float]:
    """The values that a parameter takes; none if one of them is wrong."""
    found: list[str | int | float] = []
    right = True
    for item in table.one_or_more(key):
        try:
            found.append(checked(key, item))
        except InputError as error:
            table.problems.add(item.line, error)
            right = False
    return found if right else []


def _filled(kind: str, label: str, parameters: Mapping[str, Any]) -> str:
    """A label with {order}, {depth}, ... replaced."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in parameters:
            known = ", ".join(f"{{{key}}}" for key in parameters) or "none: it sets no parameters"
            raise InputError(
                f"label '{short(label)}' has the placeholder {found[0]}. This {kind} has {known}."
            )
        return str(parameters[found[1]])

    return _PLACEHOLDER.sub(value, label)
