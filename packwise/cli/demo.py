"""packwise demo: five policies on a built-in workload, with pictures and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

JOBS, PROCS, LOAD, SEED = 5000, 256, 0.9, 2022


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the workload, table and pictures.")
    ] = Path("demo"),
) -> None:
    """Compare five policies on a synthetic workload: a tour that takes seconds.

    Writes workload.swf.gz, workload.png, comparison.csv, comparison.png and report.html.

    Example:
      $ packwise demo --output demo
    """
    from packwise.cli.compare import planned, run_all
    from packwise.cli.options.policies import DEFAULT_POLICIES
    from packwise.cli.tables.comparison import print_comparison, write_comparison
    from packwise.cli.tables.effects import effect_words
    from packwise.cli.terminal import stdout
    from packwise.files.output import make_folder
    from packwise.metrics.usual import usual_metrics
    from packwise.model.cluster import Cluster
    from packwise.model.errors import InputError
    from packwise.warm_up.crew import begin
    from packwise.warm_up.needs import READING, at_first_sight
    from packwise.workloads.lublin import generate
    from packwise.workloads.swf import write_swf

    make_folder(output)
    console = stdout()
    plan = planned(list(DEFAULT_POLICIES), ["requested"])
    begin([*at_first_sight("", ((one.policy, one.estimate) for one in plan), None), *READING])
    workload = generate(JOBS, PROCS, SEED, load=LOAD)
    cluster = Cluster.pool(PROCS)
    console.print(
        f"{JOBS:,} synthetic jobs (Lublin-Feitelson model) on {PROCS} processors, offered load "
        f"{workload.load(PROCS):.2f}, planned with the users' limits",
        style="bold",
    )
    console.print()
    comparison, runs = run_all(workload, cluster, plan, usual_metrics(workload, cluster))
    print_comparison(comparison)
    console.print(effect_words(comparison, runs)[-1], markup=False)
    files = [output / "workload.swf.gz", output / "comparison.csv"]
    write_swf(files[0], workload, procs=PROCS)
    write_comparison(comparison, runs, files[1])
    try:
        from packwise.pictures.comparison import plot_comparison
        from packwise.pictures.workload import plot_workload

        plot_comparison(runs, comparison.baseline, output / "comparison.png")
        plot_workload(workload, PROCS, output / "workload.png")
        files += [output / "comparison.png", output / "workload.png"]
    except InputError as error:
        console.print(f"\nNo pictures: {error}", markup=False)
    console.print(f"\nWrote {', '.join(str(file) for file in files)}", markup=False, soft_wrap=True)
    try:
        _report(files[0], output)
    except InputError as error:
        console.print(f"\nNo report: {error}", markup=False)
    console.print(_next(files[0]), markup=False, soft_wrap=True)


def _report(workload: Path, folder: Path) -> None:
    """The same policies once more, as a study, for a page to look at in a browser."""
    from packwise.cli.options.policies import DEFAULT_POLICIES
    from packwise.cli.report import make_report, replayed
    from packwise.experiments.study_file import adhoc_study

    study = adhoc_study(
        "Packwise demo", [workload], policies=DEFAULT_POLICIES, store=folder / "results"
    )
    study = study.replace(
        description=f"{JOBS:,} synthetic jobs (Lublin-Feitelson model) on {PROCS} processors, planned "
        "with the users' limits."
    )
    make_report(study, replayed(study), folder / "report.html")


def _next(workload: Path) -> str:
    return f"""
Try next:
  packwise replay {workload} --policy packwise --by size
  packwise compare {workload} --policies easy,cbf --estimates requested,exact
  packwise compare {workload} --policies "easy,packwise(balance=0.2),packwise,packwise(balance=0.8)"
  packwise study init
  packwise metrics --describe P2SF
  packwise policies
  packwise workload fetch --list"""
