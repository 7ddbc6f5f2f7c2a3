"""What the off-line optimiser found: four metrics of the first schedule and of the last, beside a bound."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.model.workload import Ints
    from packwise.optimise.offline import Log, Solved

_METRICS = ("AF", "AWF", "BSLD", "P2SF")


def _shown(metric: str) -> tuple[str, ...]:
    return _METRICS if metric in _METRICS else (*_METRICS, metric)


def solution_json(
    about: Mapping[str, Any], log: Log, found: Solved, starts: Mapping[str, Ints]
) -> dict[str, Any]:
    """Everything, for programs."""
    from packwise import __version__

    last = found.history[-1]
    return {
        **about,
        "value": found.value,
        "bound": found.bound,
        "gap": found.gap,
        "begun_from": found.seed,
        "schedules": dict(found.seeds),
        "metrics": {
            name: {metric: log.value(start, metric) for metric in _shown(log.metric)}
            for name, start in starts.items()
        },
        "evaluations": last.evaluations,
        "seconds": last.seconds,
        "history": [[at.seconds, at.value] for at in found.history],
        "interrupted": found.interrupted,
        "version": __version__,
    }


def print_solution(
    about: Mapping[str, Any],
    log: Log,
    found: Solved,
    starts: Mapping[str, Ints],
    remarks: list[str],
) -> None:
    """The table, and what it means in a sentence."""
    from rich.markup import escape

    from packwise.cli.terminal import stdout, table
    from packwise.readable import duration, number

    console = stdout()
    console.print(
        f"[bold]{escape(about['workload'])}[/] on {about['procs']:,} processors, {about['jobs']:,} jobs, "
        f"off-line, objective [bold]{log.metric}[/]",
        soft_wrap=True,
    )
    for line in remarks:
        console.print(f"  {line}", style="dim", markup=False)
    console.print()
    columns = ("list-reg", "seed", "result", "% of list-reg", "bound")
    rows = table("metric", *columns, right=columns)
    for metric in _shown(log.metric):
        reference, begun, reached = (log.value(start, metric) for start in starts.values())
        mine = metric == log.metric
        rows.add_row(
            metric,
            number(reference),
            number(begun),
            number(reached),
            f"{100 * reached / reference:.2f}",
            number(found.bound) if mine and isfinite(found.bound) else "",
            style="bold" if mine else "",
        )
    console.print(rows)
    console.print()
    last = found.history[-1]
    gain = 100 * (1 - found.value / found.seeds[found.seed])
    better = (
        f"no schedule is more than {100 * found.gap:.1f} % better"
        if isfinite(found.bound)
        else "there was no time for a bound"
    )
    console.print(
        f"{log.metric} is {gain:.2f} % below the seed ({found.seed}); {better}. {last.evaluations:,} "
        f"evaluations in {duration(last.seconds)}.",
        soft_wrap=True,
        markup=False,
    )
