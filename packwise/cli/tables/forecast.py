"""When a job of a live Slurm will start, why it waits, and what would start it sooner, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.adapters.slurm.snapshot import QueuedJob

#: Changes that are shown.
_SHOWN = 3


def print_forecast(job: QueuedJob, facts: dict[str, Any], now: int) -> None:
    """The answer of `packwise slurm when`: ``facts`` are those of its JSON."""
    from packwise.cli.terminal import printable
    from packwise.model.schedule import NEVER
    from packwise.readable import counted, duration

    size = (
        counted(job.nodes, "whole node")
        if job.alone
        else f"{counted(job.nodes, 'node')}, {counted(job.cpus, 'core')}"
    )
    limit = duration(job.limit) if job.limit > 0 else "none"
    print(
        printable(
            f"Job {job.id} of {job.user} in {','.join(job.partitions)}: {size}, limit {limit}"
        )
    )
    if facts["remark"]:
        print(f"  {facts['remark']}")
    if not job.waiting:
        print(f"  {_since(job, now) if job.state == 'RUNNING' else facts['why'][0]}")
        return
    print(f"  has waited for {duration(max(now - max(job.submit, job.eligible), 0))}")
    if "p50" in facts:
        _print_when(facts, now)
    _print_lines("Why:    ", [printable(line) for line in facts["why"]])
    if facts.get("p50", NEVER) != NEVER:
        lines = [_change(job, one) for one in facts["sooner"][:_SHOWN]]
        _print_lines(
            "Sooner: ", lines or ["no smaller request was found that would start it sooner"]
        )


def _print_lines(head: str, lines: list[str]) -> None:
    for k, line in enumerate(lines):
        print(f"{' ' * len(head) if k else head}{line}")


def _print_when(facts: dict[str, Any], now: int) -> None:
    from packwise.model.schedule import NEVER

    if facts["p50"] == NEVER:
        print("When:   never, as the machine is now: no nodes have room for it, all of them empty")
    else:
        p10, p50, p90 = (_at(facts[name], now) for name in ("p10", "p50", "p90"))
        print(
            f"When:   about {p50} (P50); by {p10} in one of ten cases (P10), by {p90} in nine (P90)"
        )
        theirs = facts["slurm"]
        print(f"        Slurm's own forecast: {_at(theirs, now) if theirs else 'none yet'}")
    print(f"        {_worth(facts)}; {facts['history']}")


def _since(job: QueuedJob, now: int) -> str:
    """Since when a job runs, and until when at the latest."""
    from packwise.readable import clock, duration

    since = f"runs since {clock(job.start, now, precise=3600)} (for {duration(max(now - job.start, 0))})"
    if job.limit <= 0:
        return f"{since}; it has no limit"
    end = job.start + job.limit
    if end <= now:
        return f"{since}; its limit is over: it may be ended any time"
    return f"{since}, until {_at(end, now)} at the latest, by its limit"


def _change(job: QueuedJob, one: dict[str, Any]) -> str:
    from packwise.readable import counted, duration

    size = counted(one["demand"], "core") if one["nodes"] is None else counted(one["nodes"], "node")
    limit = "" if one["limit"] is None else f", limit {duration(one['limit'])}"
    risk = f"; {one['risk']:.0%} that it is cut off" if one["risk"] else ""
    return (
        f"{one['words']} ({size}{limit}): about {duration(one['gain'])} sooner, in {one['certainty']:.0%} of "
        f"the futures{risk}"
    )


def _worth(facts: dict[str, Any]) -> str:
    by = facts["started_by"]
    if not by:
        return "no forecast was judged here yet: let `packwise slurm advise` run, and these become calibrated"
    return (
        f"of {facts['forecasts']} forecasts here {by['p50']:.0%} of the jobs had started by P50, "
        f"{by['p90']:.0%} by P90"
    )


def _at(moment: int, now: int) -> str:
    from packwise.readable import clock, duration

    if moment <= now + 1:
        return "now"
    return f"{clock(moment, now, precise=3600)} (in {duration(moment - now)})"
