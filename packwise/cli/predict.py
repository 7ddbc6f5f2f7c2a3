"""packwise predict: one workload under several predictors of run times."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeVar

import typer

from packwise.cli.options import completion
from packwise.cli.options.arguments import Json, Procs, TraceName
from packwise.cli.options.window import with_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from packwise.cli.tables.accuracy import Judged
    from packwise.metrics.comparison import Comparison
    from packwise.metrics.definition import Metric
    from packwise.model.decision import Policy
    from packwise.model.run import Run
    from packwise.predict import Predictor
    from packwise.workloads.trace import Trace
    from packwise.workloads.window import Window

DEFAULT_PREDICTORS = "requested,last2,hierarchy,sp-2%,cvh"
_RESULTS = "Results"
_TABLES = (".csv", ".parquet")
_FACTS = ("job_id", "runtime", "limit")

Found = TypeVar("Found", "Policy", "Predictor")


class Effect(NamedTuple):
    """What all predictors did under one policy; runs and judgements in the order of the comparison."""

    policy: str
    comparison: Comparison
    runs: list[Run]
    judged: list[Judged]


@with_window
def predict(
    trace: TraceName,
    window: Window,
    predictors: Annotated[
        str,
        typer.Option(
            "--predictors",
            "--estimates",
            "-e",
            help="Predictors separated by commas, such as last2,sp-5%,my.py:mine; `packwise "
            "policies` lists them. All are compared with requested.",
        ),
    ] = DEFAULT_PREDICTORS,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            "-p",
            help="The policy that they feed; or several, separated by commas.",
            autocompletion=completion.policies,
        ),
    ] = "list-reg",
    metrics: Annotated[
        str,
        typer.Option(
            "--metrics",
            metavar="NAMES",
            help="Metrics of the effect on schedules; or 'all'.",
            autocompletion=completion.metrics,
        ),
    ] = "BSLD,AF,AWF,P2SF",
    procs: Procs = None,
    json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write each job's run time, limit and estimates at submission (under the first "
            "policy): .csv, .parquet. Replaces an existing file.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            "--picture",
            help="Draw predicted against actual run times (under the first policy): .png, .svg, "
            ".pdf.",
            rich_help_panel=_RESULTS,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Judge predictors of run times: how accurate they are, and what they do to the schedule.

    Each predictor learns during a replay, as it would on the machine. What it
    says of a job at its submission counts. Accuracy and effect are two things:
    being too short breaks a plan, being too long only hides room.

    Examples:
      $ packwise predict log.swf.gz
      $ packwise predict log.swf --predictors last2,hierarchy,sp-2%,cvh --plot predicted.png
      $ packwise predict kth-sp2 --predictors 'last2,last2(corrector=steps)' --policy easy,list-saf
      $ packwise predict log.swf --predictors sp-5%,my.py:mine --output estimates.csv
    """
    from packwise import registry
    from packwise.cli.options.destination import PICTURES, Output, check_destinations
    from packwise.cli.options.trace import load_trace
    from packwise.cli.remarks.prediction import prediction_remarks
    from packwise.cli.tables.metrics import check_measurable, wanted_metrics

    policies = _named("--policy", policy, registry.policy, "list-reg,easy")
    asked = _named("--predictors", predictors, registry.estimate, "last2,hierarchy")
    compared = _with_baseline(asked)
    wanted = wanted_metrics(metrics)
    check_destinations(Output(output, _TABLES), Output(plot, PICTURES))
    if output is not None:
        _refuse_hidden_columns(asked)
    loaded = load_trace(trace, procs, window, replays=product(policies, compared))
    check_measurable(loaded.workload, loaded.cluster, wanted)
    effects = [_effect(loaded, one, compared, wanted) for one in policies]
    drawn = effects[0].runs[-len(asked) :]
    if output is not None:
        _write(output, drawn)
    if plot is not None:
        from packwise.metrics.prediction import nominal_quantile
        from packwise.pictures.prediction import plot_predictions

        plot_predictions(drawn, plot, [nominal_quantile(one) for one in asked])
    remarks = prediction_remarks(loaded.workload, compared)
    if json:
        _print_json(loaded, effects, remarks)
    else:
        _print(loaded, effects, [*loaded.remarks(), *window.words(), *remarks])
        for path in filter(None, (output, plot)):
            print(f"Wrote {path}")


def _named(option: str, text: str, find: Callable[[str], Found], example: str) -> list[Found]:
    """What names stand for; a name that is unknown or repeated is refused before any work is done."""
    from packwise.model.errors import InputError
    from packwise.registry import split_names

    with redirect_stdout(sys.stderr):  # what a user's file prints is no result
        found = [find(name) for name in split_names(text)]
    if not found:
        raise InputError(
            f"{option}: expected names separated by commas, such as {example}, found '{text}'."
        )
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{option}: '{name}' is there {names.count(name)} times. Keep one.")
    return found


def _with_baseline(asked: list[Predictor]) -> list[Predictor]:
    """Those asked for, behind the users' limits, unless these are among them."""
    from packwise.model.errors import InputError
    from packwise.predict import Requested

    if any(isinstance(one, Requested) for one in asked):
        return asked
    if any(one.name == Requested.name for one in asked):
        raise InputError(
            f"--predictors: '{Requested.name}' is the name of what all are compared with. Give yours "
            "another name."
        )
    return [Requested(), *asked]


def _refuse_hidden_columns(predictors: list[Predictor]) -> None:
    from packwise.model.errors import InputError

    for one in predictors:
        if one.name in _FACTS:
            raise InputError(
                f"--output: the table has a column '{one.name}' already. Give the predictor another "
                "name."
            )


def _effect(
    loaded: Trace, policy: Policy, predictors: list[Predictor], metrics: list[Metric] | None
) -> Effect:
    from packwise.cli.compare import run_all
    from packwise.cli.tables.accuracy import Judged
    from packwise.metrics.prediction import accuracy_of, calibration_of, nominal_quantile
    from packwise.predict import Requested
    from packwise.side_by_side import Planned

    plan = [Planned(one.name, policy, one) for one in predictors]
    baseline = next(i for i, one in enumerate(predictors) if isinstance(one, Requested))
    comparison, runs = run_all(loaded.workload, loaded.cluster, plan, metrics, baseline)
    judged = [
        Judged(one.name, nominal_quantile(one), accuracy_of(run), calibration_of(run))
        for one, run in zip(predictors, runs, strict=True)
    ]
    return Effect(policy.name, comparison, runs, judged)


def _write(output: Path, runs: list[Run]) -> None:
    """One row per job: what it took, what the user said, and what each predictor said."""
    import polars as pl

    from packwise.files.output import atomic_output

    jobs = runs[0].workload
    facts = dict(zip(_FACTS, (jobs.id, jobs.runtime, jobs.requested_time), strict=True))
    table = pl.DataFrame({**facts, **{run.estimate: run.first_estimate for run in runs}})
    with atomic_output(output) as stream:
        if output.suffix.lower() == ".csv":
            table.write_csv(stream)
        else:
            table.write_parquet(stream)


def _print_json(loaded: Trace, effects: list[Effect], remarks: list[str]) -> None:
    from packwise import __version__
    from packwise.cli.tables.accuracy import accuracy_json
    from packwise.cli.tables.comparison import comparison_json
    from packwise.cli.terminal import print_json

    print_json(
        {
            "workload": loaded.workload.name,
            "procs": loaded.cluster.procs,
            "jobs": len(loaded.workload),
            "dropped_wide": loaded.dropped_wide,
            "policies": [
                {
                    "policy": effect.policy,
                    "accuracy": [accuracy_json(one) for one in effect.judged],
                    "effect": comparison_json(effect.comparison, effect.runs),
                }
                for effect in effects
            ],
            "remarks": remarks,
            "version": __version__,
        }
    )


def _print(loaded: Trace, effects: list[Effect], remarks: list[str]) -> None:
    from packwise.cli.tables.accuracy import print_accuracy, print_calibration
    from packwise.cli.tables.comparison import print_comparison
    from packwise.cli.terminal import stdout

    console = stdout()
    title = f"{loaded.workload.name}: {len(loaded.workload):,} jobs"
    console.print(f"{title} on {loaded.cluster.procs:,} processors", style="bold", markup=False)
    for line in remarks:
        console.print(f"  {line}", style="dim", markup=False)
    for effect in effects:
        console.print()
        print_accuracy(effect.judged, effect.policy)
        console.print()
        print_calibration(effect.judged)
        console.print()
        console.print(f"Effect on {effect.policy}", style="bold", markup=False)
        print_comparison(effect.comparison, "estimate")
