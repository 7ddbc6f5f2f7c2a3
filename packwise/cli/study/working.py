"""Doing a plan behind a progress bar, and saying what was found on the way."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.experiments.execution import Plan
    from packwise.experiments.executors.executor import Executor
    from packwise.experiments.scenario import Scenario
    from packwise.experiments.store import Store
    from packwise.experiments.study import Study

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
    """What failed: an example for each policy and kind of error, and how many more there are."""
    from packwise.cli.terminal import printable

    found: dict[tuple[str, str], list[str]] = {}
    for scenario, message in failures:
        kind = (scenario.policy.label, message.partition(":")[0])
        line = f"failed: {scenario}: {message}"
        found.setdefault(kind, []).append(printable(" ".join(line.split())))
    lines = []
    for (policy, error), each in list(found.items())[:_LISTED]:
        lines.append(each[0])
        if len(each) > 1:
            lines.append(printable(f"  and {len(each) - 1:,} more of {policy}: {error}"))
    if len(found) > _LISTED:
        lines.append(f"and {len(found) - _LISTED:,} more kinds of failures")
    return lines


def failure_text(record: dict[str, Any]) -> str:
    """'OverAllocation: ...' from the record of a failure."""
    return f"{record.get('error')}: {record.get('message')}"


def work(plan: Plan, store: Store, executor: Executor) -> list[tuple[Scenario, str]]:
    """Run the plan behind a progress bar; what failed, and why."""
    from packwise.cli.study.progress import scenario_bar
    from packwise.experiments.execution import run_plan
    from packwise.experiments.work import Done, Failed

    failures = []
    with scenario_bar(plan, lambda: executor.workers) as watch:

        def report(scenario: Scenario, result: Done | Failed) -> None:
            if isinstance(result, Failed):
                failures.append((scenario, failure_text(result.record)))
            watch.ends(scenario, result)

        run_plan(plan, store, executor, report, watch.begins)
    return failures


def add_own(
    study: Study, store: Store, wanted: Iterable[str] | None = None, *, needed: bool = False
) -> None:
    """Measure the user's own among the ``wanted`` metrics, or among the study's, where results lack them.

    A store that cannot be written to is an error if that is ``needed``; otherwise it is said.
    """
    from packwise.cli.terminal import note, stderr
    from packwise.experiments.own_metrics import measure_own
    from packwise.model.errors import OutputError

    console = stderr()
    shown = console.status("Measuring") if console.is_interactive else nullcontext()
    try:
        with shown:
            measure_own(study, store, study.metrics if wanted is None else wanted)
    except OutputError as error:
        if needed:
            raise
        note(f"warning: metrics of your own are not measured: {error}")
