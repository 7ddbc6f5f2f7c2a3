"""The TRACE argument: a file, or the name of a log that was fetched from the archive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.decision import Policy
    from packwise.predict import Predictor
    from packwise.workloads.cleaning import CleaningReport
    from packwise.workloads.records.report import RecordsReport
    from packwise.workloads.trace import Trace
    from packwise.workloads.window import Window


def load_trace(
    name: str,
    procs: int | None,
    window: Window,
    cluster: str | None = None,
    unit_cores: str = "1",
    placement: str | None = None,
    *,
    replays: Iterable[tuple[Policy, Predictor]] = (),
    besides: Iterable[str] = (),
    stepped: bool = False,
) -> Trace:
    """Read, clean and cut to the window; says so if that takes much away.

    Meanwhile what the ``replays`` of policies with estimates need is compiled, and ``besides`` these parts.
    """
    from packwise.cli.options.machine import chosen_cluster
    from packwise.cli.terminal.progress import busy
    from packwise.warm_up.crew import begin
    from packwise.warm_up.needs import at_first_sight
    from packwise.workloads import trace

    path = trace.find_trace(name)
    nodes = chosen_cluster(cluster, procs, placement)
    begin([*at_first_sight(path.name, replays, nodes, stepped=stepped), *besides])
    with busy(f"reading {path.name}"):
        loaded = trace.load_trace(path, procs, window, on=nodes, unit_cores=unit_cores)
    if loaded.cleaning is not None:
        _warn(loaded.cleaning)
    return loaded


def _warn(report: CleaningReport | RecordsReport) -> None:
    """Say so when cleaning took so much away that the rest may not stand for the log."""
    from packwise.cli.terminal import note

    if report.dropped > 0.2 * report.jobs_read:
        share = report.dropped / report.jobs_read
        remedy = (
            " `--missing-limit runtime` keeps those without a requested time."
            if report.dropped_limit
            else ""
        )
        note(
            f"warning: {share:.0%} of the jobs were dropped ({report.dropped:,} of "
            f"{report.jobs_read:,}): what is left may not stand for the machine's load.{remedy}"
        )
