"""packwise compile: compile everything now, so that the first replay starts at once."""

from __future__ import annotations

import time
from typing import Annotated

import typer


def compile(
    parts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART]...", help="Parts to compile, all by default: see --list."),
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the parts, compile none.")] = False,
    processes: Annotated[
        int | None,
        typer.Option("--processes", "-p", min=1, help="Processes side by side [default: cores]."),
    ] = None,
) -> None:
    """Compile Packwise now, so that the first replay starts at once.

    Every command has what it needs compiled on first use, on all cores. This compiles all there is, so that
    no command has to. The compiled code is kept beside the package; a second call has nothing left to do.

    Example:
      $ packwise compile
      $ packwise compile lists loop
    """
    from packwise.cli.terminal import stderr, stdout
    from packwise.model.errors import UnknownName
    from packwise.warm_up.crew import make_all
    from packwise.warm_up.parts import PARTS, missing

    console = stdout()
    if show:
        for name, part in PARTS.items():
            console.print(f"{name:<14}{part.label}", markup=False)
        return
    for name in parts or ():
        if name not in PARTS:
            raise UnknownName("part", name, PARTS)
    wanted = missing(parts or PARTS)
    if not wanted:
        console.print("Everything is compiled.")
        return
    begin = time.perf_counter()
    cpu = 0.0
    with stderr().status("Compiling") as status:
        for done, made in enumerate(make_all(wanted, processes), 1):
            cpu += made.cpu_seconds
            console.print(f"{PARTS[made.part].label:<36}{made.seconds:6.1f} s", markup=False)
            status.update(f"Compiling: {done} of {len(wanted)} parts are there")
    took = time.perf_counter() - begin
    console.print(f"Ready after {took:.1f} s ({cpu:.1f} s of processor time)", style="bold")
