"""A live plan on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

    from packwise.adapters.slurm.snapshot import QueuedJob, Snapshot

_ROWS = 30
#: Columns that are left out where the terminal is narrower than that.
_NARROW, _SPARE = 100, ("partition", "cores", "waits")
_LEFT = ("job", "user", "partition")
_HEADS = (*_LEFT, "nodes", "cores", "limit", "waits", "plan", "Slurm", "earlier", "likely")


def live_plan(status: Mapping[str, Any], rows: int = _ROWS, width: int = _NARROW) -> Group:
    """The head line, the waiting jobs with our start beside Slurm's, and what there is to say."""
    from rich.console import Group
    from rich.text import Text

    from packwise.cli.terminal import plain, table

    now = int(status["written"])
    parts: list[RenderableType] = [_head(status, now)]
    # First, lest they fall off the screen.
    said = (*_old(status), *status["health"].values(), *status["notes"])
    parts.extend(Text(f"! {text}", "yellow") for text in said)
    waiting = status["waiting"]
    left_out = {
        *(_SPARE if width < _NARROW else ()),
        *(() if any(job["slurm"] is not None for job in waiting) else ("Slurm", "earlier")),
        *(() if any(job.get("forecast") for job in waiting) else ("likely",)),
    }
    heads = [head for head in _HEADS if head not in left_out]
    shown = table(*heads, right=tuple(head for head in heads if head not in _LEFT))
    for job in waiting[:rows]:
        ours, theirs = job["planned"], job["slurm"]
        both = ours is not None and theirs is not None
        cells: dict[str, RenderableType] = {
            "job": plain(job["id"]),
            "user": plain(job["user"]),
            "partition": plain(job["partition"]),
            "nodes": str(job["node_count"]),
            "cores": str(job["cores"]),
            "limit": _length(job["limit"]),
            "waits": _length(max(now - job["submit"], 0)),
            "plan": _moment(ours, now),
            "Slurm": _moment(max(theirs, now) if theirs is not None else None, now),
            "earlier": _signed(max(theirs, now) - ours) if both else "",
            "likely": _likely(job.get("forecast"), now),
        }
        shown.add_row(*(cells[head] for head in heads))
    if waiting:
        parts.append(shown)
    if len(waiting) > rows:
        parts.append(Text(f"{len(waiting) - rows:,} more wait", "dim"))
    if status["left_out"]:
        parts.append(Text(_left_out(status["left_out"]), "dim"))
    return Group(*parts)


def slurms_own(
    snapshot: Snapshot, jobs: list[QueuedJob], rows: int = _ROWS, width: int = _NARROW
) -> Group:
    """What Slurm tells of those who wait for room, before there is a plan."""
    from rich.console import Group
    from rich.text import Text

    from packwise.cli.terminal import plain, table

    now = snapshot.now
    parts: list[RenderableType] = [
        Text(
            f"{counts_of(snapshot, len(jobs))}   (as Slurm tells it: the plan is being made)",
            "bold",
        )
    ]
    left_out = {"plan", "earlier", "likely", *(_SPARE if width < _NARROW else ())}
    heads = [head for head in _HEADS if head not in left_out]
    shown = table(*heads, right=tuple(head for head in heads if head not in _LEFT))
    for job in jobs[:rows]:
        cells: dict[str, RenderableType] = {
            "job": plain(job.id),
            "user": plain(job.user),
            "partition": plain(",".join(job.partitions)),
            "nodes": str(job.nodes),
            "cores": str(job.cpus),
            "limit": _length(job.limit if job.limit > 0 else None),
            "waits": _length(max(now - job.submit, 0)),
            "Slurm": _moment(job.start if job.start > 0 else None, now),
        }
        shown.add_row(*(cells[head] for head in heads))
    if jobs:
        parts.append(shown)
    if len(jobs) > rows:
        parts.append(Text(f"{len(jobs) - rows:,} more wait", "dim"))
    return Group(*parts)


def counts_of(snapshot: Snapshot, waiting: int) -> str:
    """The queue in a line: who waits for room, who runs, and what is free on nodes where jobs may start."""
    nodes = snapshot.nodes.values()
    running = sum(job.running for job in snapshot.jobs)
    free = sum(max(node.cpus - node.used_cpus, 0) for node in nodes if node.usable)
    cores = sum(node.cpus for node in nodes)
    return f"{snapshot.cluster.name}: {waiting:,} wait, {running:,} run, {free:,} of {cores:,} cores free"


def _old(status: Mapping[str, Any]) -> tuple[str, ...]:
    from packwise.readable import duration

    seconds = status.get("failing")
    return (
        (f"this plan is {duration(seconds)} old: rounds fail, and are tried again",)
        if seconds
        else ()
    )


def _likely(forecast: list[int] | None, now: int) -> str:
    """The start by which half of the futures have started it."""
    return _moment(forecast[1], now) if forecast and forecast[1] >= 0 else ""


def _head(status: Mapping[str, Any], now: int) -> RenderableType:
    from rich.text import Text

    seconds = status["seconds"]
    took = f"read {seconds['read']:.2f} s, plan {seconds['plan']:.2f} s"
    return Text(
        f"{status['cluster']}  {datetime.fromtimestamp(now):%a %H:%M:%S}   {status['mode']} with "
        f"{status['policy']}   {len(status['waiting']):,} wait, {len(status['running']):,} run, "
        f"{status['free']:,} of {status['cores']:,} cores free   ({took})",
        "bold",
    )


def _left_out(jobs: list[dict[str, Any]]) -> str:
    reasons: dict[str, int] = {}
    for job in jobs:
        word = str(job["reason"]).split(",")[0]
        reasons[word] = reasons.get(word, 0) + 1
    told = ", ".join(f"{count} {word}" for word, count in sorted(reasons.items()))
    return f"wait for something else than room: {told}"


def _moment(at: int | None, now: int) -> str:
    from packwise.readable import clock

    if at is None:
        return "?"
    return "now" if at <= now else clock(at, now)


def _length(seconds: int | None) -> str:
    from packwise.readable import duration

    return "none" if seconds is None else duration(seconds)


def _signed(seconds: int) -> str:
    from packwise.readable import duration

    if abs(seconds) < 1:
        return "same"
    return f"{'' if seconds > 0 else '-'}{duration(abs(seconds))}"
