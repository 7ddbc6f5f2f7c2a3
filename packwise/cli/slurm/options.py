"""Options that the commands of a live Slurm share."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from packwise.cli.options import completion

if TYPE_CHECKING:
    from packwise.model.decision import Policy

_SITE = "Site"
#: Where the service of a site keeps what is its own.
SERVICE = Path("/var/lib/packwise")


class Form(StrEnum):
    """How the queue is read."""

    TEXT = "text"
    JSON = "json"


LivePolicy = Annotated[
    str,
    typer.Option(
        "--policy",
        "-p",
        metavar="NAME",
        help="The policy that plans: a name (see `packwise policies`), or a file of yours (mine.py:name).",
        autocompletion=completion.policies,
    ),
]
Partitions = Annotated[
    str | None,
    typer.Option(
        "--partition",
        metavar="NAMES",
        help="Only the jobs of these partitions, separated by commas. All if not told.",
        show_default=False,
    ),
]
Interval = Annotated[
    float,
    typer.Option(
        "--interval",
        metavar="S",
        min=0.2,
        help="Seconds from one look at the queue to the next. Longer by itself, where Slurm takes long to "
        "answer.",
    ),
]
StateFolder = Annotated[
    Path | None,
    typer.Option(
        "--state",
        metavar="DIR",
        help="Where journal, status and ledger are kept. By default $STATE_DIRECTORY (systemd), or a folder "
        "of this account for each cluster.",
        rich_help_panel=_SITE,
        show_default=False,
    ),
]
ClusterOfJournal = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="NAME",
        help="The cluster whose folder it is. That of this host if not told.",
        rich_help_panel=_SITE,
        show_default=False,
    ),
]
ReadForm = Annotated[
    Form,
    typer.Option("--read", help="How squeue is read.", rich_help_panel=_SITE),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        metavar="N",
        min=1,
        help="Stop after so many rounds. Goes on until it is stopped if not told.",
        show_default=False,
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the commands that would be sent, and send none.")
]
Forecasts = Annotated[
    bool,
    typer.Option(
        "--forecast/--no-forecast",
        help="Forecast the start of who waits now and then, and learn from what became of it (see `packwise "
        "slurm when`).",
    ),
]


def state_folder(given: Path | None, cluster: str) -> Path:
    """The folder that was named, that of the service, or the account's own."""
    if given is not None:
        return given
    service = os.environ.get("STATE_DIRECTORY")
    if service:
        return Path(service.split(":")[0])
    import re

    from packwise.files import own_folders

    return own_folders.state_folder() / "slurm" / re.sub(r"[^\w.-]", "_", cluster)


def live_policy(name: str) -> Policy:
    """A policy that can plan for a live cluster of nodes."""
    from packwise import registry
    from packwise.model.errors import InputError
    from packwise.policies.recorded import Recorded
    from packwise.simulation import BoundPolicy, plans_on_nodes

    policy = registry.policy(name)
    if isinstance(policy, BoundPolicy | Recorded):
        raise InputError(
            f"policy '{policy.name}' has to know a whole log beforehand, so it cannot run live. Use another "
            "one, such as packwise or easy."
        )
    if not plans_on_nodes(policy):
        raise InputError(
            f"policy '{policy.name}' cannot plan on nodes, which a live cluster has. Use packwise, easy, cbf "
            "or a list policy."
        )
    return policy


def chosen_partitions(text: str | None) -> frozenset[str] | None:
    """The partitions that were named; None for all."""
    if text is None:
        return None
    from packwise.model.errors import InputError

    found = frozenset(filter(None, (part.strip() for part in text.split(","))))
    if not found:
        raise InputError("--partition: expected names, such as batch,long, found none.")
    return found
