"""The deadlines of a study's workload: rules, and a sweep over the share of jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from packwise.experiments.scenario import TraceFile
from packwise.experiments.study_file.contradictions import contradiction
from packwise.experiments.study_file.table import Item, Table
from packwise.model.errors import InputError
from packwise.workloads.deadlines.column import Column
from packwise.workloads.deadlines.rules import DeadlineRule, with_share
from packwise.workloads.deadlines.text import parse_rule

KEYS = ("deadlines", "deadline_share", "impossible_deadlines")

_EXAMPLE = '["slack(queue=1)", "morning(queue=2)"]'
_SHARE = "from 0 to 1 (0.2 is 20 %)"


class Deadlines(NamedTuple):
    """The rules of a workload; what they add to its label, and the share where that is swept."""

    rules: tuple[str, ...]
    suffix: str = ""
    share: float | None = None


def read_deadlines(
    table: Table, given: Sequence[str], find: Callable[[str], TraceFile]
) -> list[Deadlines]:
    """Those of each workload that the table makes.

    ``given`` are the rules for a table that has none; ``find`` finds a file from where the study is.
    """
    rules = _rules(table, given, find)
    if "deadline_share" not in table:
        return [Deadlines(_texts(rules))]
    items = table.one_or_more("deadline_share")
    shares = [
        table.number_of("deadline_share", item, _SHARE, lambda v: 0 <= v <= 1) for item in items
    ]
    swept = [
        i for i, rule in enumerate(rules) if not isinstance(rule, Column) and rule.share is None
    ]
    if len(swept) != 1:
        remedy = " Give the others a share of their own, such as share=100%." if swept else ""
        table.wrong(
            "deadline_share needs exactly one rule that leaves its share open, as in deadlines = "
            f'"slack"; found {len(swept) or "none"}.{remedy}',
            "deadline_share",
        )
        return [Deadlines(_texts(rules))]
    alone = len(items) == 1 and "label" in table
    found = []
    for share in (share for share in shares if share is not None):
        chosen = list(rules)
        chosen[swept[0]] = with_share(rules[swept[0]], Fraction(repr(share)))
        suffix = "" if alone else f" {100 * share:g}%"
        found.append(Deadlines(_texts(chosen), suffix, share))
    return found


def _rules(
    table: Table, given: Sequence[str], find: Callable[[str], TraceFile]
) -> list[DeadlineRule]:
    found: list[DeadlineRule] = []
    lines: list[int] = []
    for item in _items(table, given):
        try:
            rule = parse_rule(item.value)
            if isinstance(rule, Column) and rule.file is not None:
                file = find(rule.file)
                rule = replace(rule, file=file.path, digest=file.digest)
        except (InputError, OSError, ValueError) as error:
            table.problems.add(item.line, str(error))
        else:
            found.append(rule)
            lines.append(item.line)
    for i, k in combinations(range(len(found)), 2):
        if problem := contradiction(found[i], found[k]):
            table.problems.add(lines[k], problem)
    return found


def _items(table: Table, given: Sequence[str]) -> list[Item]:
    if "deadlines" not in table:
        return [Item(text, table.line()) for text in given]
    if isinstance(table.values["deadlines"], list):
        return table.names("deadlines", _EXAMPLE)
    text = table.text("deadlines", None)
    return [] if text is None else [Item(text, table.line("deadlines"))]


def _texts(rules: Sequence[DeadlineRule]) -> tuple[str, ...]:
    return tuple(rule.text for rule in rules)
