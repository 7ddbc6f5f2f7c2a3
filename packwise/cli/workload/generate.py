"""packwise workload generate: a synthetic workload."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from packwise.cli.options.arguments import Force


def generate(
    output: Annotated[
        Path,
        typer.Argument(metavar="OUTPUT", help="The log: .swf or .swf.gz.", show_default=False),
    ],
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", help="How many jobs.")] = 10_000,
    procs: Annotated[
        int, typer.Option("--procs", metavar="R", help="Processors of the machine.")
    ] = 256,
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

    Sizes, run times that depend on them, arrivals with a daily cycle, users and their limits.

    Examples:
      $ packwise workload generate synthetic.swf.gz --jobs 10000 --procs 256 --seed 1
      $ packwise workload generate busy.swf --jobs 5000 --procs 128 --seed 7 --load 0.95
    """
    from packwise.cli.options.destination import Output, check_destinations, refuse_existing
    from packwise.cli.terminal import stdout
    from packwise.readable import duration
    from packwise.workloads import lublin
    from packwise.workloads.swf import write_swf

    check_destinations(Output(output, (".swf", ".swf.gz")))
    refuse_existing(output, force)
    made = lublin.generate(jobs, procs, seed, load=load, users=users)
    write_swf(output, made, procs=procs)
    stdout().print(
        f"{len(made):,} jobs on {procs:,} processors over {duration(made.span)}, offered load "
        f"{made.load(procs):.2f}\nWrote {output}",
        markup=False,
        soft_wrap=True,
    )
