"""packwise slurm reset: give everything back."""

from __future__ import annotations

from typing import Annotated

import typer

from packwise.cli.slurm.options import DryRun, StateFolder


def reset(
    reservation: Annotated[
        str | None,
        typer.Option(
            "--reservation",
            metavar="NAME",
            help="What the reservation is called. As drive has called it if not told.",
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
    """Give everything back: site factors, the reservation, nodes that were named for jobs.

    For a service manager to call when steer or drive has ended, and for you at any
    time once they have. What was set is read from their folder (--state).

    Examples:
      $ packwise slurm reset
      $ packwise slurm reset --dry-run
      $ packwise slurm reset --all
    """
    from packwise.adapters.slurm import state_file
    from packwise.adapters.slurm.journal import Journal
    from packwise.adapters.slurm.ledger import Ledger
    from packwise.adapters.slurm.modes.drive import give_nodes_back
    from packwise.adapters.slurm.modes.steer import ours_there
    from packwise.adapters.slurm.ours import NAME, Ours, load_ours, save_ours
    from packwise.adapters.slurm.writer import SlurmWriter, forget_site_factors
    from packwise.cli.slurm.folders import SERVICE
    from packwise.cli.slurm.going import open_site
    from packwise.cli.slurm.options import state_folder
    from packwise.cli.terminal import note, printable
    from packwise.model.errors import InputError

    reader, site = open_site("text")
    if state is None and (SERVICE / NAME).is_file():
        state = SERVICE
    folder = state_folder(state, site.cluster)
    with state_file.alone(folder):
        ledger = Ledger()
        known = load_ours(folder)
        ours = ledger.ours = known or Ours()
        own = reservation or ours.reservation or "packwise"
        snapshot = reader.snapshot()
        let_in = [job.id for job in snapshot.jobs if job.waiting and job.reservation == own]
        commands = give_nodes_back(snapshot, own, ledger, snapshot.skew)
        counts = site.settings.get("prioritytype") == "priority/multifactor"
        told = reader.priorities() if counts else {}
        there = {raw for raw, (_, factor) in told.items() if factor}
        steered = set(ours_there(snapshot, ledger))
        commands += forget_site_factors(sorted(steered | there if every else steered))
        others = there - steered
        if others and not every:
            note(
                f"{len(others)} site factors are not ours, as far as {folder} tells: --all clears them"
            )
        if known is None and let_in:
            note(
                f"{folder} does not tell what was ours: jobs {', '.join(let_in[:5])} may still have to have "
                "nodes that were named for them. Name the folder of the daemon (--state), or say `scontrol "
                "update jobid=ID ReqNodeList=`."
            )
        bound = sum(not job.waiting and ours.named(job) for job in snapshot.jobs)
        if bound:
            note(
                f"{bound} running jobs have nodes that were named for them, which counts only if they are "
                "requeued: say this again then"
            )
        if not commands:
            print("nothing of ours is there: no site factors, no reservation")
            return
        writer = SlurmWriter(dry_run=dry_run)
        journal = None if dry_run else Journal(folder)
        problems: list[str] = []
        for command in commands:
            words = printable(command.words(), lines=True)
            print(words)
            if journal is not None:
                journal.write("send", words)
            problems += [line for sent in writer.send([command]) for line in sent.problems]
        if known is not None and not problems and not dry_run:
            known.factors.clear()  # what is set from now on is not ours
            save_ours(folder, known)
    if problems:
        raise InputError(f"Slurm says: {'; '.join(problems)}.")
    if not dry_run:
        print("given back; a reservation ends within seconds")
