"""The case of 'Optimizing Profit and Cooling Costs in HPC Cluster Scheduling': python -m benchmarks.profit_case

    python -m benchmarks.profit_case --traces ../shared/traces [--processes 2] [--only TEXT]

Plans what is not in benchmarks/profit_case.jsonl yet. ``python -m scripts.profit_case`` makes the page of it.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from benchmarks.dispatchers_store import Store
from packwise import Cluster, Workload, check_schedule, load_workload
from packwise.energy.finding import find_energy
from packwise.metrics.energy.account import account
from packwise.metrics.energy.profit import profit_at, profit_curve
from packwise.model.cluster import NodeGroup
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.offline import Budget
from packwise.optimise.profit.floor import floor_of
from packwise.optimise.profit.methods import METHODS
from packwise.optimise.profit.problem import Problem
from packwise.optimise.profit.rates import Span, Usage
from packwise.optimise.profit.setting import Setting
from packwise.optimise.profit.watch import Watch
from packwise.planning import RULES, plan_log
from packwise.workloads.swf.reading import read_swf
from packwise.workloads.units import with_units

STORE = Path(__file__).with_name("profit_case.jsonl")
TRACE = "CEA-Curie-2011-2.1-cln.swf.gz"
ZONE = ZoneInfo("Europe/Paris")
FIRST, LAST = datetime(2012, 8, 10, tzinfo=ZONE), datetime(2012, 9, 2, tzinfo=ZONE)
DAYS = 23
NODES, CORES, MEMORY = 300, 32, 128 * 1024
SCENARIOS = ("winter-air", "summer-air", "winter-hybrid", "summer-hybrid")
SEARCHES = ("heuristic", "multi", "delay", "relaxation", "ours")
#: Of each day, after MultiSearch.
BUDGET = "0.5s"
#: What else the machine, the jobs and their times could have been, under summer-air: by rule, MultiSearch,
#: ours.
VARIANTS = ("pool", "pool-requested", "500-nodes", "700-nodes", "memory")
VARIED = ("rule-est", "multi", "ours")
#: Constraint programming alone: so many jobs of the first day, for so long; beside it MultiSearch.
PLAIN_JOBS, PLAIN_SECONDS = (30, 100, 300, 1000), 60


@cache
def log(traces: Path) -> Workload:
    """The jobs of 23 local days that fit on 9,600 cores."""
    whole = load_workload(traces / TRACE).workload
    begin, end = (int(day.timestamp()) - whole.start_time for day in (FIRST, LAST))
    fits = whole.demand <= NODES * CORES
    return whole.select((whole.submit >= begin) & (whole.submit < end) & fits)


def readings(traces: Path) -> dict[str, Any]:
    """How many jobs the paper's sentence means if it is read otherwise: another zone, another field of the log,
    no largest size, or jobs that never ran as well.
    """
    log = read_swf(traces / TRACE)
    columns = log.columns
    submit = columns["submit"] + (log.unix_start_time or 0)
    rows = []
    for zone, (what, cores), most in product(
        (ZONE, ZoneInfo("UTC")),
        (("requested", "requested_procs"), ("allocated", "used_procs")),
        (NODES * CORES, None),
    ):
        begin, end = (int(day.replace(tzinfo=zone).timestamp()) for day in (FIRST, LAST))
        inside = (submit >= begin) & (submit < end)
        if most is not None:
            inside &= columns[cores] <= most
        rows.append(
            {
                "zone": str(zone),
                "cores": what,
                "most": "any" if most is None else f"{most:,}",
                "ran": int((inside & (columns["runtime"] > 0)).sum()),
                "all": int(inside.sum()),
            }
        )
    return {"rows": rows}


def case(traces: Path, variant: str) -> tuple[Workload, Cluster]:
    """The jobs in units of a node at most, and the nodes."""
    jobs = log(traces)
    if variant == "pool-requested":
        jobs = jobs.replace(runtime=jobs.requested_time)
    if variant.startswith("pool"):
        return jobs, Cluster.pool(NODES * CORES)
    count = int(variant.removesuffix("-nodes")) if variant.endswith("-nodes") else NODES
    there = {"cores": CORES} | ({"memory": MEMORY} if variant == "memory" else {})
    cluster = Cluster(variant, (NodeGroup("thin", count, there),))
    jobs = with_units(jobs, cluster, "node")
    if variant == "memory":
        # The log tells none: 2 to 8 GB a core, where a node has 4, at random but for jobs that fill nodes.
        share = np.random.default_rng(1).uniform(2048, 8192, len(jobs)).astype(np.int64)
        each = np.minimum(share * jobs.per_unit["cores"], MEMORY)
        jobs = jobs.replace(per_unit={**jobs.per_unit, "memory": each})
    return jobs, cluster


def measured(traces: Path, variant: str, scenario: str, method: str) -> dict[str, Any]:
    """One plan of the whole case."""
    jobs, cluster = case(traces, variant)
    cluster = replace(cluster, energy=find_energy(scenario))
    began = time.perf_counter()
    found = plan_log(jobs, cluster, method, BUDGET)
    seconds = time.perf_counter() - began
    assert check_schedule(jobs, cluster, found.schedule).ok
    told = account(jobs, cluster, found.schedule)
    curve = profit_curve(told)
    begin = int(FIRST.timestamp()) - jobs.start_time
    end = begin + DAYS * 86400
    start, stop = found.schedule.start, found.schedule.end
    used = float(((stop.clip(begin, end) - start.clip(begin, end)) * jobs.demand).sum())
    days = found.days
    return {
        "jobs": len(jobs),
        "profit_at_23": profit_at(curve, end),
        "profit": float(curve.profit[-1]),
        "cost": float(np.sum(told.cost)),
        "makespan": (int(stop.max()) - begin) / 86400,
        "wait": float((start - jobs.submit).mean()) / 3600,
        "use": used / (cluster.procs * DAYS * 86400),
        "pue": told.mean_pue,
        "seconds": seconds,
        "curve": [round(float(value)) for value in curve.profit],
        "slowest_day": max((day.seconds for day in days[1:]), default=0.0),
        "days": len(days),
        "improved": sum(day.improved for day in days),
        "seconds_to_best": float(np.mean([day.seconds_to_best for day in days] or [0.0])),
        "seconds_a_day": float(np.mean([day.seconds for day in days] or [0.0])),
        "orders": sorted({day.order for day in days}),
    }


def measured_plain(traces: Path, variant: str, jobs: int) -> dict[str, Any]:
    """What constraint programming alone earns on the first day, from some of its jobs."""
    log_of_case, cluster = case(traces, variant)
    few = log_of_case.select(np.arange(len(log_of_case)) < jobs)
    setting = Setting(few, replace(cluster, energy=find_energy("summer-air")))
    begin = int(FIRST.timestamp()) - few.start_time
    span = Span(begin, begin + 86400, True)
    problem = Problem(setting, np.arange(jobs), span, Usage.none(), np.zeros(jobs))
    found = {}
    for method in ("multi", "cp"):
        watch = Watch(Budget(seconds=PLAIN_SECONDS), jobs)
        plan = METHODS[method].plan(floor_of(problem), watch, 1)
        found[method] = -plan.cost
        found[f"{method} jobs"] = int((plan.plan.start != LATER).sum())
    return found


def cases() -> list[tuple[str, str, str]]:
    """Variant, scenario and method; those that take longest first."""
    methods = [*reversed(SEARCHES), *RULES]
    whole = [("nodes", scenario, method) for method in methods for scenario in SCENARIOS]
    return whole + [
        (variant, "summer-air", method) for variant in VARIANTS for method in reversed(VARIED)
    ]


def key_of(variant: str, scenario: str, method: str) -> str:
    return f"{variant}|{scenario}|{method}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    store = Store(STORE, given.only)
    everything = len(SCENARIOS) * (len(SEARCHES) + len(RULES))
    began = time.perf_counter()
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        wanted = {
            pool.submit(measured, given.traces, *one): one
            for one in cases()
            if store.wants(key_of(*one))
        }
        done_of_it = 0
        for done in as_completed(wanted):
            store.add(key_of(*wanted[done]), partial(_result, done))
            done_of_it += wanted[done][0] == "nodes"
            if done_of_it == everything:  # the whole case in one go
                took = {"seconds": time.perf_counter() - began, "processes": given.processes}
                store.add("wall", partial(dict, took))
                done_of_it = 0
        plain = {
            pool.submit(measured_plain, given.traces, *one): f"cp|{one[0]}|{one[1]}"
            for one in product(("pool", "nodes"), PLAIN_JOBS)
            if store.wants(f"cp|{one[0]}|{one[1]}")
        }
        store.add("readings", partial(readings, given.traces))
        for done in as_completed(plain):
            store.add(plain[done], partial(_result, done))


def _result(done: Any) -> dict[str, Any]:
    answer: dict[str, Any] = done.result()
    return answer


if __name__ == "__main__":
    main()
