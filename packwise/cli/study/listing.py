"""packwise study list: the scenarios of a study and where each stands; and the dry run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.study.options import StoreFolder, StudyFile, TraceFolders, open_study, peek
from packwise.cli.study.working import failure_text, grouped

if TYPE_CHECKING:
    from packwise.experiments.execution import Plan
    from packwise.experiments.study import Study

_ROWS = 200
#: To start workers and load the engine.
_START_SECONDS = 3


def list_scenarios(
    study: StudyFile,
    all_rows: Annotated[
        bool, typer.Option("--all", help="List every scenario, however many.")
    ] = False,
    store: StoreFolder = None,
    traces: TraceFolders = None,
    json: Json = False,
) -> None:
    """List the scenarios of a study: done, failed (and why), or still to do.

    Example:
      $ packwise study list study.toml
    """
    from packwise.cli.terminal import print_json, stdout, table
    from packwise.experiments.execution import make_plan
    from packwise.experiments.tables.tabulation import CHANCE, CHANCE_WORDS

    opened = open_study(study, store, traces)
    kept = peek(opened)
    plan = make_plan(opened, kept)
    todo = {one.scenario.key for one in plan.planned}
    failures = {key: found for key in todo if (found := kept.failure(key)) is not None}
    states = {
        key: "failed" if key in failures else "to do" if key in todo else "done"
        for key in (scenario.key for scenario in opened.scenarios)
    }
    same_again = dict(plan.results.select("key", "reproducible").iter_rows())
    if json:
        rows = [
            {
                **s.labels._asdict(),
                "key": s.key,
                "state": states[s.key],
                "reproducible": same_again.get(s.key),
            }
            for s in opened.scenarios
        ]
        print_json({"study": opened.name, "store": str(kept.folder), "scenarios": rows})
        return
    shown = table("workload", "machine", "estimate", "policy", "replica", "state", "key")
    rows_shown = opened.scenarios if all_rows else opened.scenarios[:_ROWS]
    colours = {"done": "green", "failed": "red", "to do": "dim"}
    from rich.text import Text

    from packwise.cli.terminal import plain, printable

    for scenario in rows_shown:
        labels, state = scenario.labels, states[scenario.key]
        words = (labels.workload, labels.machine, labels.estimate, labels.policy)
        replica = str(labels.replica) if labels.replica else ""
        cells = [plain(word) for word in (*words, replica)]
        chance = f" {CHANCE}" if same_again.get(scenario.key) is False else ""
        shown.add_row(*cells, Text(state + chance, colours[state]), Text(scenario.key[:12], "dim"))
    console = stdout()
    console.print(shown)
    if len(rows_shown) < len(opened.scenarios):
        hidden = len(opened.scenarios) - len(rows_shown)
        console.print(f"{hidden:,} more: --all lists them", style="dim")
    counts = [sum(state == one for state in states.values()) for one in ("done", "failed", "to do")]
    if any(same_again.get(scenario.key) is False for scenario in rows_shown):
        console.print(CHANCE_WORDS, style="dim", soft_wrap=True)
    console.print(
        f"{counts[0]:,} done, {counts[1]:,} failed, {counts[2]:,} to do. Store: {kept.folder}",
        markup=False,
        soft_wrap=True,
    )
    failed = [(s, failure_text(failures[s.key])) for s in opened.scenarios if s.key in failures]
    lines = [f"failed: {s}: {text}" for s, text in failed] if all_rows else grouped(failed)
    for line in lines:
        console.print(printable(line), markup=False, soft_wrap=True)


def print_plan(study: Study, plan: Plan, workers: int, *, json: bool) -> None:
    """What a run would do, and about how long it would take."""
    from packwise.cli.terminal import print_json, stdout, table
    from packwise.readable import duration

    seconds = plan.seconds / max(workers, 1) + (_START_SECONDS if plan.planned else 0)
    if json:
        print_json(
            {
                "study": study.name,
                "store": str(study.store),
                "scenarios": len(study.scenarios),
                "ready": plan.ready,
                "to_run": [
                    {
                        **one.scenario.labels._asdict(),
                        "seconds": one.seconds,
                        "key": one.scenario.key,
                    }
                    for one in plan.planned
                ],
                "workers": workers,
                "estimated_seconds": seconds,
            }
        )
        return
    from packwise.cli.terminal import plain

    console = stdout()
    shown = table("workload", "machine", "estimate", "policy", "replica", "about", right=("about",))
    for one in plan.planned[:_ROWS]:
        labels = one.scenario.labels
        words = (labels.workload, labels.machine, labels.estimate, labels.policy)
        replica = str(labels.replica) if labels.replica else ""
        shown.add_row(*(plain(word) for word in (*words, replica)), _about(one.seconds))
    if plan.planned:
        console.print(shown)
    if len(plan.planned) > _ROWS:
        console.print(f"{len(plan.planned) - _ROWS:,} more: --json has all", style="dim")
    console.print(
        f"{len(study.scenarios):,} scenarios: {plan.ready:,} in the store, {len(plan.planned):,} to "
        f"run, about {duration(round(seconds, 1))} on {workers} worker{'s' if workers != 1 else ''} "
        f"(a rough guess). Store: {study.store}",
        markup=False,
        soft_wrap=True,
    )


def _about(seconds: float) -> str:
    from packwise.readable import duration

    return "< 1 s" if seconds < 1 else duration(round(seconds))
