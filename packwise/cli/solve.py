"""packwise solve: the best schedule of a whole log, with all jobs known in advance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options.arguments import Json, Procs, TraceName
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from packwise.model.cluster import Cluster
    from packwise.model.schedule import Schedule
    from packwise.model.workload import Ints, Workload
    from packwise.optimise.offline import Log, Progress, Solved
    from packwise.workloads.window import Window

_RESULTS = "Results"


@with_window
def solve(
    trace: TraceName,
    window: Window,
    objective: Annotated[
        str,
        typer.Option("--objective", metavar="METRIC", help="AF, AWF, BSLD, P2SF or another level."),
    ] = "AWF",
    budget: Annotated[
        str,
        typer.Option(
            "--budget",
            metavar="TIME|N",
            help="Time such as 60s, 10m or 2h, or a number of evaluations such as 1e6, which gives the "
            "same result each time. The first schedules and the bound are part of it.",
        ),
    ] = "60s",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the random numbers.")] = 0,
    cp: Annotated[
        float,
        typer.Option(
            "--cp",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="The share of the time for CP-SAT (pip install 'packwise\\[cp]'); not for P2SF.",
        ),
    ] = 0.0,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="FILE",
            help="Go on from a schedule of the same jobs, such as --output wrote.",
            show_default=False,
        ),
    ] = None,
    procs: Procs = None,
    json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the schedule: .swf, .swf.gz, .csv or .parquet. Replaces an existing file.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Draw what was reached when: .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Find the best schedule off-line: all jobs and run times are known in advance.

    It shows how much a policy, which cannot see the future, leaves to gain, and
    a bound that no schedule can beat. Ctrl-C stops early and keeps the best.

    Examples:
      $ packwise solve log.swf.gz --objective AF --budget 60s
      $ packwise solve kth-sp2 --objective BSLD --budget 10m --output plan.csv --plot plan.png
      $ packwise solve log.swf --objective AWF --budget 1h --resume plan.csv --output plan.csv
      $ packwise solve log.swf --objective P2SF --from 30d --until 60d --budget 1e6 --json
    """
    from packwise.cli.off_line_seeds import LISTS, off_line_seeds, seeding
    from packwise.cli.options.destination import PICTURES, SCHEDULES, Output, check_destinations
    from packwise.cli.options.trace import load_trace
    from packwise.cli.remarks.losses import note_losses
    from packwise.cli.tables.solution import print_solution, solution_json
    from packwise.cli.terminal import note, print_json
    from packwise.cli.terminal.failures import INTERRUPTED
    from packwise.files.inputs import allow_update
    from packwise.optimise.offline import Budget
    from packwise.optimise.offline import solve as solved
    from packwise.warm_up.crew import ready
    from packwise.warm_up.needs import SOLVING

    allowed = Budget.parse(budget)
    metric = _metric(objective)
    check_destinations(Output(output, SCHEDULES), Output(plot, PICTURES))
    loaded = load_trace(trace, procs, window, replays=seeding(metric), besides=SOLVING)
    jobs = loaded.workload.select(loaded.workload.demand <= loaded.cluster.procs)
    if jobs.deadline is not None:
        note("deadlines are not looked at here: all jobs count alike in the objective.")
    log = _log(jobs, loaded.cluster, metric)
    seeds = {}
    if resume is not None:
        # It may be --output, too: replaced in one step, by a schedule that is no worse.
        allow_update(resume)
        seeds[str(resume)] = _resumed(resume, jobs, loaded.cluster)
    known, spent = off_line_seeds(jobs.replace(deadline=None), loaded.cluster, metric, allowed)
    seeds |= known
    ready(SOLVING)
    with _status_line(metric, log.value(seeds[LISTS[0]])) as progress:
        found = solved(log, allowed, seeds, seed=seed, cp=cp, spent=spent, progress=progress)
    if resume is not None and found.seed != str(resume):
        was, best = found.seeds[str(resume)], found.seeds[found.seed]
        note(
            f"{resume} has {metric} {was:,.6g}, {found.seed} {best:,.6g}: the search began with the latter."
        )
    schedule = _checked(jobs, loaded.cluster, found)
    if output is not None:
        _write(output, jobs, loaded.cluster, schedule, found, metric, window)
        note_losses(output, jobs)
    if plot is not None:
        _draw(plot, jobs, loaded.cluster, found, metric)
    about = {
        "workload": jobs.name,
        "procs": loaded.cluster.procs,
        "jobs": len(jobs),
        "objective": metric,
        "budget": budget,
        "seed": seed,
    }
    starts = {"list-reg": seeds[LISTS[0]], "seed": found.seed_start, "result": found.start}
    if json:
        print_json(solution_json(about, log, found, starts))
    else:
        print_solution(about, log, found, starts, [*loaded.remarks(), *window.words()])
        for path in filter(None, (output, plot)):
            print(f"Wrote {path}")
    if found.interrupted:
        again = f"go on with --resume {output}" if output else "with --output it could be resumed"
        note(f"interrupted: this is the best so far; {again}.")
        raise typer.Exit(INTERRUPTED)


def _metric(name: str) -> str:
    """The name of the metric as it is written, before any work is done."""
    from packwise.metrics.catalogue import metric
    from packwise.model.errors import InputError, UnknownName
    from packwise.optimise.metrics_of_plan import METRICS
    from packwise.optimise.objectives import objective

    try:
        named = objective(name, local="metric").metric
    except UnknownName as error:
        raise UnknownName("metric", name, METRICS) from error
    if named is None:
        raise InputError(
            f"--objective '{name}': expected one metric, AF, AWF, BSLD or P2SF (any level)."
        )
    return metric(named).name


def _log(jobs: Workload, cluster: Cluster, metric: str) -> Log:
    from packwise.optimise.offline import Log

    return Log(jobs.submit, jobs.demand, jobs.runtime, cluster.procs, metric)


def _resumed(path: Path, jobs: Workload, cluster: Cluster) -> Ints:
    """The starts of a schedule file, by the ids of the jobs."""
    import numpy as np

    from packwise.feasibility import check_schedule
    from packwise.model.errors import InputError
    from packwise.model.schedule import Schedule
    from packwise.workloads.schedule_files import read_schedule

    read = read_schedule(path, procs=cluster.procs)
    order = np.argsort(read.workload.id)
    place = np.searchsorted(read.workload.id[order], jobs.id).clip(max=len(order) - 1)
    row = order[place]
    if len(read.workload) != len(jobs) or (read.workload.id[row] != jobs.id).any():
        raise InputError(
            f"{path}: expected a schedule of the {len(jobs):,} jobs of '{jobs.name}', found one of "
            f"{len(read.workload):,} jobs, not all the same. Give the same options (--from, --until, ...) as "
            "when it was made."
        )
    schedule = Schedule(read.schedule.start[row], read.schedule.end[row])
    verdict = check_schedule(jobs, cluster, schedule)
    if not verdict.ok:
        raise InputError(
            f"{path}: is not a schedule that this machine could run. {verdict.violations[0].message} Look at "
            f"`packwise check {path}`."
        )
    return np.array(schedule.start)


def _checked(jobs: Workload, cluster: Cluster, found: Solved) -> Schedule:
    """The schedule, looked at once more by somebody who does not believe the optimiser."""
    from packwise.feasibility import check_schedule
    from packwise.model.schedule import Schedule

    schedule = Schedule(found.start, found.start + jobs.runtime)
    verdict = check_schedule(jobs, cluster, schedule)
    if not verdict.ok:
        raise AssertionError(
            f"the optimiser made a wrong schedule: {verdict.violations[0].message}"
        )
    return schedule


def _write(
    output: Path,
    jobs: Workload,
    cluster: Cluster,
    schedule: Schedule,
    found: Solved,
    metric: str,
    window: Window,
) -> None:
    from packwise import __version__
    from packwise.workloads.schedule_files import write_schedule

    known = f", no less than {found.bound:.10g}" if isfinite(found.bound) else ""
    note = [
        f"optimised off-line by Packwise {__version__}: {metric} {found.value:.10g}{known}",
        *window.words(),
    ]
    write_schedule(output, jobs, cluster, schedule, note=note)


def _draw(path: Path, jobs: Workload, cluster: Cluster, found: Solved, metric: str) -> None:
    from packwise.cli.off_line_seeds import LISTS
    from packwise.pictures.solve import Convergence, plot_convergence

    lists = {name: value for name, value in found.seeds.items() if name in LISTS}
    last = found.history[-1]
    plot_convergence(
        Convergence(
            f"{jobs.name}:  {len(jobs):,} jobs, {cluster.procs:,} processors, off-line",
            metric,
            [at.seconds for at in found.history],
            [at.value for at in found.history],
            last.bound,
            last.gap,
            lists,
        ),
        path,
    )


@contextmanager
def _status_line(metric: str, reference: float) -> Iterator[Callable[[Progress], None] | None]:
    """A line on stderr that tells how far it has come; nothing where there is no terminal."""
    from packwise.cli.terminal import stderr

    console = stderr()
    if not console.is_interactive:
        yield None
        return
    from packwise.readable import duration, number

    with console.status(f"Optimising {metric}") as status:

        def report(now: Progress) -> None:
            better = 100 * (1 - now.value / now.seed)
            known = (
                f", bound {number(now.bound)}, gap {100 * now.gap:.1f} %"
                if isfinite(now.bound)
                else ""
            )
            status.update(
                f"{duration(now.seconds)}: {metric} {number(now.value)}, "
                f"{100 * now.value / reference:.2f} % of list-reg, {better:.2f} % below the seed{known}"
            )

        yield report
