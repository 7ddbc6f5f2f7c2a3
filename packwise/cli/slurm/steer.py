"""packwise slurm steer: site factors that bring the queue into the order of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.slurm.options import (
    DryRun,
    Forecasts,
    Form,
    Interval,
    LivePolicy,
    Partitions,
    ReadForm,
    Rounds,
    StateFolder,
)

if TYPE_CHECKING:
    from packwise.adapters.slurm.cycle import Cycle
    from packwise.adapters.slurm.live import Live


def steer(
    policy: LivePolicy = "packwise",
    band: Annotated[
        int,
        typer.Option(
            "--band",
            metavar="N",
            min=1,
            max=2**30,
            help="A site factor is between -N and N: how far a job's priority may be moved.",
        ),
    ] = 1000,
    partition: Partitions = None,
    interval: Interval = 10.0,
    rounds: Rounds = None,
    forecast: Forecasts = True,
    dry_run: DryRun = False,
    state: StateFolder = None,
    read: ReadForm = Form.TEXT,
) -> None:
    """Bring the queue into the order of the plan, by SiteFactor and nothing else.

    Slurm goes on to decide who starts when. Only factors that change are sent.
    When it ends, they are set back to 0. If it is killed (kill -9), they stay: jobs
    that were lowered wait behind newcomers until `packwise slurm reset`. Needs
    PriorityType=priority/multifactor, and an account with AdminLevel=Operator.

    Examples:
      $ packwise slurm steer --dry-run --rounds 1
      $ packwise slurm steer --policy packwise --band 1000
      $ packwise slurm steer --policy list-saf --partition batch
    """
    from packwise.adapters.slurm.modes import Steer
    from packwise.cli.slurm.first_look import FirstLook
    from packwise.cli.slurm.going import check_allowed, check_partitions, go, open_site
    from packwise.cli.slurm.options import chosen_partitions, live_policy, state_folder
    from packwise.cli.slurm.watching import watching
    from packwise.cli.terminal import note

    reader, site = open_site(read.value)
    check_allowed(site, "steer")
    mode = Steer(reader, band, chosen_partitions(partition))
    check_partitions(reader, mode.partitions)
    if not dry_run:
        note(
            "if this is killed (kill -9), jobs that it has lowered stay behind newcomers until `packwise slurm "
            "reset`; the unit of `packwise slurm unit steer` says that by itself"
        )
    with watching(live=not dry_run) as show, FirstLook(mode.partitions) as first:
        first.look(reader)
        go(
            reader,
            site,
            live_policy(policy),
            mode,
            state_folder(state, site.cluster),
            interval=interval,
            rounds=rounds,
            dry_run=dry_run,
            forecast=forecast,
            show=commands if dry_run else show,
            first=first,
        )


def commands(live: Live, cycle: Cycle | None) -> None:
    """Print what would have been sent."""
    from packwise.cli.slurm.watching import tell_trouble
    from packwise.cli.terminal import printable

    if cycle is None:
        tell_trouble(live)
        return
    for sent in cycle.sent:
        print(printable(sent.command.words(), lines=True))
    if not cycle.sent:
        print("# nothing to send")
