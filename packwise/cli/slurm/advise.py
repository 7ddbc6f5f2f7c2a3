"""packwise slurm advise: our plan beside Slurm's own forecast. Only reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options.arguments import Json
from packwise.cli.slurm.options import (
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


def advise(
    policy: LivePolicy = "packwise",
    partition: Partitions = None,
    interval: Interval = 10.0,
    once: Annotated[bool, typer.Option("--once", help="Look once, print, and end.")] = False,
    rounds: Rounds = None,
    forecast: Forecasts = True,
    state: StateFolder = None,
    read: ReadForm = Form.TEXT,
    json: Json = False,
) -> None:
    """Plan the live queue and show when each job would start, beside Slurm's forecast.

    Read-only: nothing is ever sent. Needs no rights, unless the site hides jobs
    of others (PrivateData).

    Examples:
      $ packwise slurm advise --once
      $ packwise slurm advise --policy easy --partition batch
      $ packwise slurm advise --once --json > plan.json
    """
    from contextlib import nullcontext
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from packwise.adapters.slurm import state_file
    from packwise.adapters.slurm.modes.advise import Advise
    from packwise.cli.slurm.first_look import FirstLook
    from packwise.cli.slurm.going import check_allowed, check_partitions, go, open_site
    from packwise.cli.slurm.options import chosen_partitions, live_policy, state_folder
    from packwise.cli.slurm.watching import tell_trouble, watching
    from packwise.cli.terminal import print_json

    mode = Advise(chosen_partitions(partition))
    reader, site = open_site(read.value)
    check_allowed(site, "advise")
    check_partitions(reader, mode.partitions)
    folder = state_folder(state, site.cluster)

    def as_json(live: Live, cycle: Cycle | None) -> None:
        if live.shown is None:
            tell_trouble(live)
        else:
            print_json(live.shown)

    # A look beside a daemon that works with the folder: what it would keep is kept already.
    is_beside = once and state_file.is_taken(folder)
    with (
        TemporaryDirectory() if is_beside else nullcontext(folder) as kept,
        watching(live=not (once or json)) as show,
        FirstLook(mode.partitions) as first,
    ):
        first.look(reader)
        go(
            reader,
            site,
            live_policy(policy),
            mode,
            Path(kept),
            interval=interval,
            rounds=1 if once else rounds,
            dry_run=False,
            forecast=forecast and not once,
            show=as_json if json else show,
            first=first,
        )
