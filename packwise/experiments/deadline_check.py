"""Deadline rules that contradict each other are told before the first scenario runs, not by each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from packwise.experiments.scenario import MachineSpec, Scenario, WorkloadSpec, load
from packwise.experiments.study_file.contradictions import undecided
from packwise.model.errors import InputError
from packwise.workloads.deadlines import parse_rules
from packwise.workloads.deadlines.column import Column
from packwise.workloads.deadlines.rules import DeadlineRule, with_share


def check_deadline_rules(scenarios: Iterable[Scenario]) -> None:
    """Load the workloads whose rules do not tell by themselves that they are for different jobs.

    Those that differ by shares, load or shaking are loaded once. Raises InputError for rules that are for
    the same job.
    """
    found: dict[str, tuple[WorkloadSpec, MachineSpec]] = {}
    for workload, machine in {(s.workload, s.machine): None for s in scenarios}:
        rules = parse_rules(workload.window.deadlines)
        if undecided(rules):
            found.setdefault(_eligible(workload, rules), (workload, machine))
    wrong = []
    for workload, machine in found.values():
        try:
            load(workload, machine)
        except InputError as error:
            wrong.append(f"workload '{workload.label}': {error}")
    if wrong:
        raise InputError("\n".join([*wrong, "No scenario was run."]))


def _eligible(workload: WorkloadSpec, rules: tuple[DeadlineRule, ...]) -> str:
    """What decides which jobs the rules are for: not what share of them is drawn, nor when they arrive."""
    texts = (
        rule.text if isinstance(rule, Column) else with_share(rule, Fraction(1)).text
        for rule in rules
    )
    window = replace(workload.window, factor=None, seed=None, deadlines=tuple(texts))
    return replace(workload, window=window).content
