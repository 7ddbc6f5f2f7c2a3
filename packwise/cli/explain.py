"""packwise explain: one round of a replay, looked at closely."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options import completion
from packwise.cli.options.arguments import (
    ClusterName,
    EnergyName,
    Json,
    Placement,
    Procs,
    ShiftTo,
    TraceName,
    UnitCores,
)
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from packwise.model.cluster import Cluster
    from packwise.model.decision import Policy
    from packwise.model.workload import Workload
    from packwise.optimise.cp import Solution
    from packwise.optimise.explanation import Explanation
    from packwise.optimise.moment import Moment
    from packwise.predict import Predictor
    from packwise.workloads.trace import Trace
    from packwise.workloads.window import Window

_RESULTS = "Results"


@with_window
def explain(
    trace: TraceName,
    window: Window,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="TIME",
            help="The last round until then, on the log's own clock: 2000000, 12h, 30d; or a date, by the "
            "site's: 2024-01-05T12:00; the nearest with a queue, if nobody waits then. By default the round "
            "with the longest queue.",
            show_default=False,
        ),
    ] = None,
    job: Annotated[
        int | None,
        typer.Option(
            "--job",
            metavar="ID",
            help="One job: when it starts, who is ahead of it and why, what holds it, and what would start it "
            "sooner, each replayed. The round is that of its submission, unless --at says otherwise.",
            show_default=False,
        ),
    ] = None,
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
            help="What the scheduler believes of run times.",
            autocompletion=completion.estimates,
        ),
    ] = "requested",
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            metavar="METRIC",
            help="The metric to judge plans by: AF, AWF, BSLD, P2SF or another P<alpha>SF. By default "
            "what the policy minimises, or else AWF.",
            show_default=False,
        ),
    ] = None,
    procs: Procs = None,
    cluster: ClusterName = None,
    placement: Placement = None,
    unit_cores: UnitCores = "1",
    energy: EnergyName = None,
    shift_to: ShiftTo = None,
    cp: Annotated[
        float | None,
        typer.Option(
            "--cp",
            metavar="SECONDS",
            help="Let CP-SAT look for the best plan, for so long (pip install 'packwise\\[cp]').",
            show_default=False,
        ),
    ] = None,
    everyone: Annotated[
        bool, typer.Option("--all", help="Show every waiting job, not only the first 20.")
    ] = False,
    json: Json = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Draw the policy's plan and the best other one: .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Explain one round: who starts, why the others wait, and how good the plan is.

    The log is replayed up to the round. The policy's plan is then compared with
    those of the list orders, and with a bound that no plan can beat. On the nodes of
    a cluster a job that waits is told which resource is short, and on which nodes;
    under a power cap, what it draws and what is left.

    Examples:
      $ packwise explain log.swf.gz --at 30d --policy list-reg
      $ packwise explain log.swf --policy easy --estimate exact --plot plan.png
      $ packwise explain kth-sp2 --at 2000000 --policy list-saf --objective BSLD --cp 5
      $ packwise explain log.swf --at 12h --policy my.py:mine --json
      $ packwise explain sacct.txt --at 2024-01-05T12:00 --time-zone Europe/Berlin
      $ packwise explain sacct.txt --job 1358 --cluster slurm.conf --policy slurm
      $ packwise explain eurora.csv --cluster eurora --policy easy
      $ packwise explain log.swf --at 30d --policy 'packwise(energy=0.3)' --energy market
    """
    from packwise import registry
    from packwise.cli.options.destination import PICTURES, Output, check_destinations
    from packwise.cli.options.energy import chosen_energy
    from packwise.cli.options.trace import load_trace
    from packwise.cli.remarks.machine import machine_remarks
    from packwise.cli.remarks.prediction import prediction_remarks
    from packwise.cli.remarks.recorded import of_same_jobs
    from packwise.cli.tables.round import explanation_json, print_explanation
    from packwise.cli.terminal import note, print_json
    from packwise.model.demands import misfits
    from packwise.model.errors import InputError
    from packwise.model.placement import placement_for
    from packwise.optimise.explanation import explain as explained
    from packwise.optimise.explanation import objective_of
    from packwise.warm_up.needs import EXPLAINING
    from packwise.workloads.calendar import parse_when, time_of

    with redirect_stdout(sys.stderr):  # what a user's file prints is no result
        chosen = registry.policy(policy)
        believed = registry.estimate(estimate)
    metric = objective_of(chosen, objective)
    asked = None if at is None else parse_when(at, "--at")
    _check_seconds(cp)
    power = chosen_energy(energy, shift_to)
    check_destinations(Output(plot, PICTURES))
    loaded = load_trace(
        trace,
        procs,
        window,
        cluster,
        unit_cores,
        placement,
        replays=[(chosen, believed)],
        besides=EXPLAINING,
        stepped=True,
    )
    if power is not None:
        loaded = loaded._replace(cluster=power.on(loaded.workload, loaded.cluster))
    loaded, left = of_same_jobs(loaded, [(chosen, believed)], window)
    jobs = loaded.workload.select(~misfits(loaded.workload, loaded.cluster).which)
    rule = placement_for(chosen, placement)
    time = time_of(jobs, asked) if isinstance(asked, str) else asked
    start = None
    if job is not None:
        from packwise.sooner import place_of_job

        mine = place_of_job(jobs, job)
        start = _start_of(jobs, loaded.cluster, chosen, believed, rule, job)
        time = int(jobs.submit[mine]) if time is None else time
    moment = _moment(loaded, jobs, chosen, believed, rule, time)
    if moment.asked is not None:
        note(f"Nobody waits at {moment.asked}: this is the nearest round at which somebody does.")
    if cp is not None and moment.view is not None:
        raise InputError(
            "--cp: CP-SAT plans on a pool of processors without a power cap only. Leave it out here."
        )
    if jobs.deadline is not None:
        waiting = moment.round.job
        due = int(jobs.deadline_driven[waiting].sum())
        note(
            f"{due:,} of the {len(waiting):,} waiting jobs have a deadline. The policy may look at deadlines; "
            "metrics, bound and list plans below do not, and are about all waiting jobs."
        )
    found = explained(moment, chosen.name, metric)
    solution = None if cp is None else _solve(found, cp)
    if solution is not None and solution.found and solution.start is not None:
        found = found.with_plan("cp-sat", solution.start)
    if plot is not None:
        _draw(found, jobs, plot)
    if job is not None and start is not None:
        _answer(found, jobs, loaded.cluster, chosen, believed, rule, job, start, json)
        if plot is not None and not json:
            print(f"Wrote {plot}")
        return
    about = {"workload": jobs.name, "policy": chosen.name, "estimate": believed.name}
    if json:
        print_json(explanation_json(found, jobs, loaded.cluster, about, solution))
        return
    remarks = [
        *loaded.remarks(),
        *machine_remarks(loaded, placement, [chosen]),
        *window.words(),
        *left,
        *prediction_remarks(jobs, [believed]),
    ]
    print_explanation(found, jobs, loaded.cluster, about, remarks, solution, everyone=everyone)
    if plot is not None:
        print(f"Wrote {plot}")


def _start_of(
    jobs: Workload, cluster: Cluster, policy: Policy, believed: Predictor, placement: str, job: int
) -> int:
    """When a job starts in a replay, or -1."""
    from packwise.cli.terminal.progress import job_bar
    from packwise.simulation import simulate
    from packwise.sooner import place_of_job

    with job_bar(policy.name, len(jobs)) as progress, redirect_stdout(sys.stderr):
        run = simulate(
            jobs,
            cluster,
            policy,
            believed,
            reject_too_large=True,
            placement=placement,
            progress=progress,
        )
    if job in run.rejected:
        return -1
    return int(run.schedule.start[place_of_job(run.workload, job)])


def _answer(
    found: Explanation,
    jobs: Workload,
    cluster: Cluster,
    policy: Policy,
    believed: Predictor,
    placement: str,
    job: int,
    start: int,
    json: bool,
) -> None:
    """What there is to say of one job."""
    import numpy as np

    from packwise.cli.tables.job import job_json, print_job
    from packwise.cli.terminal import print_json
    from packwise.model.errors import InputError
    from packwise.sooner import place_of_job, sooner

    mine = place_of_job(jobs, job)
    there = np.flatnonzero(found.round.job == mine)
    if not there.size:
        raise InputError(
            f"job {job} does not wait in the round at {found.round.now}: it comes at {jobs.submit[mine]} and "
            f"starts at {start}. Leave --at out, or name a time in between."
        )
    others = []
    if start > jobs.submit[mine]:
        others = sooner(
            jobs,
            mine,
            start,
            lambda changed: _start_of(changed, cluster, policy, believed, placement, job),
        )
    if json:
        print_json(job_json(found, jobs, cluster, int(there[0]), start, others))
        return
    print_job(found, jobs, cluster, int(there[0]), start, others)


def _check_seconds(seconds: float | None) -> None:
    from packwise.model.errors import InputError

    if seconds is not None and not 0 < seconds < float("inf"):
        raise InputError(f"--cp: expected a number of seconds above 0, found {seconds:g}.")


def _moment(
    loaded: Trace,
    jobs: Workload,
    policy: Policy,
    believed: Predictor,
    placement: str,
    at: int | None,
) -> Moment:
    """The round asked for. Where a compiled replay can tell it beforehand, the rest is not stepped through."""
    import numpy as np

    from packwise.cli.terminal.progress import job_bar
    from packwise.optimise.moment import moment_of
    from packwise.simulation import CompiledPolicy, simulate

    with job_bar(policy.name, len(jobs)) as progress, redirect_stdout(sys.stderr):
        if at is None and isinstance(policy, CompiledPolicy):
            rounds = simulate(jobs, loaded.cluster, policy, believed, placement=placement).rounds
            at = int(rounds.time[np.argmax(rounds.queued)])
        return moment_of(
            lambda watched: simulate(
                jobs, loaded.cluster, watched, believed, placement=placement, progress=progress
            ),
            policy,
            at,
        )


def _solve(found: Explanation, seconds: float) -> Solution:
    from packwise.optimise.cp import solve_round

    return solve_round(found.round, found.objective, limit=seconds, hints=[found.plan.start])


def _draw(found: Explanation, jobs: Workload, path: Path) -> None:
    from packwise.cli.tables.round import own_name, value_text
    from packwise.pictures.plan import Queue, plot_plans

    moment, now = found.moment, found.round.now
    queue = Queue(
        f"{jobs.name} at {now:,}:  {len(found.round):,} waiting, {len(moment.running):,} running, "
        f"{moment.free:,} of {found.round.procs:,} processors free",
        now,
        found.round.procs,
        moment.demand,
        moment.expected_end,
        jobs.id[found.round.job],
        found.round.demand,
        found.round.estimate,
    )
    shown = [(own_name(found), found.plan)]
    if found.best_other is not None:
        shown.append((found.best_other.name, found.best_other))
    metric = found.objective
    plans = [
        (
            f"{name}: {metric} {value_text(metric, plan.value[metric])}, {plan.starts_now} start now",
            plan.start,
        )
        for name, plan in shown
    ]
    plot_plans(queue, plans, path)
