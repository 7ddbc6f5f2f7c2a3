"""packwise whatif: one setting, one policy, more nodes, more load, without one user."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from packwise.cli.options import completion
from packwise.cli.options.arguments import (
    ClusterName,
    Grouping,
    Json,
    MetricNames,
    Placement,
    Procs,
    TraceName,
    UnitCores,
)
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from packwise.metrics.definition import Metric
    from packwise.model.run import Run
    from packwise.whatif import Answer, Case
    from packwise.workloads.trace import Trace
    from packwise.workloads.window import Window

_CHANGES, _RESULTS = "What is to change", "Results"


def _change(*names: str, help: str, metavar: str | None = None, complete: Any = None) -> Any:
    return typer.Option(
        *names,
        help=help,
        metavar=metavar,
        rich_help_panel=_CHANGES,
        show_default=False,
        autocompletion=complete,
    )


@with_window
def whatif(
    trace: TraceName,
    window: Window,
    settings: Annotated[
        list[str] | None,
        _change(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of Slurm: bf_window=4320, PriorityWeightAge=0 (`packwise policies slurm` explains "
            "all). May be repeated.",
        ),
    ] = None,
    policy: Annotated[
        str | None, _change("--policy", "-p", help="Another policy.", complete=completion.policies)
    ] = None,
    nodes: Annotated[
        str | None,
        _change("--nodes", metavar="CHANGE", help="More nodes, or fewer: +10%, -2, 128, gpu=+4."),
    ] = None,
    load: Annotated[
        str | None,
        _change(
            "--load",
            metavar="CHANGE",
            help="Next year's load: +20% lets jobs come so much more densely.",
        ),
    ] = None,
    today: Annotated[
        str | None,
        typer.Option(
            "--today",
            metavar="POLICY",
            help="What the machine is run with today; slurm by default with a slurm.conf as --cluster or with "
            "--set, and else easy.",
            show_default=False,
            autocompletion=completion.policies,
        ),
    ] = None,
    estimate: Annotated[
        str,
        typer.Option(
            "--estimate",
            "-e",
            help="What both believe of run times.",
            autocompletion=completion.estimates,
        ),
    ] = "requested",
    by: Annotated[
        Grouping | None,
        typer.Option(
            "--by", help="Show the table by partition, account, user or size.", show_default=False
        ),
    ] = None,
    metrics: MetricNames = None,
    procs: Procs = None,
    cluster: ClusterName = None,
    placement: Placement = None,
    unit_cores: UnitCores = "1",
    json: Json = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Draw what changes for whom: .png, .svg, .pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
) -> None:
    """What would change for whom: the log replayed as things are today, and with something changed.

    --without takes jobs away in the second replay only: what if this user had not been there? Changes that
    could be chance, had other days come, are said to be so.

    Examples:
      $ packwise whatif sacct.txt --cluster slurm.conf --set bf_window=4320 --set PriorityWeightAge=0
      $ packwise whatif sacct.txt --cluster slurm.conf --nodes +10% --plot whatif.png
      $ packwise whatif sacct.txt --cluster slurm.conf --policy packwise --by account
      $ packwise whatif log.swf.gz --load +20% --metrics BSLD,mine.py:fairness
      $ packwise whatif sacct.txt --without user=alice
    """
    from packwise.cli.options.destination import PICTURES, Output, check_destinations
    from packwise.cli.options.trace import load_trace
    from packwise.cli.tables.metrics import check_measurable, wanted_metrics
    from packwise.whatif import change_words

    check_destinations(Output(plot, PICTURES))
    wanted = wanted_metrics(metrics)
    factor = None if load is None else _factor(load)
    given = _settings(settings or [])
    without, base = window.without, replace(window, without=())
    _check_kind(by)
    if not (given or policy or nodes or factor or without):
        from packwise.model.errors import InputError

        raise InputError(
            "nothing is to change. Say what: --set bf_window=4320, --policy packwise, --nodes +10%, --load "
            "+20% or --without user=alice."
        )
    loaded = load_trace(trace, procs, base, cluster, unit_cores, placement)
    check_measurable(loaded.workload, loaded.cluster, wanted)
    old, new = cases(loaded, given, policy, nodes or "", factor, without, today)
    changes = change_words(given, policy, nodes or "", factor, without, old.cluster.is_pool)
    tell(
        loaded,
        old,
        new,
        changes,
        metrics=metrics,
        wanted=wanted,
        estimate=estimate,
        placement=placement,
        by=by,
        window=base.words(),
        json=json,
        plot=plot,
    )


def tell(
    loaded: Trace,
    old: Case,
    new: Case,
    changes: tuple[str, ...],
    *,
    metrics: str | None = None,
    wanted: list[Metric] | None = None,
    estimate: str = "requested",
    placement: str | None = None,
    by: Grouping | None = None,
    window: Sequence[str] = (),
    json: bool = False,
    plot: Path | None = None,
    beside: Sequence[str] = (),
) -> None:
    """Replay both cases, and tell what changes for whom. ``beside``: lines that stand before that."""
    from packwise import registry
    from packwise.cli.options.machine import machine_words
    from packwise.cli.remarks.machine import machine_facts, machine_remarks, print_lead
    from packwise.cli.tables.comparison import comparison_json, print_comparison
    from packwise.cli.tables.whatif import print_changes, whatif_json
    from packwise.cli.terminal import print_json, stdout
    from packwise.metrics.catalogue import standard_metrics
    from packwise.metrics.usual import usual_metrics
    from packwise.warm_up.crew import begin
    from packwise.warm_up.needs import at_first_sight, on_nodes
    from packwise.whatif import Answer

    pairs = [(case.policy, registry.estimate(estimate)) for case in (old, new)]
    begin(at_first_sight("", pairs, on_nodes(old.cluster)))
    runs = [
        _run(case, estimate, placement, words)
        for case, words in ((old, "as it is today"), (new, "what if"))
    ]
    answer = Answer.of(changes, *runs)
    kind = _kind(answer, by)
    if plot is not None:
        from packwise.pictures.whatif import plot_whatif

        plot_whatif(answer, plot, kind)
    if metrics is None:
        wanted = usual_metrics(old.workload, old.cluster)
    elif wanted is None:
        wanted = standard_metrics(old.workload, old.cluster, answer.today.schedule)
    comparison = answer.measured(wanted)
    if json:
        facts = {"workload": loaded.workload.name, "procs": old.cluster.procs}
        facts |= {**machine_facts(old.cluster), "changes": list(changes), **whatif_json(answer)}
        facts |= {"beside": list(beside)} if beside else {}
        print_json({**facts, **comparison_json(comparison, runs)})
        return
    console = stdout()
    print_lead(old.cluster)
    console.print(
        f"{loaded.workload.name}: {len(loaded.workload):,} jobs on {machine_words(old.cluster)}, policy "
        f"{old.policy.name}",
        style="bold",
        markup=False,
    )
    console.print(f"What if: {', '.join(changes)}", style="bold", markup=False)
    machine = machine_remarks(loaded, placement, [old.policy, new.policy])
    lines = [*loaded.remarks(), *window, *machine]
    if new.cluster is not old.cluster:
        lines.append(f"then: {machine_words(new.cluster)}")
    for line in lines:
        console.print(f"  {line}", style="dim", markup=False)
    console.print()
    for line in (*beside, *answer.words()):
        console.print(line, markup=False)
    console.print()
    print_changes(kind, answer.by(kind), plain=answer.withheld)
    console.print()
    print_comparison(comparison, "replay")
    if plot is not None:
        console.print(f"Wrote {plot}", soft_wrap=True, markup=False)


def _settings(texts: list[str]) -> dict[str, str]:
    from packwise.model.errors import InputError, UnknownName, shortened
    from packwise.model.slurm_settings import ALIASES, SETTINGS, check_setting

    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise InputError(f"--set: expected such as bf_window=4320, found '{shortened(text)}'.")
        known = ALIASES.get(name.strip().lower(), name.strip().lower())
        if known not in SETTINGS:
            names = [setting.name for setting in SETTINGS.values()]
            raise UnknownName("setting of Slurm (--set)", name.strip(), names)
        check_setting(known, value)
        found[SETTINGS[known].name] = value.strip()
    return found


def _factor(text: str) -> float:
    """How many times as dense jobs are to come."""
    from packwise.model.errors import InputError, shortened

    number, share = text.strip().removesuffix("%"), text.strip().endswith("%")
    signed = number[:1] in ("+", "-")
    try:
        value = float(number) if signed == share else float("nan")
    except ValueError:
        value = float("nan")
    factor = 1 + value / 100 if share else value
    if not 0.01 <= factor <= 100:
        raise InputError(
            f"--load: expected such as +20% or 1.2 (a hundredth to a hundred times), found '{shortened(text)}'."
        )
    return factor


def cases(
    loaded: Trace,
    settings: dict[str, str],
    policy: str | None,
    nodes: str,
    factor: float | None,
    without: tuple[str, ...],
    today: str | None,
) -> tuple[Case, Case]:
    """As things are, and as they would be."""
    from packwise import registry
    from packwise.clusters.growth import grown
    from packwise.model.errors import InputError
    from packwise.policies.slurm import SlurmPolicy
    from packwise.whatif import Case
    from packwise.workloads.window import Window

    cluster = loaded.cluster
    with redirect_stdout(sys.stderr):  # what a user's file prints is no result
        name = today or ("slurm" if cluster.scheduler or settings else "easy")
        before = registry.policy(name)
        after = before if policy is None else registry.policy(policy)
    if settings:
        if not isinstance(after, SlurmPolicy):
            raise InputError(
                f"--set changes a setting of Slurm, and the policy is '{after.name}'. Drop one of them, or say "
                "--today slurm."
            )
        after = after.changed(settings)
    workload = loaded.workload
    changed = Window(without=without, factor=factor).apply(workload, cluster.procs)
    machine = grown(cluster, nodes) if nodes else cluster
    return Case(workload, cluster, before), Case(changed, machine, after)


def _run(case: Case, estimate: str, placement: str | None, words: str) -> Run:
    from packwise.cli.terminal.progress import job_bar
    from packwise.simulation import simulate

    with job_bar(words, len(case.workload)) as progress, redirect_stdout(sys.stderr):
        return simulate(
            case.workload,
            case.cluster,
            case.policy,
            estimate,
            reject_too_large=True,
            placement=placement,
            progress=progress,
        )


def _kind(answer: Answer, by: Any) -> str:
    """The groups to show."""
    return answer.kinds()[0] if by is None else str(by.value)


def _check_kind(by: Any) -> None:
    from packwise.metrics.group_changes import KINDS
    from packwise.model.errors import InputError

    if by is not None and by.value not in KINDS:
        raise InputError(f"--by: expected {', '.join(KINDS)} here, found '{by.value}'.")
