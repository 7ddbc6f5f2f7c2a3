"""packwise report: one page that can be forwarded."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options import completion
from packwise.cli.options.arguments import (
    ClusterName,
    EnergyName,
    Placement,
    Procs,
    ShiftTo,
    TrimName,
    UnitCores,
)
from packwise.cli.options.policies import DEFAULT_POLICIES, SITE_POLICIES
from packwise.cli.options.window import with_window
from packwise.cli.study.options import StoreFolder, TraceFolders, open_study

if TYPE_CHECKING:
    from packwise.experiments.store import Store
    from packwise.experiments.study import Study
    from packwise.workloads.window import Window

_POLICIES = ",".join(DEFAULT_POLICIES)
_SITE_POLICIES = ",".join(SITE_POLICIES)
#: Where jobs have deadlines: the policy that knows of them, and those it is held against.
_DEADLINE_POLICIES = "dbf,cbf,easy"
_PANEL = "Without a study file"


@with_window
def report(
    what: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|TRACE",
            help="A study file (.toml) whose results are in its store, or a trace.",
            show_default=False,
        ),
    ],
    window: Window,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page: .html.")
    ] = Path("report.html"),
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            help="Write every figure there as PNG and SVG, too.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str,
        typer.Option(
            "--title", metavar="TEXT", help="The page's heading; by default the study's name."
        ),
    ] = "",
    site: Annotated[
        str,
        typer.Option(
            "--site", metavar="TEXT", help="Whose machine it is; by default what the log says."
        ),
    ] = "",
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            help="What to compare with.",
            show_default=False,
            autocompletion=completion.policies,
        ),
    ] = None,
    store: StoreFolder = None,
    traces: TraceFolders = None,
    policies: Annotated[
        str | None,
        typer.Option(
            "--policies",
            "-p",
            help=f"Policies, separated by commas; by default {_POLICIES}, with --deadlines "
            f"{_DEADLINE_POLICIES}, and of a site's own records {_SITE_POLICIES}.",
            rich_help_panel=_PANEL,
            show_default=False,
            autocompletion=completion.policies,
        ),
    ] = None,
    estimates: Annotated[
        str | None,
        typer.Option(
            "--estimates",
            "-e",
            help="Estimates, separated by commas; by default requested.",
            rich_help_panel=_PANEL,
            show_default=False,
            autocompletion=completion.estimates,
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            metavar="NAMES",
            help="Metrics, separated by commas.",
            rich_help_panel=_PANEL,
            show_default=False,
            autocompletion=completion.metrics,
        ),
    ] = None,
    trim: TrimName = None,
    procs: Procs = None,
    cluster: ClusterName = None,
    placement: Placement = None,
    unit_cores: UnitCores = "1",
    energy: EnergyName = None,
    shift_to: ShiftTo = None,
) -> None:
    """Write a page with the results of a study, or of policies on one trace.

    One HTML file that needs no network: a summary in plain words, tables against the baseline, who
    waits how long by partition, account, user and size, queues, a Gantt chart, which jobs were left
    out and why, the numbers as CSV, and where it all came from. What may be chance is said to be so.
    On the nodes of a cluster also what of them is in use, and which node was busy when.

    Examples:
      $ packwise report study.toml --output report.html
      $ packwise report sacct.txt --cluster slurm.conf --time-zone Europe/Berlin
      $ packwise report sacct.txt --title "Our queue in 2024" --site "University of X"
      $ packwise report log.swf.gz --policies list-reg,easy,list-laf
      $ packwise report study.toml --figures figures
      $ packwise report eurora.csv --cluster eurora --policies easy,list-saf
      $ packwise report log.swf.gz --energy market --shift-to 2024-01-01
    """
    from packwise.cli.options.destination import Output, check_destinations
    from packwise.cli.study.working import add_own
    from packwise.experiments.names import Names
    from packwise.experiments.store import Store
    from packwise.model.errors import InputError
    from packwise.workloads.window import Window

    check_destinations(Output(output, (".html", ".htm")), Output(figures, folder=True))
    if what.lower().endswith(".toml"):
        given = policies, estimates, metrics, trim, procs, cluster, placement, energy, shift_to
        if given != (None,) * 9 or unit_cores != "1" or window != Window():
            raise InputError(
                "--policies, --estimates, --metrics, --trim, --procs, --cluster, --placement, --unit-cores, "
                f"--energy, --shift-to and the options that choose jobs are for a trace: {what} says these "
                "things itself. Change it, or leave them out."
            )
        study = open_study(Path(what), store, traces)
        if baseline is not None:
            study = study.replace(baseline=Names(study).baseline(baseline))
        kept = Store.open(study.store)
        add_own(study, kept)
    else:
        study = _study_of_trace(
            what,
            window,
            policies or _usual_policies(what, window, traces),
            estimates or "requested",
            metrics,
            trim,
            baseline,
            procs,
            _machine(cluster, placement, unit_cores, procs, energy, shift_to),
            store,
            traces,
        )
        kept = replayed(study)
    make_report(study, kept, output, figures, title=title.strip(), site=site.strip())


def make_report(
    study: Study,
    store: Store,
    output: Path,
    figures: Path | None = None,
    *,
    title: str = "",
    site: str = "",
) -> None:
    """Write the page, and the figures if there is a folder for them; say so."""
    from packwise.cli.terminal import note, stdout
    from packwise.reports.figures import compute
    from packwise.reports.page.writing import write_report
    from packwise.reports.static_figures import write_figures
    from packwise.reports.study.material import study_material

    command = shlex.join(["packwise", *sys.argv[1:]])
    material = study_material(study, store, command, title=title, site=site)
    if material.missing:
        note(
            f"warning: {len(material.missing)} of {len(study.scenarios)} scenarios have no result; "
            "the page says which."
        )
    with _activity() as say:
        drawn = compute(material, say)
        write_report(material, output, progress=say, figures=drawn)
        written = (
            [] if figures is None else write_figures(material, figures, progress=say, figures=drawn)
        )
    console = stdout()
    for case in material.cases:
        if case.withheld:
            where = f"{case.title}: " if len(material.cases) > 1 else ""
            console.print(f"{where}{case.sizing.lead}", style="yellow", markup=False)
    size = output.stat().st_size / 1e6
    console.print(f"Wrote {output} ({size:.1f} MB)", markup=False, soft_wrap=True)
    if figures is not None:
        console.print(f"Wrote {len(written)} figures to {figures}", markup=False, soft_wrap=True)


@contextmanager
def _activity() -> Iterator[Callable[[str], None] | None]:
    """What is being read or drawn, on a terminal."""
    from packwise.cli.terminal import stderr

    console = stderr()
    if not console.is_interactive:
        yield None
        return
    from rich.markup import escape

    with console.status("Reading results") as status:
        yield lambda words: status.update(escape(words))


def _machine(
    cluster: str | None,
    placement: str | None,
    unit_cores: str,
    procs: int | None,
    energy: str | None,
    shift_to: str | None,
) -> dict[str, str] | None:
    """A [[machine]] of a study, from the options; None for a pool whose power costs nothing."""
    from packwise.cli.options.energy import chosen_energy
    from packwise.cli.options.machine import chosen_cluster

    chosen_energy(energy, shift_to)
    told = {} if energy is None else {"energy": _absolute(energy)}
    told |= {} if shift_to is None else {"shift_to": shift_to}
    if chosen_cluster(cluster, procs, placement) is None or cluster is None:
        return told or None
    told |= {} if placement is None else {"placement": placement}
    return {**told, "cluster": cluster, "unit_cores": unit_cores}


def _absolute(name: str) -> str:
    """A file by its whole path, whatever folder a study starts from; a name stays as it is."""
    path = Path(name)
    return str(path.resolve()) if path.is_file() else name


def _usual_policies(trace: str, window: Window, traces: list[Path] | None) -> str:
    """What is compared where nobody says: with what really happened, if the trace is a site's own records."""
    from packwise.workloads.records.reading import find_reader
    from packwise.workloads.trace import find_trace

    if window.deadlines:
        return _DEADLINE_POLICIES
    path = find_trace(trace, traces or ())
    reader = find_reader(path, columns=window.columns, mapping=window.mapping)
    happened = reader is not None and reader.tells_starts and not window.moves_jobs
    return _SITE_POLICIES if happened else _POLICIES


def _study_of_trace(
    trace: str,
    window: Window,
    policies: str,
    estimates: str,
    metrics: str | None,
    trim: str | None,
    baseline: str | None,
    procs: int | None,
    machine: dict[str, str] | None,
    store: Path | None,
    traces: list[Path] | None,
) -> Study:
    """Policies on one trace, as a study whose results stay in the user's cache."""
    from packwise.cli.tables.metrics import wanted_metrics
    from packwise.energy.finding import find_energy
    from packwise.experiments.study_file import DEFAULT_METRICS, adhoc_study
    from packwise.experiments.study_file.workloads import file_label
    from packwise.files.own_folders import cache_folder
    from packwise.metrics.usual import energy_short
    from packwise.registry import split_names
    from packwise.workloads.trace import find_trace

    path = find_trace(trace, traces or ())
    chosen = wanted_metrics(metrics)
    scenario = None if machine is None else machine.get("energy")
    power = [] if scenario is None else energy_short(find_energy(scenario))
    return adhoc_study(
        file_label(path),
        [path],
        policies=split_names(policies),
        estimates=split_names(estimates),
        metrics=[*DEFAULT_METRICS, *power] if chosen is None else [one.name for one in chosen],
        trim=trim,
        baseline=baseline,
        procs=procs,
        machine=machine,
        window=window,
        store=store or cache_folder() / "results",
    )


def replayed(study: Study) -> Store:
    """The store with all results of the study in it; replays what is missing."""
    from packwise.cli.study.working import add_own, say_troubles, work
    from packwise.experiments.execution import make_plan
    from packwise.experiments.executors.processes import ProcessExecutor
    from packwise.experiments.store import Store
    from packwise.model.errors import PackwiseError

    store = Store.open(study.store, create=True)
    plan = make_plan(study, store)
    say_troubles(plan)
    if plan.planned:
        failures = work(plan, store, ProcessExecutor())
        if failures:
            scenario, message = failures[0]
            raise PackwiseError(f"{scenario}: {message}")
    add_own(study, store, needed=True)
    return store
