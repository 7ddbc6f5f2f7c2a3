"""The tree of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from packwise.cli.check import check
from packwise.cli.compare import compare
from packwise.cli.compile import compile
from packwise.cli.demo import demo
from packwise.cli.energy import energy
from packwise.cli.explain import explain
from packwise.cli.metrics import metrics
from packwise.cli.plan import plan
from packwise.cli.policies import policies
from packwise.cli.predict import predict
from packwise.cli.replay import replay
from packwise.cli.report import report
from packwise.cli.slurm import slurm
from packwise.cli.solve import solve
from packwise.cli.study import study
from packwise.cli.terminal.failures import EXIT_STATUS, Commands
from packwise.cli.whatif import whatif
from packwise.cli.workload import workload

app = typer.Typer(
    cls=Commands,
    epilog=EXIT_STATUS,
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_REPLAYS, _SCHEDULES = "Replay workloads", "Look at schedules"
_LIVE, _OTHER = "Run a cluster", "Get going"

app.command(rich_help_panel=_REPLAYS)(replay)
app.command(rich_help_panel=_REPLAYS)(compare)
app.command(rich_help_panel=_REPLAYS)(whatif)
app.command(rich_help_panel=_REPLAYS)(predict)
app.command(rich_help_panel=_REPLAYS)(explain)
app.command(rich_help_panel=_REPLAYS)(solve)
app.command(rich_help_panel=_REPLAYS)(plan)
app.add_typer(study, name="study", rich_help_panel=_REPLAYS)
app.command(rich_help_panel=_REPLAYS)(policies)
app.add_typer(workload, name="workload", rich_help_panel=_REPLAYS)
app.command(rich_help_panel=_SCHEDULES)(metrics)
app.command(rich_help_panel=_SCHEDULES)(energy)
app.command(rich_help_panel=_SCHEDULES)(check)
app.command(rich_help_panel=_SCHEDULES)(report)
app.add_typer(slurm, name="slurm", rich_help_panel=_LIVE)
app.command(rich_help_panel=_OTHER)(demo)
app.command(rich_help_panel=_OTHER)(compile)


def _version(wanted: bool) -> None:
    if wanted:
        from packwise import __version__

        print(f"packwise {__version__}")
        raise typer.Exit


@app.callback()
def packwise(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Replay HPC job traces under scheduling policies, and see who waits for whom.

    Examples:
      $ packwise demo
      $ packwise replay log.swf.gz --policy easy-sjbf
      $ packwise compare log.swf.gz --policies easy,list-saf,list-laf
      $ packwise report log.swf.gz --output report.html
      $ packwise COMMAND --help
    """
