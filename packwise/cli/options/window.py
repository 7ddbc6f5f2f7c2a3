"""Which jobs of a workload to use: options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from packwise.workloads.window import Window

_PANEL = "Which jobs"
_READING = "How to read the file"


class MissingLimit(StrEnum):
    """What to do with jobs that have no requested time."""

    DROP = "drop"
    RUNTIME = "runtime"


class ImpossibleDeadlines(StrEnum):
    """What to do with deadlines that nobody could meet."""

    REFUSE = "refuse"
    COUNT = "count"


def _option(*names: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(
        *names, help=help, metavar=metavar, rich_help_panel=_PANEL, show_default=False
    )


def _reading(name: str, *, help: str, metavar: str) -> Any:
    return typer.Option(
        name, help=help, metavar=metavar, rich_help_panel=_READING, show_default=False
    )


TimeZone = Annotated[
    str | None,
    _reading(
        "--time-zone",
        metavar="ZONE",
        help="Where the site is, such as Europe/Berlin: for records whose times are by its clock.",
    ),
]
SacctColumns = Annotated[
    str | None,
    _reading(
        "--columns",
        metavar="NAMES",
        help="What sacct was given with --format, for a dump without a header.",
    ),
]
ColumnMap = Annotated[
    list[str] | None,
    _reading(
        "--map",
        metavar="COLUMN=MEANING,...",
        help="What the columns of any other CSV or Parquet file mean: job=id,queued=submit,begin=start,"
        "seconds=elapsed,wallclock=limit:min,cores=cpus,who=user. May be repeated.",
    ),
]


def _window(
    since: Annotated[
        str | None,
        _option(
            "--from",
            metavar="TIME",
            help="Submitted from then on: after the first job (3600, 12h, 7d), or a date (2024-01-05, "
            "2024-01-05T12:00) by the site's clock.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        _option("--until", metavar="TIME", help="Submitted before then: 12h, 7d, 2024-02-05."),
    ] = None,
    first: Annotated[
        int | None, _option("--first", metavar="I", help="From this job on; 0 is the first.")
    ] = None,
    count: Annotated[int | None, _option("--count", metavar="N", help="This many jobs.")] = None,
    drop_queue: Annotated[
        list[str] | None,
        _option("--drop-queue", metavar="Q,...", help="Leave out these queues, such as 0,1."),
    ] = None,
    drop_partition: Annotated[
        list[str] | None,
        _option(
            "--drop-partition",
            metavar="P,...",
            help="Leave out these partitions (field 16 of SWF), such as 1,3.",
        ),
    ] = None,
    drop_unallocated: Annotated[
        bool,
        _option(
            "--drop-unallocated",
            help="Leave out jobs whose number of allocated processors (field 5 of SWF) is not known.",
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        _option(
            "--only",
            metavar="WHAT=NAME,...",
            help="Only jobs of these, by name: partition=gpu,debug; user, group, account, queue, qos, name, "
            "state, features, cluster. May be repeated.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        _option(
            "--without",
            metavar="WHAT=NAME,...",
            help="Without jobs of these: user=alice. May be repeated.",
        ),
    ] = None,
    round_demand: Annotated[
        int | None,
        _option("--round-demand", metavar="M", help="Demands up to a multiple: whole nodes."),
    ] = None,
    scale_load: Annotated[
        float | None,
        _option("--scale-load", metavar="F", help="Arrivals F times as dense: 1.2 is 20 % more."),
    ] = None,
    shake: Annotated[
        int | None,
        _option("--shake", metavar="SEED", help="Move each submission a little, at random."),
    ] = None,
    shake_seconds: Annotated[
        int, _option("--shake-seconds", metavar="S", help="By up to so much (default 60).")
    ] = 60,
    deadlines: Annotated[
        list[str] | None,
        _option(
            "--deadlines",
            metavar="RULE",
            help="Give jobs deadlines; may be repeated, for jobs that differ. 'slack(share=20%)': for 20 % "
            "of the jobs, drawn at random, submission plus max(24 h, 10 limits) (least=24h, factor=10, "
            "seed=1). 'morning(hour=8)', 'week(day=mon,hour=8)': the next such time by which the job can "
            "end. 'column': those of the trace's own column, or of 'column(file=deadlines.csv)' "
            "(job_id,deadline). queue=3+5 and user=17 pick jobs.",
        ),
    ] = None,
    impossible_deadlines: Annotated[
        ImpossibleDeadlines,
        _option(
            "--impossible-deadlines",
            help="Deadlines that nobody could meet: refuse (the default), or keep and count them.",
        ),
    ] = ImpossibleDeadlines.REFUSE,
    missing_limit: Annotated[
        MissingLimit,
        _option("--missing-limit", help="Jobs without requested time: drop, or use the run time."),
    ] = MissingLimit.DROP,
    time_zone: TimeZone = None,
    columns: SacctColumns = None,
    mapping: ColumnMap = None,
) -> Window:
    from packwise.model.time_zone import zone_named
    from packwise.workloads.calendar import parse_when
    from packwise.workloads.deadlines import parse_rules
    from packwise.workloads.records.meanings import parse_map
    from packwise.workloads.selection import Selection
    from packwise.workloads.window import Window

    rules = tuple(deadlines or ())
    # What is wrong with an option is said before a log is read.
    parse_rules(rules)
    parse_map(mapping or ())
    for option, texts in (("--only", only), ("--without", without)):
        for text in texts or ():
            Selection.parse(text, option)
    if time_zone is not None:
        zone_named(time_zone)
    return Window(
        missing_limit=missing_limit.value,
        time_zone=time_zone or "",
        columns=columns or "",
        mapping=tuple(mapping or ()),
        start=None if since is None else parse_when(since, "--from"),
        end=None if until is None else parse_when(until, "--until"),
        first=first,
        count=count,
        drop_queues=_numbers(drop_queue, "--drop-queue", "queue"),
        drop_partitions=_numbers(drop_partition, "--drop-partition", "partition"),
        drop_unallocated=drop_unallocated,
        only=tuple(only or ()),
        without=tuple(without or ()),
        multiple=round_demand,
        factor=scale_load,
        seed=shake,
        seconds=shake_seconds,
        deadlines=rules,
        impossible=impossible_deadlines.value,
    )


def _numbers(texts: list[str] | None, option: str, kind: str) -> tuple[int, ...]:
    """The numbers of an option that may be repeated, each time with one or several."""
    text = ",".join(texts or ())
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        from packwise.model.errors import InputError

        raise InputError(
            f"{option}: expected {kind} numbers such as 0,1, found '{text}'."
        ) from None


def with_window(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes ``window`` the options above."""
    hints = {
        name: hint
        for function in (command, _window)
        for name, hint in get_type_hints(
            function, localns={"Window": Any}, include_extras=True
        ).items()
        if name not in ("window", "return")
    }
    own = inspect.signature(command).parameters
    shared = inspect.signature(_window).parameters
    both = [
        parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in {**own, **shared}.items()
        if name != "window"
    ]

    @wraps(command)
    def with_options(**given: Any) -> None:
        window = _window(**{name: given.pop(name) for name in shared})
        command(window=window, **given)

    del with_options.__wrapped__
    with_options.__signature__ = inspect.Signature(both)  # type: ignore[attr-defined]
    with_options.__annotations__ = hints
    return with_options
