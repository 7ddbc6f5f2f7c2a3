"""packwise slurm drive: the plan is carried out, under a reservation that lapses by itself."""

from __future__ import annotations

from typing import Annotated

import typer

from packwise.cli.slurm.options import (
    DryRun,
    Form,
    Interval,
    LivePolicy,
    Partitions,
    ReadForm,
    ReservationName,
    Rounds,
    StateFolder,
)


def drive(
    policy: LivePolicy = "packwise",
    partition: Partitions = None,
    lease: Annotated[
        int,
        typer.Option(
            "--lease",
            metavar="S",
            min=10,
            max=3600,
            help="The nodes are kept for so many seconds at a time: if nobody renews that, they are Slurm's.",
        ),
    ] = 60,
    interval: Interval = 5.0,
    reservation: ReservationName = "packwise",
    without_guard: Annotated[
        bool,
        typer.Option(
            "--without-guard",
            help="Go on although no submit plugin keeps users from naming the reservation themselves (see "
            "`packwise slurm guard`). Who does may start at once; who waits is taken out of it again.",
        ),
    ] = False,
    rounds: Rounds = None,
    dry_run: DryRun = False,
    state: StateFolder = None,
    read: ReadForm = Form.TEXT,
) -> None:
    """Carry the plan out: who starts when, and on which nodes.

    The nodes of the partitions are kept by a short reservation, which is renewed
    while this runs; jobs are let into it when the plan says so. No job is held. If
    this stops or crashes, the reservation ends by itself within the lease (two, if it
    hangs), and Slurm schedules everything. Needs AdminLevel=Operator.

    Examples:
      $ packwise slurm drive --partition batch --lease 60 --dry-run --rounds 1
      $ packwise slurm drive --partition batch --lease 60
    """
    from packwise.adapters.slurm.modes import Drive
    from packwise.adapters.slurm.probe import guarded
    from packwise.cli.slurm.going import check_allowed, go, open_site
    from packwise.cli.slurm.options import chosen_partitions, live_policy, state_folder
    from packwise.cli.slurm.steer import commands
    from packwise.cli.slurm.watching import watching
    from packwise.model.errors import InputError

    if interval > lease / 2:
        raise InputError(
            f"--interval should be half of --lease ({lease} s) at most, found {interval:g} s: between two "
            "looks the nodes would not be ours."
        )
    planner = live_policy(policy)
    reader, site = open_site(read.value)
    check_allowed(site, "drive")
    if not guarded(site.settings) and not without_guard and not dry_run:
        raise InputError(
            f"nothing keeps users of '{site.cluster}' from naming the reservation '{reservation}' themselves. "
            "Install the guard (`packwise slurm guard` prints it), or say --without-guard: who names it then "
            "starts out of turn, if there is room."
        )
    enforced = "associations" in site.settings.get("accountingstorageenforce", "")
    mode = Drive(
        chosen_partitions(partition),
        lease,
        reservation,
        site.account if enforced else "nobody",
        dry_run,
    )
    mode.check(reader.snapshot())
    with watching(live=not dry_run) as show:
        go(
            reader,
            site,
            planner,
            mode,
            state_folder(state, site.cluster),
            interval=interval,
            rounds=rounds,
            dry_run=dry_run,
            show=commands if dry_run else show,
            lease=lease,
        )
