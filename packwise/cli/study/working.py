"""Doing a plan behind a progress bar, and saying what was found on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.experiments.execution import Plan
    from packwise.experiments.executor import Executor
    from packwise.experiments.scenario import Scenario
    from packwise.experiments.store import Store

_LISTED = 20


def say_troubles(plan: Plan) -> None:
    from packwise.cli.terminal import note

    for trouble in plan.troubles[:_LISTED]:
        note(f"warning: {trouble}")
    if len(plan.troubles) > _LISTED:
        note(
            f"warning: and {len(plan.troubles) - _LISTED} more files that are not as they should be"
        )


def grouped(failures: list[tuple[Scenario, str]]) -> list[str]:
    """What failed, one line for each reason; `packwise study list` tells which are which."""
    from packwise.cli.terminal import printable

    found: dict[str, list[Scenario]] = {}
    for scenario, message in failures:
        found.setdefault(printable(" ".join(message.split())), []).append(scenario)
    lines = []
    for message, scenarios in list(found.items())[:_LISTED]:
        others = f" and {len(scenarios) - 1:,} more" if len(scenarios) > 1 else ""
        lines.append(f"failed: {scenarios[0]}{others}: {message}")
    if len(found) > _LISTED:
        lines.append(
            f"and {len(found) - _LISTED:,} more reasons: `packwise study list` has them all"
        )
    return lines


def work(plan: Plan, store: Store, executor: Executor) -> list[tuple[Scenario, str]]:
    """Run the plan behind a progress bar; what failed, and why."""
    from packwise.cli.study.progress import scenario_bar
    from packwise.experiments.execution import run_plan
    from packwise.experiments.work import Done, Failed

    failures = []
    with scenario_bar(plan) as advance:

        def report(scenario: Scenario, result: Done | Failed) -> None:
            if isinstance(result, Failed):
                record = result.record
                failures.append((scenario, f"{record['error']}: {record['message']}"))
            advance(scenario)

        run_plan(plan, store, executor, report)
    return failures
