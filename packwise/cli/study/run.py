"""packwise study run: do what is missing in the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options import completion
from packwise.cli.options.arguments import Json
from packwise.cli.study.options import StoreFolder, StudyFile, TraceFolders, open_study, peek, words
from packwise.cli.study.working import add_own, grouped, say_troubles, work
from packwise.cli.terminal.failures import INFEASIBLE

if TYPE_CHECKING:
    from packwise.experiments.executors.executor import Executor
    from packwise.experiments.scenario import Scenario
    from packwise.experiments.store import Store
    from packwise.experiments.study import Study


def run(
    study: StudyFile,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", "-w", metavar="N", help="Processes; all cores by default.", min=1
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="WHERE",
            help="Run on a Dask cluster: an address such as tcp://host:8786, a scheduler file, "
            "'local', or 'slurm' and 'pbs' (set up by \\[dask] in the study file).",
            show_default=False,
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            metavar="NAMES",
            help="Measure these instead of the study's; stored schedules are not replayed again.",
            show_default=False,
            autocompletion=completion.metrics,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the scenarios and estimate the time; run none.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="First compare the stored schedules with their checksums."),
    ] = False,
    store: StoreFolder = None,
    traces: TraceFolders = None,
    json: Json = False,
) -> None:
    """Run the scenarios of a study that have no result yet, on all cores.

    Stop it at any time (Ctrl-C, or worse): what is done stays done, and the next start goes on.
    A scenario that fails is kept with its traceback and tried again next time; the others go on.

    Examples:
      $ packwise study run study.toml --dry-run
      $ packwise study run study.toml
      $ packwise study run big.toml --dask tcp://scheduler:8786
      $ packwise study run studies/packing-and-fairness.toml --traces ~/logs
    """
    from packwise.cli.study.listing import print_plan
    from packwise.cli.study.stored import say_chance, say_left_out, say_machines
    from packwise.cli.tables.metrics import wanted_metrics
    from packwise.cli.terminal import note, print_json, stdout
    from packwise.experiments.deadline_check import check_deadline_rules
    from packwise.experiments.execution import make_plan
    from packwise.experiments.store import Store
    from packwise.experiments.tables.results import StudyResults

    opened = open_study(study, store, traces)
    chosen = wanted_metrics(metrics)
    if chosen is not None:
        opened = opened.replace(metrics=tuple(one.name for one in chosen))
    executor = _executor(dask, workers, opened)
    kept = peek(opened) if dry_run else Store.open(opened.store, create=True)
    if verify:
        _verify(kept, opened, dry_run)
    plan = make_plan(opened, kept)
    say_troubles(plan)
    if dry_run:
        print_plan(opened, plan, executor.workers, json=json)
        return
    check_deadline_rules(one.scenario for one in plan.planned)
    kept.clear_leftovers()
    console = stdout()
    since = time.perf_counter()
    try:
        failures = work(plan, kept, executor) if plan.planned else []
        add_own(opened, kept, needed=True)
    except KeyboardInterrupt:
        done = sum(kept.has(scenario.key) for scenario in opened.scenarios)
        note(f"{done:,} of {len(opened.scenarios):,} scenarios are done; the same command goes on")
        raise
    seconds = time.perf_counter() - since
    left = make_plan(opened, kept) if plan.planned else plan
    results = StudyResults.of(opened.of_all_jobs, left.results)
    say_left_out(results)
    say_chance(results)
    say_machines(results)
    if json:
        print_json(
            {
                "study": opened.name,
                "store": str(kept.folder),
                "scenarios": len(opened.scenarios),
                "ready_before": plan.ready,
                "ready": left.ready,
                "seconds": seconds,
                "failed": [
                    {"scenario": str(s), "key": s.key, "error": message} for s, message in failures
                ],
            }
        )
    else:
        ran = left.ready - plan.ready
        _conclude(opened, plan.ready, ran, seconds, failures)
        if left.ready:
            given = words(study, store, traces)
            console.print(f"Next: packwise study table {given}", markup=False, soft_wrap=True)
            console.print(
                f"      packwise report {given} --output report.html", markup=False, soft_wrap=True
            )
    if failures:
        raise typer.Exit(INFEASIBLE)


def _executor(dask: str | None, workers: int | None, study: Study) -> Executor:
    if dask is not None:
        from packwise.cli.terminal import meanwhile
        from packwise.experiments.executors.dask_executor import DaskExecutor

        return DaskExecutor(dask, study.dask, workers, notice=meanwhile)
    from packwise.experiments.executors.processes import ProcessExecutor

    return ProcessExecutor(workers)


def _verify(store: Store, study: Study, dry_run: bool) -> None:
    """Compare stored schedules with their checksums; those that differ are made anew."""
    from packwise.cli.terminal import note
    from packwise.model.errors import InputError

    check = store.checked_schedule if dry_run else store.schedule
    for scenario in study.scenarios:
        if store.has(scenario.key):
            try:
                check(scenario.key)
            except InputError as error:
                note(f"warning: {error}")


def _conclude(
    study: Study, before: int, ran: int, seconds: float, failures: list[tuple[Scenario, str]]
) -> None:
    from packwise.cli.terminal import stderr, stdout
    from packwise.readable import duration

    facts = [f"{len(study.scenarios):,} scenario{'' if len(study.scenarios) == 1 else 's'}"]
    facts += [f"{before:,} were in the store"] if before else []
    facts += [f"{ran:,} run in {duration(round(seconds, 1))}"] if ran or not before else []
    facts += [f"{len(failures):,} failed"] if failures else []
    stdout().print(f"{', '.join(facts)}. Store: {study.store}", markup=False, soft_wrap=True)
    for line in grouped(failures):
        stderr().print(line, style="red", markup=False, soft_wrap=True)
    if failures:
        where = study.store / "failures"
        stderr().print(f"Tracebacks are in {where}", style="dim", markup=False, soft_wrap=True)
