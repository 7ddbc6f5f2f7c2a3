"""packwise workload generate: a synthetic workload."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from packwise.cli.options.arguments import ClusterName, Force


def generate(
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT",
            help="The log: .swf or .swf.gz; with --cluster .csv or .parquet.",
            show_default=False,
        ),
    ],
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", help="How many jobs.")] = 10_000,
    procs: Annotated[
        int | None,
        typer.Option(
            "--procs", metavar="R", help="Processors of the machine (256).", show_default=False
        ),
    ] = None,
    cluster: ClusterName = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", help="The same seed gives the same jobs.")
    ] = 1,
    load: Annotated[
        float | None,
        typer.Option(
            "--load",
            metavar="X",
            help="Offered load; by default the model's own.",
            show_default=False,
        ),
    ] = None,
    users: Annotated[
        int | None,
        typer.Option("--users", metavar="N", help="How many users.", show_default=False),
    ] = None,
    force: Force = False,
) -> None:
    """Generate a synthetic workload by the Lublin-Feitelson model (JPDC 63(11), 2003).

    Sizes, run times that depend on them, arrivals with a daily cycle, users and their limits. With --cluster:
    short jobs most of which need an accelerator, as on CINECA's Eurora, for the nodes of that cluster.

    Examples:
      $ packwise workload generate synthetic.swf.gz --jobs 10000 --procs 256 --seed 1
      $ packwise workload generate busy.swf --jobs 5000 --procs 128 --seed 7 --load 0.95
      $ packwise workload generate eurora.csv --cluster eurora --jobs 10000 --load 1.0
    """
    import numpy as np

    from packwise.cli.options.destination import Output, check_destinations, refuse_existing
    from packwise.cli.options.machine import chosen_cluster, machine_words
    from packwise.cli.terminal import stdout
    from packwise.model.schedule import NEVER, Schedule
    from packwise.readable import duration
    from packwise.workloads import lublin
    from packwise.workloads.accelerated import generate_accelerated
    from packwise.workloads.schedule_files import write_schedule
    from packwise.workloads.swf import write_swf

    nodes = chosen_cluster(cluster, procs)
    check_destinations(
        Output(output, (".swf", ".swf.gz") if nodes is None else (".csv", ".parquet"))
    )
    refuse_existing(output, force)
    words, of_what = "", ""
    if nodes is None:
        size = 256 if procs is None else procs
        words = f"{size:,} processors"
        made = lublin.generate(jobs, size, seed, load=load, users=users)
        write_swf(output, made, procs=size)
    else:
        size, words, of_what = nodes.procs, machine_words(nodes), " of the cores"
        made = generate_accelerated(jobs, nodes, seed, load=load, users=users)
        never = np.full(len(made), NEVER)
        write_schedule(output, made, nodes, Schedule(never, never))
    stdout().print(
        f"{len(made):,} jobs on {words} over {duration(made.span)}, offered load{of_what} "
        f"{made.load(size):.2f}\nWrote {output}",
        markup=False,
        soft_wrap=True,
    )
