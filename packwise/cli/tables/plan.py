"""Plans of a log, side by side: what each earns, or costs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from packwise.planning import PlannedAtOnce, PlannedLog

if TYPE_CHECKING:
    from packwise.metrics.energy.account import EnergyAccount

Plans = Sequence[PlannedLog | PlannedAtOnce]


def plan_json(
    found: Plans, values: list[dict[str, Any]], bound: float | None, budget: str, seed: int
) -> dict[str, Any]:
    """Everything, for programs."""
    from packwise import __version__

    first = found[0]
    scenario = first.cluster.energy
    assert scenario is not None
    answer: dict[str, Any] = {
        "workload": first.workload.name,
        "procs": first.cluster.procs,
        "jobs": len(first.workload),
        "scenario": scenario.name,
        "currency": scenario.currency,
        "budget": budget,
        "seed": seed,
        "methods": {one.method: each for one, each in zip(found, values, strict=True)},
        "version": __version__,
    }
    if bound is not None:
        answer["bound"] = bound
    return answer


def plan_values(one: PlannedLog | PlannedAtOnce) -> dict[str, Any]:
    """What a plan earns or costs; without a plan, how long that took."""
    if not one.schedule.ran.all():
        return {"cost": None, "seconds": one.seconds}
    account = _account(one)
    wait = float((one.schedule.start - one.workload.submit).mean())
    end = int(one.schedule.end.max()) - int(one.workload.submit.min())
    values: dict[str, Any] = {"wait": wait, "makespan": end, "seconds": one.seconds}
    if isinstance(one, PlannedAtOnce):
        return {
            "cost": one.cost,
            "energy_cost": _total(account.cost),
            "waiting": one.worth,
            **values,
        }
    from packwise.metrics.energy.profit import profit_at, profit_curve

    curve = profit_curve(account)
    return {
        "profit_at_last_submission": profit_at(curve, int(one.workload.submit.max())),
        "profit": float(curve.profit[-1]),
        "energy_cost": _total(account.cost),
        "PUE": account.mean_pue,
        **values,
        "days": [day._asdict() for day in one.days],
    }


def _total(cells: Any) -> float:
    return 0.0 if cells is None else float(cells.sum())


def _account(one: PlannedLog | PlannedAtOnce) -> EnergyAccount:
    from packwise.metrics.energy.account import account

    return account(one.workload, one.cluster, one.schedule)


def print_plans(
    found: Plans, values: list[dict[str, Any]], bound: float | None, remarks: list[str]
) -> None:
    """A table with a row for each method."""
    from rich.markup import escape

    from packwise.cli.options.machine import machine_words
    from packwise.cli.terminal import stdout

    console = stdout()
    first = found[0]
    scenario = first.cluster.energy
    assert scenario is not None
    how = "at once" if isinstance(first, PlannedAtOnce) else "day by day"
    console.print(
        f"[bold]{escape(first.workload.name)}[/] on {machine_words(first.cluster)}, "
        f"{len(first.workload):,} jobs, planned off line {how}",
        soft_wrap=True,
    )
    for line in remarks:
        console.print(f"  {line}", style="dim", markup=False)
    console.print()
    if isinstance(first, PlannedAtOnce):
        _print_at_once(found, values, bound, scenario.currency)
    else:
        _print_days(found, values, scenario.currency)


def _print_days(found: Plans, values: list[dict[str, Any]], currency: str) -> None:
    from packwise.cli.terminal import stdout, table
    from packwise.readable import duration, number

    heads = (
        f"profit by the last submission, {currency}",
        "against the first",
        f"in the end, {currency}",
        "makespan",
        "mean wait",
        "PUE",
        "time",
    )
    rows = table("method", *heads, right=heads)
    best = max(each["profit_at_last_submission"] for each in values)
    reference = values[0]["profit_at_last_submission"]
    for one, each in zip(found, values, strict=True):
        profit = each["profit_at_last_submission"]
        against = f"{100 * (profit - reference) / abs(reference):+.2f} %" if reference else ""
        rows.add_row(
            one.method,
            number(profit),
            "" if one is found[0] else against,
            number(each["profit"]),
            duration(each["makespan"]),
            duration(each["wait"]),
            f"{each['PUE']:.3f}",
            duration(one.seconds),
            style="bold" if profit == best else "",
        )
    console = stdout()
    console.print(rows)
    for one in found:
        for line in _day_words(one):
            console.print(line, markup=False, soft_wrap=True)


def _day_words(one: PlannedLog | PlannedAtOnce) -> list[str]:
    """On how many days a search was of use."""
    days = one.days if isinstance(one, PlannedLog) else ()
    words = []
    if days and one.method in ("delay", "relaxation", "ours"):
        better = sum(day.improved for day in days)
        words.append(f"{one.method} improved MultiSearch's plan on {better} of {len(days)} days.")
    gave_up = sum(day.gave_up for day in days)
    if gave_up:
        words.append(
            f"{one.method} found nothing to start on {gave_up} of {len(days)} days: there each job was put at "
            "its earliest feasible time instead, first come first served."
        )
    return words


def _print_at_once(
    found: Plans, values: list[dict[str, Any]], bound: float | None, currency: str
) -> None:
    from packwise.cli.terminal import stdout, table
    from packwise.readable import duration, number

    heads = (
        f"energy and waiting, {currency}",
        "could be less by",
        f"energy, {currency}",
        "mean wait",
        "time",
    )
    rows = table("method", *heads, right=heads)
    best = min(one.cost for one in found if isinstance(one, PlannedAtOnce))
    for one, each in zip(found, values, strict=True):
        assert isinstance(one, PlannedAtOnce)
        if bound is None or not isfinite(one.cost):
            rows.add_row(one.method, "no plan found", "", "", "", duration(one.seconds))
            continue
        less = 100 * max(0.0, one.cost - bound) / abs(one.cost) if one.cost else 0.0
        rows.add_row(
            one.method,
            number(one.cost),
            f"{less:.1f} %",
            number(each["energy_cost"]),
            duration(each["wait"]),
            duration(one.seconds),
            style="bold" if one.cost == best else "",
        )
    console = stdout()
    console.print(rows)
    if bound is not None and isfinite(bound):
        console.print(
            f"No plan costs less than {number(bound)} {currency}.", markup=False, soft_wrap=True
        )
