"""The user's question: when does my job start, why does it wait, and what would start it sooner?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packwise.cli.tables.round import user_name, when_words, why
from packwise.cli.terminal import stdout, table
from packwise.readable import duration

if TYPE_CHECKING:
    from packwise.model.cluster import Cluster
    from packwise.model.workload import Ints, Workload
    from packwise.optimise.explanation import Explanation
    from packwise.sooner import Sooner

_ROWS = 10


def ahead_of(found: Explanation, place: int) -> Ints:
    """The places of those who are planned to start before a job, in the order of their starts."""
    order = found.round.order_by(found.plan.start)
    return order[: int((order == place).argmax())]


def job_json(
    found: Explanation,
    jobs: Workload,
    cluster: Cluster,
    place: int,
    start: int,
    others: list[Sooner],
) -> dict[str, Any]:
    """The answer as plain values."""
    round = found.round
    job = int(round.job[place])
    ahead = ahead_of(found, place)
    return {
        "job": int(jobs.id[job]),
        "submit": int(jobs.submit[job]),
        "round": round.now,
        "start": start,
        "wait": start - int(jobs.submit[job]),
        "planned": int(found.plan.start[place]),
        "why": why(found, jobs, cluster, place),
        "ahead": [
            {
                "job": int(jobs.id[round.job[k]]),
                "planned": int(found.plan.start[k]),
                "came_later": bool(round.submit[k] > round.submit[place]),
            }
            for k in ahead.tolist()
        ],
        "sooner": [one._asdict() for one in others],
    }


def print_job(
    found: Explanation,
    jobs: Workload,
    cluster: Cluster,
    place: int,
    start: int,
    others: list[Sooner],
) -> None:
    """In words and two tables."""
    round = found.round
    job = int(round.job[place])
    console = stdout()
    waited = start - int(jobs.submit[job])
    console.print(
        f"Job {jobs.id[job]} of {user_name(jobs, job)}: {jobs.demand[job]:,} "
        f"processor{'' if jobs.demand[job] == 1 else 's'}, limit {duration(int(jobs.requested_time[job]))}, "
        f"submitted at {when_words(jobs, int(jobs.submit[job]))}",
        style="bold",
        markup=False,
    )
    planned = int(found.plan.start[place])
    console.print(
        f"It starts at {when_words(jobs, start)}, {duration(waited)} after it came. In this round: "
        f"{why(found, jobs, cluster, place)}"
        + (
            "."
            if planned == round.now
            else f"; planned in {duration(planned - round.now)}, if all estimates hold."
        ),
        markup=False,
    )
    ahead = ahead_of(found, place)
    console.print()
    if not ahead.size:
        console.print("Nobody who waits is ahead of it.")
    else:
        _print_ahead(found, jobs, place, ahead)
    console.print()
    if waited <= 0:
        console.print("It starts at once: nothing would start it sooner.")
    elif not others:
        console.print(
            "It asks for one processor and no more time than it takes: there is nothing less to ask for."
        )
    else:
        _print_sooner(jobs, others)


def _print_ahead(found: Explanation, jobs: Workload, place: int, ahead: Ints) -> None:
    round = found.round
    area = float((round.demand[ahead] * round.estimate[ahead]).sum()) / 3600
    heads = ("job", "user", "processors", "estimate", "planned start")
    title = f"Ahead of it: {len(ahead):,} of {len(round):,} that wait, {area:,.0f} processor hours"
    shown = table(*heads, "came", title=title, right=heads)
    for k in ahead[:_ROWS].tolist():
        other = int(round.job[k])
        begins = int(found.plan.start[k])
        later = round.submit[k] > round.submit[place]
        smaller = round.demand[k] < round.demand[place] or round.estimate[k] < round.estimate[place]
        reason = (
            "before it"
            if not later
            else "later, and is smaller"
            if smaller
            else "later, and goes first"
        )
        shown.add_row(
            str(jobs.id[other]),
            user_name(jobs, other),
            f"{round.demand[k]:,}",
            duration(int(round.estimate[k])),
            "now" if begins == round.now else f"in {duration(begins - round.now)}",
            reason,
        )
    console = stdout()
    console.print(shown)
    if len(ahead) > _ROWS:
        console.print(f"... and {len(ahead) - _ROWS:,} more", style="dim")


def _print_sooner(jobs: Workload, others: list[Sooner]) -> None:
    heads = ("start", "sooner by")
    shown = table(
        "had it asked", *heads, right=heads, title="What would start it sooner (each replayed)"
    )
    for one in others:
        gain = "never" if one.start < 0 else duration(one.gain) if one.gain > 0 else "no"
        if one.start >= 0 and one.gain < 0:
            gain = f"later by {duration(-one.gain)}"
        shown.add_row(one.words, "–" if one.start < 0 else when_words(jobs, one.start), gain)
    stdout().print(shown)
