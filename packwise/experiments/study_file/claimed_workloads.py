"""Which workloads a claim is about: all, ``only`` some, or all ``except`` some."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from packwise.experiments.study_file.grid import Copies
from packwise.experiments.study_file.table import Item, Table, short
from packwise.model.errors import UnknownName


def claimed_workloads(table: Table, workloads: Sequence[Copies]) -> tuple[str, ...]:
    """The labels, in the order of the study."""
    chosen = [copies.label for copies in workloads]
    if "only" in table:
        named = named_workloads(table, "only", workloads)
        chosen = [label for label in chosen if label in named]
    if "except" in table:
        named = named_workloads(table, "except", workloads)
        left = [label for label in chosen if label not in named]
        if chosen and named and not left:
            table.wrong(
                "except leaves no workload for the claim. Name fewer, or remove it.", "except"
            )
        chosen = left
    return tuple(chosen)


def named_workloads(table: Table, key: str, workloads: Sequence[Copies]) -> dict[str, None]:
    """The labels of the workloads that a key names, in the order of the study.

    A name is a label, or what the label is without what sweeps add to it, or a pattern of * and ?.
    """
    found: set[str] = set()
    for item in table.patterns(key):
        matching = {copies.label for copies in workloads if _is_called(copies, item)}
        if not matching:
            matching = {copies.label for copies in workloads if _matches(copies, item)}
        if not matching:
            known = dict.fromkeys(name for copies in workloads for name in _names(copies))
            unknown = UnknownName("workload", short(item.value), known)
            table.problems.add(item.line, f"{key} should name workloads of the study: {unknown}")
        found |= matching
    return {copies.label: None for copies in workloads if copies.label in found}


def _names(copies: Copies) -> tuple[str, ...]:
    series = copies.swept.series if copies.swept else copies.family
    return (copies.label, series, copies.family)


def _is_called(copies: Copies, item: Item) -> bool:
    return item.value.strip().lower() in (name.lower() for name in _names(copies))


def _matches(copies: Copies, item: Item) -> bool:
    pattern = item.value.strip().lower().replace("[", "[[]")
    return any(fnmatchcase(name.lower(), pattern) for name in _names(copies))
