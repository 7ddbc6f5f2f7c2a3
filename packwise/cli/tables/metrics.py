"""Metrics of one schedule as a table, and the same schedule by class."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from packwise.cli.options.arguments import Grouping
from packwise.cli.terminal import stdout, table
from packwise.metrics.usual import DEADLINE_SHORT, ENERGY_SHORT
from packwise.readable import duration, number

if TYPE_CHECKING:
    from packwise.metrics.definition import Metric
    from packwise.metrics.outcome import Mask
    from packwise.model.cluster import Cluster
    from packwise.model.schedule import Schedule
    from packwise.model.workload import Workload

#: What a table shows unless asked for other metrics, as far as they apply; JSON has all.
SHORT = (
    "BSLD",
    "AF",
    "wait",
    "wait_p50",
    "wait_p99",
    "max_wait",
    "AWF",
    "P2SF",
    "utilization",
    "makespan",
    *DEADLINE_SHORT,
    *ENERGY_SHORT,
)
_SHARES = ("utilization", "deadline_usage", "deadline_usage_over_80")
_CLASSES_SHOWN = 25
#: What a log may not tell of its jobs.
_NAMED = ("group", "account", "partition", "queue", "qos")
#: A longer name is cut in tables.
_LONGEST = 32


def wanted_metrics(text: str | None) -> list[Metric] | None:
    """The metrics of a --metrics option; None for all that cost little."""
    from packwise.metrics.catalogue import chosen_metric
    from packwise.model.errors import InputError
    from packwise.model.specification import split_names

    if text is None or text.strip().lower() == "all":
        return None
    wanted = [chosen_metric(name) for name in split_names(text)]
    if not wanted:
        raise InputError("--metrics: expected names separated by commas, such as BSLD,AWF.")
    return wanted


def check_measurable(
    workload: Workload,
    cluster: Cluster,
    wanted: list[Metric] | None,
    by: Grouping | None = None,
) -> None:
    """Refuse, before a long replay, what needs deadlines or prices where there are none."""
    from packwise.metrics.deadlines import REMEDY, need_deadlines
    from packwise.metrics.energy.definitions import need_energy
    from packwise.model.errors import InputError

    need_deadlines(wanted or (), workload)
    need_energy(wanted or (), cluster)
    if by is not None and by.value in _NAMED:
        column = workload.numbers(by.value)
        if column is None or (column < 0).all():
            raise InputError(
                f"--by {by.value}: expected a log that tells the {by.value} of its jobs, found none in "
                f"'{workload.name}'."
            )
    if by is Grouping.DEADLINE and workload.deadline is None:
        raise InputError(
            f"--by deadline: expected a workload with deadlines, found none in '{workload.name}'. {REMEDY}"
        )


def measure(
    workload: Workload,
    cluster: Cluster,
    schedule: Schedule,
    wanted: list[Metric] | None,
    *,
    fairness: bool = False,
    only: Mask | None = None,
) -> dict[str, float]:
    """The values of the metrics asked for, over all jobs or ``only`` some."""
    from packwise.metrics.catalogue import summarize

    names = None if wanted is None else [one.name for one in wanted]
    return summarize(workload, cluster, schedule, names, fairness=fairness, only=only)


def print_metrics(values: dict[str, float], chosen: str | None) -> None:
    """The table; without a choice the few that matter most, and how to see the others."""
    from packwise.metrics.catalogue import FAIRNESS_METRICS, metric

    always = {*SHORT, *(one.name for one in FAIRNESS_METRICS)}
    shown = [name for name in values if chosen is not None or name in always]
    rows = table(
        "metric", "value", "unit", "readable", "better", "what it is", right=("value", "readable")
    )
    for one in (metric(name) for name in shown):
        value = values[one.name]
        readable = duration(value) if one.unit == "s" else ""
        if one.name in _SHARES and isfinite(value):
            readable = f"{100 * value:.1f} %"
        rows.add_row(one.name, number(value), one.unit, readable, one.better, one.title)
    console = stdout()
    console.print(rows)
    if len(shown) < len(values):
        hidden = len(values) - len(shown)
        console.print(f"{hidden} more with --metrics all", style="dim")


def breakdown(
    by: Grouping,
    workload: Workload,
    cluster: Cluster,
    schedule: Schedule,
    only: Mask | None = None,
) -> list[dict[str, Any]]:
    """One row per user, account, partition, ..., size class, run-time class or class of deadlines; of ``only``
    these jobs.
    """
    from packwise.metrics.breakdown import by_column, by_deadline, by_runtime, by_size

    if only is not None:
        workload, schedule = workload.select(only), schedule.select(only)
    make = {Grouping.SIZE: by_size, Grouping.RUNTIME: by_runtime, Grouping.DEADLINE: by_deadline}
    if by in make:
        return make[by](workload, cluster, schedule).to_dicts()
    return by_column(workload, cluster, schedule, by.value).to_dicts()


def short_name(label: Any) -> str:
    """The name of a class for a table."""
    text = str(label)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def print_breakdown(rows: list[dict[str, Any]]) -> None:
    """The table by class."""
    names = list(rows[0])
    shown = table(
        names[0],
        "jobs",
        "area %",
        "mean wait",
        "BSLD",
        "AF",
        "AWF",
        "max wait",
        right=("jobs", "area %", "mean wait", "BSLD", "AF", "AWF", "max wait"),
        title=f"By {names[0]}",
    )
    for row in rows[:_CLASSES_SHOWN]:
        shown.add_row(
            short_name(row[names[0]]),
            f"{row['jobs']:,}",
            f"{100 * row['area_share']:.1f}",
            duration(row["mean_wait"]),
            number(row["BSLD"]),
            duration(row["AF"]),
            duration(row["AWF"]),
            duration(row["max_wait"]),
        )
    console = stdout()
    console.print()
    console.print(shown)
    if len(rows) > _CLASSES_SHOWN:
        hidden = len(rows) - _CLASSES_SHOWN
        console.print(f"{hidden} more: --json has all of them", style="dim")
