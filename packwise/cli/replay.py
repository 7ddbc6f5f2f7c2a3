"""packwise replay: one workload under one policy."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options import completion
from packwise.cli.options.arguments import (
    By,
    ChargeDispatchTime,
    ClusterName,
    Density,
    EnergyName,
    Fairness,
    Json,
    MetricNames,
    Placement,
    Procs,
    ScheduleFormat,
    ShiftTo,
    TraceName,
    UnitCores,
)
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from packwise.metrics.series import UtilizationDensity
    from packwise.model.run import Run
    from packwise.workloads.trace import Trace
    from packwise.workloads.window import Window

_RESULTS = "Results"


@with_window
def replay(
    trace: TraceName,
    window: Window,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            "-p",
            help="A name, list(order=saf,depth=4), or my.py:mine.",
            autocompletion=completion.policies,
        ),
    ] = "easy",
    estimate: Annotated[
        str,
        typer.Option(
            "--estimate",
            "-e",
            help="What the scheduler believes of run times: requested, exact, exact*K, a predictor that "
            "learns such as last2, hierarchy, sp-2% or cvh, last2(corrector=steps), or my.py:mine; "
            "`packwise policies` lists them.",
            autocompletion=completion.estimates,
        ),
    ] = "requested",
    procs: Procs = None,
    cluster: ClusterName = None,
    placement: Placement = None,
    unit_cores: UnitCores = "1",
    charge_dispatch_time: ChargeDispatchTime = None,
    energy: EnergyName = None,
    shift_to: ShiftTo = None,
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
    format: Annotated[
        ScheduleFormat | None,
        typer.Option(
            "--format",
            help="Format of --output, if not told by its name.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    metrics: MetricNames = None,
    fairness: Fairness = False,
    by: By = None,
    density: Density = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Draw queue length and utilization over time: .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Replay a workload under a policy: what would it have looked like?

    Examples:
      $ packwise replay log.swf.gz --policy easy-sjbf
      $ packwise replay log.swf --policy list-saf --estimate exact --by size
      $ packwise replay kth-sp2 --from 30d --until 60d --output plan.csv --plot plan.png
      $ packwise replay log.swf --policy my.py:mine --estimate last2 --json
      $ packwise replay log.swf --deadlines 'slack(share=20%)' --output plan.csv
      $ packwise replay eurora.csv --cluster eurora --placement scarce-last --output plan.csv
      $ packwise replay eurora.csv --cluster eurora --policy pcp21 --charge-dispatch-time measured
      $ packwise replay log.swf --energy market --shift-to 2024-01-01
    """
    from packwise import registry
    from packwise.cli.options.destination import PICTURES, SCHEDULES, Output, check_destinations
    from packwise.cli.options.energy import chosen_energy
    from packwise.cli.options.trace import load_trace
    from packwise.cli.remarks.deadlines import deadline_remarks
    from packwise.cli.remarks.dispatch import dispatch_remarks
    from packwise.cli.remarks.losses import note_losses
    from packwise.cli.remarks.machine import machine_remarks, outage_remarks, sleep_remarks
    from packwise.cli.remarks.prediction import prediction_remarks
    from packwise.cli.remarks.recorded import of_same_jobs
    from packwise.cli.tables.metrics import breakdown, check_measurable, measure, wanted_metrics
    from packwise.cli.terminal.progress import busy, job_bar
    from packwise.metrics.series import utilization_density
    from packwise.model.dispatch_time import dispatch_time
    from packwise.policies.recorded import Recorded, RecordedOrder
    from packwise.simulation import simulate
    from packwise.warm_up.needs import FAIRNESS

    with redirect_stdout(sys.stderr):  # what a user's file prints is no result
        chosen = registry.policy(policy)
        believed = registry.estimate(estimate)
    charge = None if charge_dispatch_time is None else dispatch_time(charge_dispatch_time)
    wanted = wanted_metrics(metrics)
    power = chosen_energy(energy, shift_to)
    check_destinations(Output(output, () if format else SCHEDULES), Output(plot, PICTURES))
    loaded = load_trace(
        trace,
        procs,
        window,
        cluster,
        unit_cores,
        placement,
        replays=[(chosen, believed)],
        besides=FAIRNESS if fairness else (),
        stepped=charge is not None,
    )
    if power is not None:
        loaded = loaded._replace(cluster=power.on(loaded.workload, loaded.cluster))
    check_measurable(loaded.workload, loaded.cluster, wanted, by)
    everyone = loaded
    loaded, left = of_same_jobs(loaded, [(chosen, believed)], window)
    if not isinstance(chosen, Recorded | RecordedOrder):
        loaded = everyone  # who is refused under a cap is counted as rejected
    with job_bar(chosen.name, len(loaded.workload)) as progress, redirect_stdout(sys.stderr):
        run = simulate(
            loaded.workload,
            loaded.cluster,
            chosen,
            believed,
            reject_too_large=True,
            placement=placement,
            charge=charge,
            progress=progress,
        )
    with busy("measuring"):
        parts = run.workload, run.cluster, run.schedule
        values = measure(*parts, wanted, fairness=fairness)
        classes = breakdown(by, *parts) if by else None
        spread = utilization_density(*parts) if density else None
    if output is not None:
        with busy(f"writing {output.name}"):
            _write(output, format, run, window)
        note_losses(output, run.workload, format)
    if plot is not None:
        from packwise.pictures.replay import plot_replay

        plot_replay(run, plot)
    if json:
        _print_json(loaded, run, values, classes, spread)
    else:
        remarks = [
            *loaded.remarks(),
            *machine_remarks(loaded, placement, [chosen]),
            *outage_remarks(run),
            *sleep_remarks(run),
            *dispatch_remarks(run, charge),
            *window.words(),
            *left,
            *prediction_remarks(run.workload, [believed]),
            *deadline_remarks(run.workload, [chosen]),
            *([] if power is None else power.words(run.workload)),
        ]
        _print(loaded, run, remarks, values, metrics, classes, spread)
        for path in filter(None, (output, plot)):
            print(f"Wrote {path}")


def _write(output: Path, format: ScheduleFormat | None, run: Run, window: Window) -> None:
    from packwise import __version__
    from packwise.workloads.schedule_files import write_schedule

    note = [
        f"simulated by Packwise {__version__}: policy {run.policy}, estimate {run.estimate}",
        *window.words(),
    ]
    write_schedule(
        output,
        run.workload,
        run.cluster,
        run.schedule,
        format=None if format is None else format.value,
        note=note,
    )


def rejected(loaded: Trace, run: Run) -> int:
    """Jobs that never ran: wider than the machine, or refused by the policy."""
    return loaded.dropped_wide + len(run.rejected)


def _print_json(
    loaded: Trace,
    run: Run,
    values: dict[str, float],
    classes: list[dict[str, Any]] | None,
    spread: UtilizationDensity | None,
) -> None:
    from packwise import __version__
    from packwise.cli.remarks.dispatch import charged_rounds
    from packwise.cli.remarks.machine import machine_facts
    from packwise.cli.remarks.rounds import note_means
    from packwise.cli.tables.density import density_json
    from packwise.cli.terminal import print_json
    from packwise.workloads.describe import describe_deadlines

    answer: dict[str, Any] = {
        "policy": run.policy,
        "estimate": run.estimate,
        "workload": run.workload.name,
        "procs": run.cluster.procs,
        **machine_facts(run.cluster),
        "jobs": int(run.schedule.ran.sum()),
        "rejected": rejected(loaded, run),
        "rounds": len(run.rounds),
        **({"interrupted": len(run.interrupted)} if run.interrupted else {}),
        "seconds": run.seconds,
        "metrics": values,
        "version": __version__,
    }
    charged = charged_rounds(run)
    if charged is not None:
        answer["charged_seconds"] = float(charged.mean()) if len(charged) else 0.0
    if run.rounds.notes:
        answer["notes"] = note_means(run.rounds)
    if loaded.cleaning is not None:
        answer["cleaning"] = loaded.cleaning.facts()
    deadlines = describe_deadlines(run.workload, run.cluster.procs)
    if deadlines is not None:
        answer["deadlines"] = deadlines._asdict()
    if classes is not None:
        answer["breakdown"] = classes
    if spread is not None:
        answer["utilization_density"] = density_json(spread)
    print_json(answer)


def _print(
    loaded: Trace,
    run: Run,
    remarks: list[str],
    values: dict[str, float],
    chosen: str | None,
    classes: list[dict[str, Any]] | None,
    spread: UtilizationDensity | None,
) -> None:
    from rich.markup import escape

    from packwise.cli.options.machine import machine_words
    from packwise.cli.remarks.machine import print_lead
    from packwise.cli.remarks.rounds import round_remarks
    from packwise.cli.tables.density import print_density
    from packwise.cli.tables.metrics import print_breakdown, print_metrics
    from packwise.cli.terminal import stdout

    console = stdout()
    print_lead(run.cluster)
    ran = int(run.schedule.ran.sum())
    console.print(
        f"[bold]{escape(run.workload.name)}[/] on {machine_words(run.cluster)}, policy "
        f"[bold]{escape(run.policy)}[/], estimate [bold]{escape(run.estimate)}[/]",
        soft_wrap=True,
    )
    for line in remarks:
        console.print(f"  {line}", style="dim", markup=False)
    console.print()
    print_metrics(values, chosen)
    if classes is not None:
        print_breakdown(classes)
    if spread is not None:
        print_density({"time": spread})
    console.print()
    speed = f", {ran / run.seconds:,.0f} jobs/s" if run.seconds > 0 else ""
    console.print(
        f"{ran:,} jobs ran, {rejected(loaded, run):,} rejected; {len(run.rounds):,} rounds; "
        f"engine {run.seconds:.2f} s{speed}",
        soft_wrap=True,
    )
    for line in round_remarks(run.rounds):
        console.print(line, soft_wrap=True, markup=False)
