"""packwise slurm shadow: what a time of advising tells of steering."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from packwise.cli.options.arguments import Grouping, Json, MetricNames
from packwise.cli.slurm.options import ClusterOfJournal, LivePolicy, StateFolder


def shadow(
    policy: LivePolicy = "packwise",
    by: Annotated[
        Grouping | None,
        typer.Option(
            "--by", help="Show the table by partition, account, user or size.", show_default=False
        ),
    ] = None,
    metrics: MetricNames = None,
    state: StateFolder = None,
    cluster: ClusterOfJournal = None,
    json: Json = False,
) -> None:
    """What would have changed: the jobs that were seen while advising, replayed.

    Let `packwise slurm advise` run for a week. It writes down every job that it
    sees to end, and the site's settings. Here they are replayed as Slurm schedules
    them and as the policy would, beside what really happened: who waits less, who
    longer, and what could be chance. The log is STATE/jobs.psv, for all other
    commands, too.

    Examples:
      $ packwise slurm shadow
      $ packwise slurm shadow --policy list-saf --by user
    """
    from packwise.adapters.slurm.journal import read_journal
    from packwise.adapters.slurm.seen import seen_log
    from packwise.adapters.slurm.shadow import shadow as compared
    from packwise.adapters.slurm.site_conf import NAME
    from packwise.cli.options.trace import load_trace
    from packwise.cli.slurm.folders import written_folder
    from packwise.cli.tables.metrics import check_measurable, wanted_metrics
    from packwise.cli.whatif import cases, tell
    from packwise.whatif import change_words
    from packwise.workloads.window import Window

    folder = written_folder(state, cluster)
    wanted = wanted_metrics(metrics)
    log = seen_log(folder)
    loaded = load_trace(str(log), None, Window(), str(folder / NAME), "1", None)
    check_measurable(loaded.workload, loaded.cluster, wanted)
    old, new = cases(loaded, {}, policy, "", None, (), None)
    changes = change_words({}, policy, "", None, (), old.cluster.is_pool)
    told = compared(read_journal(folder), _starts(log))
    tell(
        loaded,
        old,
        new,
        changes,
        metrics=metrics,
        wanted=wanted,
        by=by,
        json=json,
        beside=told.words(),
    )


def _starts(log: Path) -> dict[str, int]:
    """When the jobs of the log started, by id."""
    with log.open(encoding="utf-8") as lines:
        head = next(lines).rstrip("\n").split("|")
        id, start = head.index("JobID"), head.index("Start")
        cells = (line.rstrip("\n").split("|") for line in lines)
        return {row[id]: int(row[start]) for row in cells if len(row) == len(head)}
