"""How good the plans of single rounds are: the order search against CP-SAT, and both against bounds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.optimise_sample import hard_rounds, view_of
from benchmarks.optimise_store import Measurements
from packwise.model.workload import Ints
from packwise.optimise.bounds import bound_of_metric
from packwise.optimise.cp import solve_round
from packwise.optimise.cp.solve import NO_GAP, relative_gap
from packwise.optimise.metrics_of_plan import metric_of_plan
from packwise.optimise.objectives import objective
from packwise.optimise.policy import SearchPolicy
from packwise.optimise.round import Round

LOGS = ("KTH-SP2", "SDSC-SP2")
METRICS = ("AF", "AWF", "BSLD")
BUDGETS = (0, 100, 1000, 10000)
#: CP-SAT gets as long as these budgets took in the same round; no search at all takes no longer than 100.
AS_LONG_AS = (100, 1000, 10000)
#: What CP-SAT gets at least, in seconds: with less it has not even read its model.
LEAST = 0.005
LONG = 1.0
#: How many of the rounds, and how many with CP-SAT at the long limit.
ROUNDS, LONG_ROUNDS = 300, 60
QUICK_ROUNDS, QUICK_LONG_ROUNDS = 30, 6

_BEGINNINGS = ("from scratch", "from the best list")
_LONG_ONES = {f"CP-SAT {name}, {LONG:g} s" for name in _BEGINNINGS}


class Tried(NamedTuple):
    """One way to plan one round. ``found``: whether it had a plan of its own. ``bound``: NaN where none."""

    value: float
    seconds: float
    cpu_seconds: float
    found: bool = True
    bound: float = math.nan


def measure_rounds(
    traces: Path, logs: list[str], store: Measurements, folder: Path, *, quick: bool
) -> None:
    some, few = (QUICK_ROUNDS, QUICK_LONG_ROUNDS) if quick else (ROUNDS, LONG_ROUNDS)
    for log in (log for log in LOGS if log in logs):
        rounds = hard_rounds(traces, log, folder)
        for metric in METRICS:
            _short(rounds[0], metric)  # loads compiled code
            for i, round in enumerate(rounds[:some]):
                store.get(_key(log, metric, i), partial(_short, round, metric))
                if i < few:
                    store.get(_key(log, metric, i, LONG), partial(_long, round, metric))
                if (i + 1) % 10 == 0:
                    print(f"\r{log} {metric}: {i + 1} of {some} rounds", end="", flush=True)
            print()


def _key(log: str, metric: str, i: int, limit: float | None = None) -> str:
    return f"{log} {metric} {i}" + (f" limit={limit:g}" if limit else "")


def _short(round: Round, metric: str) -> dict[str, Any]:
    """All that takes little time: bounds, the search, and CP-SAT as long as the search."""
    tried = {f"search, {budget}": _search(round, metric, budget) for budget in BUDGETS}
    for budget in AS_LONG_AS:
        limit = max(LEAST, tried[f"search, {budget}"].seconds)
        for name, hint in _hints(round, metric).items():
            tried[f"CP-SAT {name}, as {budget}"] = _cp(round, metric, limit, hint)
    return {"fluid": bound_of_metric(metric, round), "jobs": len(round), "tried": tried}


def _long(round: Round, metric: str) -> dict[str, Any]:
    return {
        "tried": {
            f"CP-SAT {name}, {LONG:g} s": _cp(round, metric, LONG, hint)
            for name, hint in _hints(round, metric).items()
        }
    }


def _hints(round: Round, metric: str) -> dict[str, list[Ints]]:
    plans = [round.insert(order) for order in round.list_orders().values()]
    best = min(plans, key=partial(metric_of_plan, metric, round))
    return dict(zip(_BEGINNINGS, ([], [best]), strict=True))


def _search(round: Round, metric: str, budget: int) -> Tried:
    planner = SearchPolicy(objective=objective(metric, local="metric"), budget=budget)
    view = view_of(round)
    decision, *seconds = _timed(partial(planner.decide, view))
    start = np.full(len(round), round.now)
    for job, planned in decision.planned.items():
        start[job] = planned
    round.check(start)
    return Tried(metric_of_plan(metric, round, start), *seconds)


def _cp(round: Round, metric: str, limit: float, hints: list[Ints]) -> Tried:
    """CP-SAT's plan, or List-REG's where it has none, as the policies do."""
    solution, *seconds = _timed(partial(solve_round, round, metric, hints=hints, limit=limit))
    if solution.start is not None:
        return Tried(solution.objective, *seconds, solution.found, solution.bound)
    plan = round.insert(round.order_by())
    return Tried(metric_of_plan(metric, round, plan), *seconds, found=False)


def _timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What a call gives, its seconds by the clock, and those of all its threads on CPUs."""
    begin, cpu = time.perf_counter(), time.process_time()
    answer = work()
    return answer, time.perf_counter() - begin, time.process_time() - cpu


class Judged(NamedTuple):
    """All that is known of one round: every way tried, the best plan, the fluid bound and the best."""

    tried: dict[str, Tried]
    best: float
    fluid: float
    bound: float


def _judged(store: Measurements, log: str, metric: str) -> Iterator[Judged]:
    for i in range(ROUNDS):
        cell = store.found.get(_key(log, metric, i))
        if cell is None:
            return
        long = store.found.get(_key(log, metric, i, LONG), {"tried": {}})
        tried = {name: Tried(*each) for name, each in {**cell["tried"], **long["tried"]}.items()}
        best = min(each.value for each in tried.values())
        bound = float(np.fmax.reduce([cell["fluid"], *(each.bound for each in tried.values())]))
        yield Judged(tried, best, cell["fluid"], bound)


def rounds_table(store: Measurements, log: str, *, long: bool = False) -> list[str]:
    """The ways to plan a round of a log; ``long``: over the rounds in which CP-SAT had a second."""
    lines = [
        "| metric | rounds | plan | above the best known | is the best known | above the best bound | "
        "proven best | none found | ms | CPU ms |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for metric in METRICS:
        judged = list(_judged(store, log, metric))
        if long:
            judged = [each for each in judged if _LONG_ONES & each.tried.keys()]
        ways = judged[0].tried if judged else ()
        lines += [
            f"| {metric} | {len(judged)} | {way} | {_facts(judged, way)} |"
            for way in ways
            if long or way not in _LONG_ONES
        ]
    return lines


def _facts(judged: list[Judged], name: str) -> str:
    """How one way did."""
    tried = [each.tried[name] for each in judged]
    above = [t.value / each.best - 1 for t, each in zip(tried, judged, strict=True)]
    gap = [relative_gap(t.value, each.bound) for t, each in zip(tried, judged, strict=True)]
    facts = (
        f"{100 * np.mean(above):.3f} %",
        _share([a <= NO_GAP for a in above]),
        f"{100 * np.mean(gap):.2f} %",
        _share([g <= NO_GAP for g in gap]),
        _share([not t.found for t in tried]),
        f"{1e3 * np.mean([t.seconds for t in tried]):.1f}",
        f"{1e3 * np.mean([t.cpu_seconds for t in tried]):.1f}",
    )
    return " | ".join(facts)


def bounds_table(store: Measurements) -> list[str]:
    """How far from optimal a round can be at most, by either bound."""
    lines = [
        "| log | metric | rounds | best known above the fluid bound | above the best bound | fluid is the "
        "better bound | proven best |",
        "|---|---|---|---|---|---|---|",
    ]
    for log in LOGS:
        for metric in METRICS:
            judged = list(_judged(store, log, metric))
            if not judged:
                continue
            fluid = [relative_gap(each.best, each.fluid) for each in judged]
            gap = [relative_gap(each.best, each.bound) for each in judged]
            lines.append(
                f"| {log} | {metric} | {len(judged)} | {100 * np.mean(fluid):.2f} % "
                f"| {100 * np.mean(gap):.2f} % | {_share([e.fluid >= e.bound for e in judged])} "
                f"| {_share([g <= NO_GAP for g in gap])} |"
            )
    return lines


def _share(which: list[bool]) -> str:
    return f"{100 * np.mean(which):.0f} %"
