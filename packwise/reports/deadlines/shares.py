"""Which workloads of a study are one workload with several shares of jobs with a deadline."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import takewhile

from packwise.experiments.scenario import MachineSpec, Scenario, WorkloadSpec
from packwise.reports.material import DeadlineShare
from packwise.workloads.deadlines.column import Column
from packwise.workloads.deadlines.rules import DeadlineRule
from packwise.workloads.deadlines.text import parse_rules


def deadline_shares(scenarios: Iterable[Scenario]) -> dict[str, DeadlineShare]:
    """By label of the workload. Without a sweep a workload has no share.

    The labels say it, too, but a study may call its workloads anything: what counts is that nothing but
    the share of one rule differs.
    """
    specs: dict[str, WorkloadSpec] = {}
    machines: dict[str, dict[MachineSpec, None]] = {}
    for scenario in scenarios:
        specs.setdefault(scenario.workload.label, scenario.workload)
        machines.setdefault(scenario.workload.label, {})[scenario.machine] = None
    groups: dict[Hashable, dict[str, tuple[DeadlineRule, ...]]] = {}
    for label, spec in specs.items():
        if rules := parse_rules(spec.window.deadlines):
            rest = tuple(_without_share(rule) for rule in rules)
            window = replace(spec.window, deadlines=(), seed=None)
            key = (spec.source, window, rest, tuple(machines[label]))
            groups.setdefault(key, {})[label] = rules
    found: dict[str, DeadlineShare] = {}
    for group in groups.values():
        found |= _of_group(group)
    return found


def _of_group(group: dict[str, tuple[DeadlineRule, ...]]) -> dict[str, DeadlineShare]:
    shares = {label: [_share(rule) for rule in rules] for label, rules in group.items()}
    columns = list(zip(*shares.values(), strict=True))
    swept = [k for k, column in enumerate(columns) if len(set(column)) > 1]
    if len(swept) != 1:
        return {}
    rules = next(iter(group.values()))
    rule = rules[swept[0]]
    of_all = len(rules) == 1 and not (isinstance(rule, Column) or rule.queues or rule.users)
    percents = {label: float(100 * row[swept[0]]) for label, row in shares.items()}
    base = _base(percents)
    return {label: DeadlineShare(base, percent, of_all) for label, percent in percents.items()}


def _base(percents: dict[str, float]) -> str:
    """What the labels have in common; the study file ends them in the share."""
    plain = [label.removesuffix(f" {percent:g}%") for label, percent in percents.items()]
    words = takewhile(lambda same: len(set(same)) == 1, zip(*map(str.split, plain), strict=False))
    return " ".join(same[0] for same in words) or plain[0]


def _share(rule: DeadlineRule) -> Fraction:
    return Fraction(1) if isinstance(rule, Column) or rule.share is None else rule.share


def _without_share(rule: DeadlineRule) -> DeadlineRule:
    return rule if isinstance(rule, Column) else replace(rule, share=None)
