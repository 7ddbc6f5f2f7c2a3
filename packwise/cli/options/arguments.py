"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from packwise.cli.options import completion

_MACHINE = "Nodes"
_ENERGY = "Energy"


class Grouping(StrEnum):
    """Who pays for whom: the classes of a breakdown."""

    USER = "user"
    GROUP = "group"
    ACCOUNT = "account"
    PARTITION = "partition"
    QUEUE = "queue"
    QOS = "qos"
    SIZE = "size"
    RUNTIME = "runtime"
    DEADLINE = "deadline"


class ScheduleFormat(StrEnum):
    """What a schedule can be written as."""

    SWF = "swf"
    CSV = "csv"
    PARQUET = "parquet"
    BATSIM = "batsim"


TraceName = Annotated[
    str,
    typer.Argument(
        metavar="TRACE",
        help="A log in the Standard Workload Format (plain or .gz); what a site's accounting wrote (sacct -P, "
        "--json, jobcomp/filetxt, PBS, Torque); a table (.csv, .parquet); a workload for Batsim (.json); or "
        "the name of a fetched archive log such as kth-sp2. The content tells which.",
        show_default=False,
        autocompletion=completion.traces,
    ),
]
_SCHEDULE = (
    "SWF with waits in field 3, Batsim's jobs.csv, a table written by Packwise (.csv, .parquet), or what a "
    "site's accounting wrote (sacct, PBS, ...). The content tells which."
)
ScheduleName = Annotated[
    Path, typer.Argument(metavar="SCHEDULE", help=_SCHEDULE, show_default=False)
]
MaybeScheduleName = Annotated[
    Path | None, typer.Argument(metavar="[SCHEDULE]", help=_SCHEDULE, show_default=False)
]
Procs = Annotated[
    int | None,
    typer.Option(
        "--procs",
        metavar="N",
        help="Processors of the machine; by default what the file's header says.",
        show_default=False,
    ),
]
ClusterName = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="NAME",
        help="Nodes with cores, memory, GPUs, instead of a pool of processors: a preset (eurora, kit-fh2), a "
        "cluster file (site.toml), Slurm's slurm.conf, or a table of nodes (nodes.csv).",
        rich_help_panel=_MACHINE,
        show_default=False,
    ),
]
Placement = Annotated[
    str | None,
    typer.Option(
        "--placement",
        metavar="RULE",
        help="Which nodes jobs get, with --cluster: first-fit, best-fit, consolidate, balanced, or "
        "scarce-last (the default).",
        rich_help_panel=_MACHINE,
        show_default=False,
    ),
]
UnitCores = Annotated[
    str,
    typer.Option(
        "--unit-cores",
        metavar="N",
        help="Cores that have to be on one node, for logs that tell processors only (SWF): 1, any number, "
        "'node' for a whole node's, or 'divisor' for what divides a whole node's and the job's.",
        rich_help_panel=_MACHINE,
    ),
]
ChargeDispatchTime = Annotated[
    str | None,
    typer.Option(
        "--charge-dispatch-time",
        metavar="TIME",
        help="Let simulated time pass while the policy decides: 'measured', or given, such as 2s (a round), "
        "50ms/job (for each that waits) or 2s+50ms/job. Given times are reproducible. Every policy is then "
        "asked round by round.",
        show_default=False,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else there.")
]
MetricNames = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        metavar="NAMES",
        help="Metrics to show, separated by commas, such as BSLD,AWF,P2SF,wait_p95, or of your own "
        "(mine.py:fairness); or 'all'. `packwise metrics --list` explains them.",
        show_default=False,
        autocompletion=completion.metrics,
    ),
]
TrimName = Annotated[
    str | None,
    typer.Option(
        "--trim",
        metavar="WHICH",
        help="Measure without the jobs that end first or last: 'last' (those that end last), '1%' (1 % at both "
        "ends) or '1%:arrivals' (the first 1 %, and those that end after the last submission). Metrics of the "
        "machine are about all jobs.",
        show_default=False,
    ),
]
Fairness = Annotated[
    bool,
    typer.Option(
        "--fairness",
        help="Add the metrics of fairness: those that plan a fair start for every job, and Jain's index of "
        "users.",
    ),
]
Density = Annotated[
    bool,
    typer.Option(
        "--density",
        help="Add how utilization is distributed: for which share of the time how many processors were busy.",
    ),
]
By = Annotated[
    Grouping | None,
    typer.Option("--by", help="Add a table by class: who pays for whom.", show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")]
EnergyName = Annotated[
    str | None,
    typer.Option(
        "--energy",
        metavar="SCENARIO",
        help="What power costs: a scenario that comes with Packwise (market, day-night, summer-air, ...; "
        "`packwise energy --list`) or a file (site.toml). Adds the metrics of energy.",
        rich_help_panel=_ENERGY,
        show_default=False,
    ),
]
ShiftTo = Annotated[
    str | None,
    typer.Option(
        "--shift-to",
        metavar="DATE",
        help="Take the first submission to be on this day, such as 2024-01-31, where the scenario's series are "
        "of other dates than the log.",
        rich_help_panel=_ENERGY,
        show_default=False,
    ),
]
