"""packwise slurm reset: give everything back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.slurm.options import DryRun, StateFolder

if TYPE_CHECKING:
    from packwise.adapters.slurm.left_by_drive import Left


def reset(
    reservation: Annotated[
        str | None,
        typer.Option(
            "--reservation",
            metavar="NAME",
            help="What the reservation of an earlier drive is called. As it was written down if not told.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="All site factors that there are, also those that somebody else has set, or of which nothing "
            "is written down.",
        ),
    ] = False,
    dry_run: DryRun = False,
    state: StateFolder = None,
) -> None:
    """Give everything back: site factors, and what an earlier drive has left.

    For a service manager to call when steer has ended, and for you at any time once
    it has. What was set is read from its folder (--state). Of an earlier drive, jobs
    lose the nodes that it named for them, those that were held for these nodes are
    released, and its reservation is deleted.

    Examples:
      $ packwise slurm reset
      $ packwise slurm reset --dry-run
      $ packwise slurm reset --all
    """
    from functools import partial

    from packwise.adapters.slurm import state_file
    from packwise.adapters.slurm.journal import Journal
    from packwise.adapters.slurm.left_by_drive import find_left, give_back
    from packwise.adapters.slurm.modes.steer import ours_there
    from packwise.adapters.slurm.ours import NAME, Ours, load_ours, save_ours
    from packwise.adapters.slurm.writer import SlurmWriter, site_factors
    from packwise.cli.slurm.going import open_site
    from packwise.cli.slurm.options import SERVICE, state_folder
    from packwise.cli.terminal import note, printable
    from packwise.model.errors import InputError

    reader, site = open_site("text")
    if state is None and os.path.isfile(SERVICE / NAME):  # also where we may not look
        state = SERVICE
    folder = state_folder(state, site.cluster)
    with state_file.alone(folder):
        known = load_ours(folder)
        ours = known or Ours()
        snapshot = reader.snapshot()
        counts = site.settings.get("prioritytype") == "priority/multifactor"
        told = reader.priorities() if counts else {}
        there = {raw for raw, (_, factor) in told.items() if factor}
        steered = set(ours_there(snapshot, ours))
        if there - steered and not every:
            note(
                f"{len(there - steered)} site factors are not ours, as far as {folder} tells: --all clears them"
            )
        factors = dict.fromkeys(sorted(steered | there if every else steered), 0)
        left = find_left(snapshot.jobs, snapshot.reservations, ours.of_drive, reservation or "")
        for words in _remarks(left, site.settings):
            note(words)
        writer = SlurmWriter(dry_run=dry_run)
        ways = [(one.command(), partial(writer.send, one)) for one in site_factors(factors)]
        if left.lines():
            ways.append((left.command(), partial(give_back, left, dry_run=dry_run)))
        if not ways:
            print("nothing of ours is there")
            return
        journal = None if dry_run else Journal(folder)
        problems: list[str] = []
        for command, send in ways:
            words = printable(command.words(), lines=True)
            print(words)
            if journal is not None:
                journal.write("send", words)
            problems += send().problems
        if known is not None and not problems and not dry_run:
            known.given_back(factors)
            known.of_drive = known.of_drive.of(left.bound)
            save_ours(folder, known)
    if problems:
        raise InputError(f"Slurm says: {'; '.join(problems)}.")
    if not dry_run:
        print("given back")


def _remarks(left: Left, settings: Mapping[str, str]) -> list[str]:
    """What of an earlier drive cannot be given back now, or not by us, and what to do about it."""
    from datetime import datetime

    from packwise.adapters.slurm.left_by_drive import left_in_files, listed
    from packwise.readable import counted

    found = []
    if left.kept is not None:
        name, end = left.kept.name, datetime.fromtimestamp(left.kept.end)
        found.append(
            f"jobs run in the reservation '{name}', so Slurm keeps it. It closes its nodes to others until "
            f"{end:%H:%M:%S}; `scontrol update ReservationName={name} EndTime=now+1` ends that at once"
        )
    if left.unknown:
        found.append(
            f"nothing is written down of the nodes that jobs {listed(left.unknown)} have to have: name the "
            "folder of that drive (--state), or, if their users have not asked for them, say `scontrol update "
            "jobid=ID ReqNodeList=`"
        )
    if left.bound:
        single = len(left.bound) == 1
        found.append(
            f"{counted(len(left.bound), 'running job')} {'has' if single else 'have'} nodes that drive named "
            f"for {'it' if single else 'them'}, which counts only on a requeue: say this again then"
        )
    found += [
        f"an earlier `packwise slurm drive` has left {words}" for words in left_in_files(settings)
    ]
    return found
