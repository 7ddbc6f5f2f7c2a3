"""packwise plan: a log planned off line for profit, or for energy against waiting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options.arguments import (
    ClusterName,
    Json,
    Procs,
    ShiftTo,
    TraceName,
    UnitCores,
)
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packwise.model.cluster import Cluster
    from packwise.model.energy.scenario import EnergyScenario
    from packwise.model.schedule import Schedule
    from packwise.model.workload import Workload
    from packwise.optimise.offline import Budget
    from packwise.planning import PlannedAtOnce, PlannedLog
    from packwise.workloads.window import Window

_RESULTS = "Results"
#: Seconds for the bound of --whole.
_BOUND_SECONDS = 3.0


@with_window
def plan(
    trace: TraceName,
    window: Window,
    scenario: Annotated[
        str,
        typer.Option(
            "--scenario",
            "-s",
            metavar="NAME",
            help="What power costs and jobs pay: a scenario that comes with Packwise, or a file (site.toml).",
        ),
    ] = "summer-air",
    shift_to: ShiftTo = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            metavar="NAMES",
            help="Ways to plan, separated by commas: rule-est, rule-wt, rule-profit (each also with -strict), "
            "heuristic, multi, delay, relaxation, cp, ours; or 'all' but cp. The others are compared with "
            "the first.",
        ),
    ] = "rule-est,multi,ours",
    budget: Annotated[
        str,
        typer.Option(
            "--budget",
            metavar="TIME|N",
            help="For methods that search (delay, relaxation, cp, ours): the time of each day's plan, or of "
            "the whole one, after MultiSearch, such as 2s; or a number of evaluations such as 1e4, which "
            "gives the same plan each time.",
        ),
    ] = "1s",
    whole: Annotated[
        bool,
        typer.Option(
            "--whole",
            help="Plan the log at once, for the least cost of energy and waiting, instead of each day for its "
            "profit; shows a bound that no plan can beat.",
        ),
    ] = False,
    value: Annotated[
        float | None,
        typer.Option(
            "--value",
            metavar="V",
            min=0.0,
            help="With --whole: an hour of waiting costs V times what a job's energy costs in an hour. "
            "0.3 if not told.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the random numbers.")] = 0,
    procs: Procs = None,
    cluster: ClusterName = None,
    unit_cores: UnitCores = "1",
    json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the schedule of the last method: .swf, .swf.gz, .csv or .parquet. Replaces an existing "
            "file.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Draw profit over time (not with --whole): .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Plan off line for profit: each day's jobs are known at midnight, run times too.

    Revenue less energy and its cooling, by the methods of a paper on profit and
    cooling and by a search of our own. Shows what a better plan could earn; jobs
    that find no place on a day are planned again on the next.

    Examples:
      $ packwise plan log.swf.gz --scenario summer-air
      $ packwise plan log.swf --method rule-est,multi,delay,ours --budget 2s --plot profit.png
      $ packwise plan log.swf --cluster site.toml --unit-cores node --method multi --output plan.csv
      $ packwise plan log.swf --count 600 --whole --scenario market --value 0.3 --budget 10s
    """
    from packwise.cli.options.destination import PICTURES, SCHEDULES, Output, check_destinations
    from packwise.cli.options.energy import chosen_energy
    from packwise.cli.options.trace import load_trace
    from packwise.cli.remarks.losses import note_losses
    from packwise.cli.tables.plan import plan_json, plan_values, print_plans
    from packwise.cli.terminal import note, print_json
    from packwise.model.errors import InputError
    from packwise.optimise.offline import Budget
    from packwise.planning import check_profit
    from packwise.warm_up.needs import PROFIT, PROFIT_ON_NODES

    names = _names(method)
    _check_solver(names)
    allowed = Budget.parse(budget)
    if value is not None and not whole:
        raise InputError(
            "--value is for --whole: a day's profit does not count waiting. Drop it, or add it."
        )
    if plot is not None and whole:
        raise InputError(
            "--plot draws profit over days, which --whole does not plan. Drop one of them."
        )
    power = chosen_energy(scenario, shift_to)
    assert power is not None
    if not whole:
        check_profit(power.scenario)
    check_destinations(Output(output, SCHEDULES), Output(plot, PICTURES))
    loaded = load_trace(
        trace,
        procs,
        window,
        cluster,
        unit_cores,
        besides=PROFIT if cluster is None else PROFIT_ON_NODES,
    )
    machine = power.on(loaded.workload, loaded.cluster)
    jobs = _that_fit(loaded.workload, machine)
    if jobs.deadline is not None:
        note("deadlines are not looked at here: all jobs count by what they pay and draw.")
    found: Sequence[PlannedLog | PlannedAtOnce]
    bound = None
    if whole:
        found, bound = _at_once(
            jobs, machine, names, allowed, 0.3 if value is None else value, seed
        )
    else:
        found = _by_day(jobs, machine, names, allowed, seed)
    values = [plan_values(one) for one in found]  # first of all: an account may be refused
    written = output if found[-1].schedule.ran.all() else None
    if written is not None:
        _write(written, jobs, machine, found[-1].schedule, found[-1].method, window)
        note_losses(written, jobs)
    if plot is not None:
        _draw(plot, jobs, found)
    if json:
        print_json(plan_json(found, values, bound, budget, seed))
    else:
        remarks = [*loaded.remarks(), *window.words(), *power.words(jobs), *power.notes]
        print_plans(found, values, bound, [*remarks, *_not_counted(power.scenario, whole)])
        for path in filter(None, (written, plot)):
            print(f"Wrote {path}")
    if written != output:
        raise InputError(f"{found[-1].method} has found no plan, so {output} was not written.")


def _names(text: str) -> list[str]:
    """The methods of --method, each once."""
    from packwise.model.errors import InputError
    from packwise.planning import check_method, method_names

    if text.strip().lower() == "all":
        return [name for name in method_names() if name != "cp"]
    names = [check_method(name) for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("--method: expected a name, such as multi, found none.")
    return list(dict.fromkeys(names))


def _check_solver(names: list[str]) -> None:
    """Say so at once if a method needs OR-Tools, which is not there."""
    if {"relaxation", "cp"} & set(names):
        from packwise.optimise.cp.library import cp_sat

        cp_sat()


def _not_counted(scenario: EnergyScenario, whole: bool) -> list[str]:
    """What of a scenario plans do not look at."""
    found = []
    if scenario.cap is not None:
        found.append(
            "the power cap is not looked at here; `packwise energy` tells the time above it"
        )
    if scenario.sleep is not None:
        found.append("plans take idle cores to be awake; the account lets them sleep")
    if whole and scenario.idle_watts:
        found.append(
            "what idle cores draw is counted until a day after the last job could end, in all plans alike"
        )
    return found


def _that_fit(workload: Workload, cluster: Cluster) -> Workload:
    """The jobs that the machine has room for."""
    from packwise.cli.tables.energy import jobs_words
    from packwise.cli.terminal import note
    from packwise.model.demands import misfits
    from packwise.model.errors import InputError

    too_large, reason = misfits(workload, cluster)
    if too_large.all():
        raise InputError(f"none of the {len(workload):,} jobs can ever run: {reason}.")
    if too_large.any():
        note(f"left out, as they can never run: {jobs_words(int(too_large.sum()))}. {reason}.")
        return workload.select(~too_large)
    return workload


def _by_day(
    jobs: Workload, cluster: Cluster, names: list[str], budget: Budget, seed: int
) -> list[PlannedLog]:
    from packwise.cli.terminal.progress import job_bar
    from packwise.planning import plan_log

    found = []
    for name in names:
        with job_bar(name, len(jobs)) as progress:
            found.append(plan_log(jobs, cluster, name, budget, seed=seed, progress=progress))
    return found


def _at_once(
    jobs: Workload, cluster: Cluster, names: list[str], budget: Budget, value: float, seed: int
) -> tuple[list[PlannedAtOnce], float | None]:
    from packwise.cli.terminal import stderr
    from packwise.planning import bound_at_once, plan_at_once

    found = []
    for name in names:
        with stderr().status(f"Planning: {name}"):
            found.append(plan_at_once(jobs, cluster, name, budget, value=value, seed=seed))
    best = min(found, key=lambda one: one.cost)
    if not best.schedule.ran.all():
        return found, None
    with stderr().status("How little could it cost?"):
        return found, bound_at_once(jobs, cluster, best.schedule, _BOUND_SECONDS, value=value)


def _write(
    output: Path, jobs: Workload, cluster: Cluster, schedule: Schedule, method: str, window: Window
) -> None:
    from packwise import __version__
    from packwise.workloads.schedule_files import write_schedule

    told = [f"planned off line by Packwise {__version__}: method {method}", *window.words()]
    write_schedule(output, jobs, cluster, schedule, note=told)


def _draw(path: Path, jobs: Workload, found: Sequence[PlannedLog | PlannedAtOnce]) -> None:
    from packwise.metrics.energy.account import account
    from packwise.metrics.energy.profit import profit_curve
    from packwise.pictures.profit import plot_profit

    accounts = {one.method: account(jobs, one.cluster, one.schedule) for one in found}
    scenario = next(iter(accounts.values())).scenario
    plot_profit(
        f"{jobs.name}:  {len(jobs):,} jobs planned off line, energy scenario {scenario.name}",
        {name: profit_curve(each) for name, each in accounts.items()},
        scenario.currency,
        int(jobs.submit.max()),
        path,
    )
