"""packwise compare: one workload under several policies."""

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
    Json,
    Placement,
    Procs,
    ShiftTo,
    TraceName,
    TrimName,
    UnitCores,
)
from packwise.cli.options.policies import DEFAULT_POLICIES
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from packwise.metrics.comparison import Comparison
    from packwise.metrics.definition import Metric
    from packwise.metrics.outcome import Mask
    from packwise.metrics.trimming import Trim
    from packwise.model.cluster import Cluster
    from packwise.model.dispatch_time import DispatchTime
    from packwise.model.run import Run
    from packwise.model.workload import Workload
    from packwise.side_by_side import Planned
    from packwise.workloads.window import Window

#: What ``packwise.metrics.usual`` has; here as text, for the help.
DEFAULT_METRICS = "BSLD,AF,wait,AWF,P2SF,max_wait,utilization,users_worse"
_RESULTS = "Results"


@with_window
def compare(
    trace: TraceName,
    window: Window,
    policies: Annotated[
        str,
        typer.Option(
            "--policies",
            "-p",
            help="Policies separated by commas; `packwise policies` lists them.",
            autocompletion=completion.policies,
        ),
    ] = ",".join(DEFAULT_POLICIES),
    estimate: Annotated[
        str,
        typer.Option(
            "--estimate",
            "-e",
            help="What all policies believe of run times: requested, exact, exact*K, last2, hierarchy, "
            "sp-2%, cvh, or my.py:mine; `packwise policies` lists them.",
            autocompletion=completion.estimates,
        ),
    ] = "requested",
    estimates: Annotated[
        str | None,
        typer.Option(
            "--estimates",
            help="Several, separated by commas: each policy with each.",
            show_default=False,
            autocompletion=completion.estimates,
        ),
    ] = None,
    baseline: Annotated[
        str,
        typer.Option(
            "--baseline", help="The policy to compare with.", autocompletion=completion.policies
        ),
    ] = "first",
    metrics: Annotated[
        str,
        typer.Option(
            "--metrics",
            metavar="NAMES",
            help="Metrics to compare by; or 'all'.",
            autocompletion=completion.metrics,
        ),
    ] = DEFAULT_METRICS,
    drop_unaffected: Annotated[
        bool,
        typer.Option(
            "--drop-unaffected",
            help="Measure without the jobs that start at once under all runs and have no deadline; "
            "metrics of the machine are about all jobs.",
        ),
    ] = False,
    trim: TrimName = None,
    by: By = None,
    density: Density = False,
    procs: Procs = None,
    cluster: ClusterName = None,
    placement: Placement = None,
    unit_cores: UnitCores = "1",
    charge_dispatch_time: ChargeDispatchTime = None,
    energy: EnergyName = None,
    shift_to: ShiftTo = None,
    json: Json = False,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            help="Write the table as CSV, in seconds.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Draw the comparison: .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    queue: Annotated[
        Path | None,
        typer.Option(
            "--queue",
            help="Draw the queue over time, and how long it is in the rounds: .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compare policies on a workload: values, changes against a baseline, and who pays.

    Examples:
      $ packwise compare log.swf.gz --policies easy,easy-sjbf,list-saf
      $ packwise compare log.swf -p "easy,list(order=saf,depth=4)" --estimates requested,exact
      $ packwise compare kth-sp2 --policies list-reg,cbf --baseline cbf --plot comparison.png
      $ packwise compare kth-sp2 -p "list-saf,packwise(objective=AF)" --queue queue.png
      $ packwise compare kth-sp2 -p easy,cbf --metrics wait,limit_stretch --drop-unaffected
      $ packwise compare kth-sp2 -p easy,list-saf --trim last
      $ packwise compare eurora.csv --cluster eurora --policies easy,list-saf,list-sjf
      $ packwise compare eurora.csv --cluster eurora -p easy,packwise --charge-dispatch-time 5s
      $ packwise compare sacct.txt -p recorded,easy,packwise --by partition
      $ packwise compare log.swf -p easy,list-saf --energy market --shift-to 2024-01-01
    """
    from packwise.cli.options.destination import PICTURES, Output, check_destinations
    from packwise.cli.options.energy import chosen_energy
    from packwise.cli.options.machine import machine_words
    from packwise.cli.options.trace import load_trace
    from packwise.cli.remarks.deadlines import deadline_remarks
    from packwise.cli.remarks.dispatch import dispatch_remarks
    from packwise.cli.remarks.machine import (
        machine_facts,
        machine_remarks,
        outage_remarks,
        print_lead,
        sleep_remarks,
    )
    from packwise.cli.remarks.prediction import prediction_remarks
    from packwise.cli.remarks.recorded import of_same_jobs
    from packwise.cli.tables.comparison import comparison_json, print_comparison, write_comparison
    from packwise.cli.tables.density import densities, density_json, print_density
    from packwise.cli.tables.effects import effect_words, effects_json
    from packwise.cli.tables.groups import groups_json, print_groups
    from packwise.cli.tables.metrics import check_measurable, wanted_metrics
    from packwise.cli.terminal import print_json, stdout
    from packwise.metrics.comparison import find_baseline
    from packwise.metrics.trimming import Trim
    from packwise.metrics.usual import usual_metrics
    from packwise.model.dispatch_time import dispatch_time
    from packwise.registry import split_names
    from packwise.side_by_side import trim_remark
    from packwise.workloads.describe import describe_deadlines

    trimmed = None if trim is None else Trim.of(trim)
    names, believed = split_names(policies), split_names(estimates or estimate)
    charge = None if charge_dispatch_time is None else dispatch_time(charge_dispatch_time)
    wanted = wanted_metrics(metrics)
    power = chosen_energy(energy, shift_to)
    check_destinations(Output(csv), Output(plot, PICTURES), Output(queue, PICTURES))
    plan = planned(names, believed)
    reference = find_baseline(baseline, [one.label for one in plan])
    loaded = load_trace(
        trace,
        procs,
        window,
        cluster,
        unit_cores,
        placement,
        replays=[(one.policy, one.estimate) for one in plan],
        stepped=charge is not None,
    )
    if power is not None:
        loaded = loaded._replace(cluster=power.on(loaded.workload, loaded.cluster))
    check_measurable(loaded.workload, loaded.cluster, wanted, by)
    if wanted and metrics == DEFAULT_METRICS:
        wanted = usual_metrics(loaded.workload, loaded.cluster)
    jobs = len(loaded.workload)
    loaded, left = of_same_jobs(loaded, ((one.policy, one.estimate) for one in plan), window)
    comparison, runs = run_all(
        loaded.workload,
        loaded.cluster,
        plan,
        wanted,
        reference,
        drop_unaffected=drop_unaffected,
        trim=trimmed,
        placement=placement,
        charge=charge,
    )
    only = _to_measure(runs, drop_unaffected=drop_unaffected, trim=trimmed)
    if csv is not None:
        write_comparison(comparison, runs, csv)
    if plot is not None:
        from packwise.pictures.comparison import plot_comparison

        plot_comparison(runs, comparison.baseline, plot, only)
    if queue is not None:
        from packwise.pictures.queue import plot_run_queues

        plot_run_queues(runs, comparison.baseline, queue)
    if json:
        facts: dict[str, Any] = {"workload": loaded.workload.name, "procs": loaded.cluster.procs}
        facts |= machine_facts(loaded.cluster)
        facts |= {"jobs": len(loaded.workload), "dropped_wide": loaded.dropped_wide}
        facts["dropped_power"] = jobs - len(loaded.workload)
        facts["left_out"] = comparison.left_out
        facts["trim"] = None if trimmed is None else str(trimmed)
        if by is not None:
            facts["breakdown"] = groups_json(by, comparison, runs, only)
        if density:
            facts["utilization_density"] = {
                label: density_json(one) for label, one in densities(comparison, runs).items()
            }
        facts["effects"] = effects_json(comparison, runs)
        deadlines = describe_deadlines(runs[0].workload, loaded.cluster.procs)
        if deadlines is not None:
            facts["deadlines"] = deadlines._asdict()
        print_json({**facts, **comparison_json(comparison, runs)})
        return
    console = stdout()
    believes = f", estimate {believed[0]}" if len(believed) == 1 else ""
    print_lead(loaded.cluster)
    title = f"{loaded.workload.name}: {len(loaded.workload):,} jobs"
    console.print(
        f"{title} on {machine_words(loaded.cluster)}{believes}", style="bold", markup=False
    )
    remarks = prediction_remarks(
        loaded.workload, {one.estimate.name: one.estimate for one in plan}.values()
    )
    remarks += deadline_remarks(
        loaded.workload, {one.policy.name: one.policy for one in plan}.values()
    )
    if power is not None:
        remarks += power.words(loaded.workload)
    if drop_unaffected:
        remarks.append(_left_out(comparison, len(runs[0].workload)))
    if trimmed is not None and only is not None:
        remarks.append(trim_remark(trimmed, only) + _of_all(comparison))
    machine = machine_remarks(loaded, placement, [one.policy for one in plan])
    for one, run in zip(plan, runs, strict=True):
        machine += outage_remarks(run, f"{one.label}: ")
        machine += sleep_remarks(run, f"{one.label}: ")
        machine += dispatch_remarks(run, charge, f"{one.label}: ")
    for line in [*loaded.remarks(), *machine, *window.words(), *left, *remarks]:
        console.print(f"  {line}", style="dim", markup=False)
    console.print()
    print_comparison(comparison)
    if by is not None:
        print_groups(by, comparison, runs, only)
    if density:
        print_density(densities(comparison, runs))
    for line in effect_words(comparison, runs):
        console.print(line, markup=False)
    for path in (csv, plot, queue):
        if path is not None:
            console.print(f"Wrote {path}", soft_wrap=True, markup=False)


def run_all(
    workload: Workload,
    cluster: Cluster,
    plan: list[Planned],
    metrics: list[Metric] | None,
    baseline: int = 0,
    *,
    drop_unaffected: bool = False,
    trim: Trim | None = None,
    placement: str | None = None,
    charge: DispatchTime | None = None,
) -> tuple[Comparison, list[Run]]:
    """Each policy with each estimate, measured; without ``metrics``, by all that cost little."""
    from packwise.cli.terminal.progress import job_bar
    from packwise.side_by_side import measured
    from packwise.simulation import simulate
    from packwise.warm_up.crew import are_ready, begin

    needs = _needs(plan, cluster, stepped=charge is not None)
    begin(name for names in needs for name in names)
    runs: dict[int, Run] = {}
    while left := [place for place in range(len(plan)) if place not in runs]:
        place = next((place for place in left if are_ready(needs[place])), None)
        if place is None:
            if runs and not drop_unaffected and trim is None:
                _say_so_far(plan, runs, metrics, baseline)
            place = left[0]
        label, policy, estimate = plan[place]
        bar = job_bar(f"{label} ({len(runs) + 1} of {len(plan)})", len(workload))
        with bar as progress, redirect_stdout(sys.stderr):
            runs[place] = simulate(
                workload,
                cluster,
                policy,
                estimate,
                reject_too_large=True,
                placement=placement,
                charge=charge,
                progress=progress,
            )
    labels = [one.label for one in plan]
    found = [runs[place] for place in range(len(plan))]
    only = _to_measure(found, drop_unaffected=drop_unaffected, trim=trim)
    return measured(labels, found, metrics, baseline, only=only), found


def _needs(plan: list[Planned], cluster: Cluster, *, stepped: bool) -> list[list[str]]:
    """What each run has to have compiled, as far as that is known before."""
    from packwise.warm_up.needs import at_first_sight, on_nodes

    machine = on_nodes(cluster)
    return [
        at_first_sight("", [(one.policy, one.estimate)], machine, stepped=stepped) for one in plan
    ]


def _say_so_far(
    plan: list[Planned], runs: dict[int, Run], metrics: list[Metric] | None, baseline: int
) -> None:
    """What is known while something is compiled for the others."""
    from packwise.cli.tables.comparison import print_so_far
    from packwise.side_by_side import measured

    places = sorted(runs)
    quick = None if metrics is None else [one for one in metrics if not one.costly]
    labels = [plan[place].label for place in places]
    base = places.index(baseline) if baseline in places else 0
    print_so_far(measured(labels, [runs[place] for place in places], quick, base))


def _to_measure(runs: list[Run], *, drop_unaffected: bool, trim: Trim | None) -> list[Mask] | None:
    from packwise.model.errors import InputError
    from packwise.side_by_side import jobs_to_measure

    try:
        return jobs_to_measure(runs, drop_unaffected=drop_unaffected, trim=trim)
    except InputError as error:
        raise InputError(f"--drop-unaffected: {error}") from error


def _left_out(comparison: Comparison, jobs: int) -> str:
    """What the reader of a filtered table has to know."""
    return (
        f"left out: {comparison.left_out:,} of {jobs:,} jobs, which have no deadline and start at once under "
        f"all runs{_of_all(comparison)}"
    )


def _of_all(comparison: Comparison) -> str:
    whole = ", ".join(one.name for one in comparison.metrics if one.of_all_jobs)
    return f"; {whole}: all jobs" if whole else ""


def planned(policies: list[str], estimates: list[str]) -> list[Planned]:
    """The runs that names stand for; an unknown name is refused here, before any work is done."""
    from packwise import registry
    from packwise.model.errors import InputError
    from packwise.side_by_side import paired

    if not policies or not estimates:
        raise InputError("--policies: expected names separated by commas, such as easy,list-saf.")
    with redirect_stdout(sys.stderr):  # what a user's file prints is no result
        found = [registry.policy(name) for name in policies]
        beliefs = [registry.estimate(name) for name in estimates]
    return paired(found, beliefs)
