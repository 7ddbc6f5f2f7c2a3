"""An explained round on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from packwise.cli.options.machine import machine_words
from packwise.cli.terminal import plain, stdout, table
from packwise.model.cluster import node_names
from packwise.model.energy.cap import watts
from packwise.model.time_zone import local_zone
from packwise.model.time_zone import moment as moment_words
from packwise.model.workload import CORES, UNKNOWN
from packwise.readable import duration, duration_unit, number

if TYPE_CHECKING:
    from rich.table import Table

    from packwise.model.cluster import Cluster
    from packwise.model.workload import Ints, Workload
    from packwise.optimise.cp import Solution
    from packwise.optimise.explanation import Explanation, Plan
    from packwise.optimise.node_round import Lack

_ROWS = 20
_RELEASES = 4
_NAMED = 2


def print_explanation(
    found: Explanation,
    jobs: Workload,
    cluster: Cluster,
    about: dict[str, str],
    remarks: list[str],
    solution: Solution | None,
    *,
    everyone: bool,
) -> None:
    """The moment, the queue, the plans, and how good the policy's is."""
    from rich.markup import escape

    from packwise.cli.terminal import printable

    name, policy, estimate = (escape(printable(text)) for text in about.values())
    console = stdout()
    console.print(
        f"[bold]{name}[/] on {machine_words(cluster)}, policy [bold]{policy}[/], estimate "
        f"[bold]{estimate}[/]",
        soft_wrap=True,
    )
    for line in remarks:
        console.print(f"  {line}", style="dim", markup=False)
    console.print()
    for line in [*_moment_lines(found, jobs), *_node_lines(found, cluster)]:
        console.print(line, soft_wrap=True, markup=False)
    console.print()
    _print_queue(found, jobs, cluster, everyone)
    console.print()
    _print_plans(found, solution)
    console.print()
    for line in _verdict_lines(found, solution):
        console.print(line, markup=False)


def _moment_lines(found: Explanation, jobs: Workload) -> list[str]:
    round, moment = found.round, found.moment
    since = duration(round.now - int(jobs.submit[0]))
    if jobs.start_time:
        since = f"{when_words(jobs, round.now)}, {since}"
    lines = [
        f"Round at {round.now} ({since} after the first submission): {_free(found):,} of "
        f"{round.procs:,} processors free, {len(moment.running):,} running, {len(moment.round):,} waiting"
    ]
    ends = list(zip(round.times[1:], round.free[1:] - round.free[:-1], strict=True))
    if ends:
        shown = ", ".join(
            f"{count:,} in {duration(int(time) - round.now)}" for time, count in ends[:_RELEASES]
        )
        more = f", and {len(ends) - _RELEASES:,} more" if len(ends) > _RELEASES else ""
        lines.append(f"Processors to be released: {shown}{more}")
    cap = None if moment.view is None else moment.view.cap
    if cap is not None:
        left, rise = cap.left(round.now, moment.running), cap.next_rise(round.now)
        more = "" if rise is None else f"; it rises in {duration(rise - round.now)}"
        lines.append(f"Under the power cap {watts(max(left, 0))} are left{more}")
    return lines


def _free(found: Explanation) -> int:
    """Processors that can be used now: none of nodes that are out."""
    view = found.moment.view
    if view is None or view.nodes is None:
        return found.moment.free
    return int(view.nodes.free[:, view.nodes.resources.index(CORES)].sum())


def _node_lines(found: Explanation, cluster: Cluster) -> list[str]:
    """What is free on the nodes, and which are out."""
    view = found.moment.view
    if view is None or view.nodes is None or cluster.is_pool:
        return []
    nodes = view.nodes
    parts = [
        f"{free:,} of {there:,} {name}"
        for name, free, there in zip(
            nodes.resources, nodes.free.sum(axis=0), nodes.capacity.sum(axis=0), strict=True
        )
    ]
    lines = [f"Free on the nodes: {', '.join(parts)}"]
    out = np.flatnonzero(nodes.out > 0)
    if out.size:
        back = duration(int(nodes.out[out].min()) - view.now)
        lines.append(f"Out: {node_names(cluster, out)}, the first back in {back}")
    return lines


def _print_queue(found: Explanation, jobs: Workload, cluster: Cluster, everyone: bool) -> None:
    """Waiting jobs by planned start: those that start now first."""
    from rich.text import Text

    round = found.round
    heads = ("job", "user", "processors", "estimate", "waited", "planned start")
    shown = table(*heads, "why", title=f"Queue, as {found.plan.name} plans it", right=heads)
    places = round.order_by(found.plan.start).tolist()
    visible = places if everyone else places[:_ROWS]
    for place in visible:
        job = int(round.job[place])
        now = found.plan.start[place] == round.now
        shown.add_row(
            str(jobs.id[job]),
            user_name(jobs, job),
            f"{round.demand[place]:,}",
            duration(int(round.estimate[place])),
            duration(round.now - int(round.submit[place])),
            "now" if now else f"in {duration(int(found.plan.start[place]) - round.now)}",
            Text(why(found, jobs, cluster, place), "bold" if now else ""),
        )
    console = stdout()
    console.print(shown)
    if len(visible) < len(places):
        console.print(f"... and {len(places) - len(visible):,} more (--all)", style="dim")
    if found.refused.size:
        refused = ", ".join(map(str, jobs.id[found.refused].tolist()))
        console.print(f"Refused by the policy: {refused}", style="dim")
    for line in notes(found):
        console.print(line, style="dim", markup=False)


def when_words(jobs: Workload, time: int) -> str:
    """A moment by the site's clock, or in seconds where the log does not tell when it began."""
    if not jobs.start_time:
        return str(time)
    zone, _, _ = local_zone(jobs)
    return moment_words(jobs.start_time + time, zone)


def user_name(jobs: Workload, job: int) -> str:
    """Whose a job is."""
    return "–" if jobs.user[job] == UNKNOWN else jobs.name_of("user", int(jobs.user[job]))


def why(found: Explanation, jobs: Workload, cluster: Cluster, place: int) -> str:
    """Why a job starts, or waits, in words."""
    verdict = found.verdict(place)
    needed = f"needs {found.round.demand[place]:,}"
    match verdict.status:
        case "starts" if found.nodes is not None and not cluster.is_pool:
            where = np.array(list(found.nodes.where[int(found.round.job[place])]), np.int64)
            return f"starts on {node_names(cluster, where)}"
        case "starts":
            return "starts"
        case "no room" if verdict.lack is not None and not cluster.is_pool:
            return _lack_words(found, cluster, int(found.round.job[place]), verdict.lack)
        case "no power" if verdict.power is not None:
            draws, left = verdict.power
            short = f"draws {draws:,.0f} W more than its cores idle, {left:,.0f} W are left"
            return short if draws > left else f"{short}, but not for as long as it may take"
        case "too wide" | "no room" if found.free_after == found.moment.free:
            return f"{needed}, {found.moment.free:,} free"
        case "too wide" | "no room":
            return f"{needed}, {found.free_after:,} left by those that start"
        case "would delay":
            named = [str(jobs.id[found.round.job[other]]) for other in verdict.delays]
            more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
            word = "job" if len(named) == 1 else "jobs"
            return f"fits now, but would delay {word} {', '.join(named[:_NAMED])}{more}"
    return "fits now and delays nobody, but is left waiting"


def _lack_words(found: Explanation, cluster: Cluster, job: int, lack: Lack) -> str:
    """Which resource is short, and where."""
    assert found.moment.view is not None
    nodes = found.moment.view.nodes
    assert nodes is not None
    needs = zip(nodes.resources, nodes.per_unit[job].tolist(), strict=True)
    unit = ", ".join(f"{amount:,} {name}" for name, amount in needs if amount)
    units = f"{lack.units:,} × ({unit})" if lack.units > 1 else unit
    room = f", room for {lack.room:,}" if lack.units > 1 else ""
    short = sorted(lack.short.items(), key=lambda one: -len(one[1]))
    parts = [f"{name} short on {node_names(cluster, few)}" for name, few in short]
    parts += [f"{node_names(cluster, lack.occupied)} taken"] if lack.occupied.size else []
    parts += [f"{node_names(cluster, lack.out)} out"] if lack.out.size else []
    return f"needs {units}{room}: {'; '.join(parts)}"


def notes(found: Explanation) -> list[str]:
    """How much of the policy's plan is its own."""
    lines = []
    own, all_jobs = len(found.completed.own), len(found.round)
    if not found.completed.fits:
        lines.append(f"What {found.plan.name} plans for later does not fit on the machine.")
    if own == 0:
        lines.append(f"{found.plan.name} plans no start here; all are placed in submission order.")
    elif own < all_jobs:
        lines.append(
            f"{found.plan.name} itself plans {own:,} of {all_jobs:,}; the others are placed behind "
            "these, in submission order."
        )
    return lines


def _print_plans(found: Explanation, solution: Solution | None) -> None:
    """Plans by metrics; the best value of each is bold."""
    from rich.text import Text

    scales = {name: _scale(name, found.plan.value[name]) for name in found.metrics}
    heads = [f"{name}\n({unit})" if unit else name for name, (unit, _) in scales.items()]
    shown = table("plan", *heads, "start\nnow", title="Plans", right=(*heads, "start\nnow"))
    plans = [found.plan, *found.others]
    for plan in plans:
        cells = []
        for name, (_, width) in scales.items():
            best = min(one.value[name] for one in plans)
            style = "bold" if plan.value[name] == best else ""
            cells.append(Text(number(plan.value[name] / width), style))
        own = plan is found.plan
        label = plain(own_name(found) if own else plan.name, "bold" if own else "")
        shown.add_row(label, *cells, str(plan.starts_now))
    _add_bound(shown, "bound", found.bound, scales)
    if solution is not None and isfinite(solution.bound):
        _add_bound(shown, "cp-sat bound", {found.objective: solution.bound}, scales)
    console = stdout()
    console.print(shown)
    console.print(
        "Values of the waiting jobs if all estimates hold and nobody else comes. Lower is better; no plan "
        "is below the bound.",
        style="dim",
    )


def own_name(found: Explanation) -> str:
    """The policy's plan, and whether it is all its own."""
    own = len(found.completed.own) == len(found.round)
    return found.plan.name if own else f"{found.plan.name} (completed)"


def _add_bound(
    shown: Table, label: str, bound: Mapping[str, float], scales: dict[str, tuple[str, int]]
) -> None:
    cells = (
        number(bound[name] / width) if name in bound else "" for name, (_, width) in scales.items()
    )
    shown.add_row(label, *cells, "", style="dim")


def _scale(metric: str, value: float) -> tuple[str, int]:
    """The unit of a column, and its size: durations in the one that suits the policy's value."""
    return ("", 1) if metric == "BSLD" else duration_unit(value)


def value_text(metric: str, value: float) -> str:
    """A value with its unit."""
    unit, width = _scale(metric, value)
    return f"{number(value / width)} {unit}".rstrip()


def _verdict_lines(found: Explanation, solution: Solution | None) -> list[str]:
    """How far the policy's plan is from the bound, and who does better."""
    name, objective = own_name(found), found.objective
    own = found.plan.value[objective]
    least = _least(found, solution)
    saving = 100 * (own - least) / own
    if saving < 1e-6:
        return [f"By {objective}, no plan is better than that of {name}."]
    lines = [
        f"By {objective}, {name} is at {value_text(objective, own)}, {100 * (own / least - 1):.1f} % above "
        f"the bound: no plan saves more than {saving:.1f} %."
    ]
    best = found.best_other
    won = 0.0 if best is None else 100 * (1 - best.value[objective] / own)
    if best is not None and won >= 0.05:
        lines.append(f"{best.name} saves {won:.1f} %.")
    if solution is not None and not solution.found:
        lines.append("CP-SAT found no plan in that time. Give it longer: --cp 10.")
    return lines


def _least(found: Explanation, solution: Solution | None) -> float:
    """The better of the two bounds on the objective."""
    least = found.bound[found.objective]
    return max(least, solution.bound) if solution is not None else least  # its bound may be NaN


def explanation_json(
    found: Explanation,
    jobs: Workload,
    cluster: Cluster,
    about: dict[str, str],
    solution: Solution | None,
) -> dict[str, Any]:
    """The same as one object. Seconds stay seconds; ``start`` goes with the jobs of ``queue``."""
    from packwise import __version__
    from packwise.optimise.bounds import relative_gap
    from packwise.optimise.cp.search import STATUS

    round, moment = found.round, found.moment
    answer: dict[str, Any] = {
        **about,
        "procs": round.procs,
        "time": round.now,
        "free": _free(found),
        "running": [
            {"job": int(jobs.id[job]), "procs": int(demand), "expected_end": int(end)}
            for job, demand, end in zip(
                moment.running, moment.demand, moment.expected_end, strict=True
            )
        ],
        "queue": [_job_json(found, jobs, cluster, place) for place in range(len(round))],
        "refused": jobs.id[found.refused].tolist(),
        "objective": found.objective,
        "plans": [_plan_json(plan, plan is found.plan) for plan in (found.plan, *found.others)],
        "bound": dict(found.bound),
        "gap": relative_gap(found.plan.value[found.objective], _least(found, solution)),
        "notes": notes(found),
        "version": __version__,
    }
    if solution is not None:
        answer["cp"] = {"status": STATUS[solution.status], "bound": solution.bound}
    return answer


def _job_json(found: Explanation, jobs: Workload, cluster: Cluster, place: int) -> dict[str, Any]:
    round, job = found.round, int(found.round.job[place])
    verdict = found.verdict(place)
    on_nodes: dict[str, Any] = {}
    if verdict.power is not None:
        on_nodes["power"] = verdict.power._asdict()
    if verdict.lack is not None and not cluster.is_pool:
        lack = verdict.lack
        on_nodes["lack"] = {
            "units": lack.units,
            "room": lack.room,
            "nodes": len(lack.could),
            "short": {name: _named(cluster, few) for name, few in lack.short.items()},
            "taken": _named(cluster, lack.occupied),
            "out": _named(cluster, lack.out),
        }
    elif found.nodes is not None and job in found.nodes.where and not cluster.is_pool:
        where = found.nodes.where[job]
        on_nodes["nodes"] = {cluster.node_name(node): units for node, units in where.items()}
    return {
        "job": int(jobs.id[job]),
        "user": None if jobs.user[job] == UNKNOWN else int(jobs.user[job]),
        **({"user_name": user_name(jobs, job)} if "user" in jobs.names else {}),
        "procs": int(round.demand[place]),
        "estimate": int(round.estimate[place]),
        "submit": int(round.submit[place]),
        "waited": round.now - int(round.submit[place]),
        "planned_start": int(found.plan.start[place]),
        "status": verdict.status,
        "why": why(found, jobs, cluster, place),
        **on_nodes,
        "delays": [int(jobs.id[round.job[other]]) for other in verdict.delays],
    }


def _named(cluster: Cluster, nodes: Ints) -> list[str]:
    return [cluster.node_name(node) for node in nodes.tolist()]


def _plan_json(plan: Plan, own: bool) -> dict[str, Any]:
    return {
        "plan": plan.name,
        "is_policy": own,
        "metrics": dict(plan.value),
        "starts_now": plan.starts_now,
        "start": plan.start.tolist(),
    }
