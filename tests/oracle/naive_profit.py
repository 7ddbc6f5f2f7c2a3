"""Plans for profit, second by second: what one costs, and where jobs find room."""

from __future__ import annotations

import numpy as np

from packwise.model.energy.segments import segments
from packwise.optimise.kernels.profit_value import LATER
from packwise.optimise.profit.problem import Problem

KWH = 3.6e6


def naive_cost(problem: Problem, start: list[int]) -> float:
    """Every second of the day: watts, price, revenue; PUE by the mean power of each segment."""
    setting, span = problem.setting, problem.span
    scenario, log = setting.scenario, setting.log
    seconds = np.arange(span.begin, span.end)
    watts = np.full(len(seconds), scenario.idle_watts * setting.cluster.procs)
    cores = np.zeros(len(seconds))
    held = [
        (span.begin, int(end), float(above), 0)
        for end, above in zip(problem.running.end, problem.running.watts, strict=True)
    ]
    cost = 0.0
    for i, j in enumerate(problem.picked.tolist()):
        if start[i] == LATER:
            continue
        end = start[i] + int(log.runtime[j])
        above = float(setting.power[j]) - scenario.idle_watts * int(log.demand[j])
        held.append((start[i], end, above, int(log.demand[j])))
        release = max(int(log.submit[j]), span.begin)
        cost += float(problem.worth[i]) * (start[i] - release)
    for begin, end, above, demand in held:
        here = (seconds >= begin) & (seconds < end)
        watts[here] += above
        cores[here] += demand
    tariff = scenario.price
    assert tariff is not None
    price = tariff.signal.over(span.begin, span.end, _utc()).at(seconds)
    pue = np.ones(len(seconds))
    if scenario.cooling is not None and scenario.climate is not None:
        warm = scenario.climate.signal.over(span.begin, span.end, _utc())
        parts = segments(warm, np.array([span.begin]), scenario.climate.degrees)
        for k, degrees in enumerate(parts.temperature):
            here = (seconds >= parts.edges[k]) & (seconds < parts.edges[k + 1])
            mean = np.array([watts[here].mean()])
            rated = scenario.rated(log, setting.cluster.totals())
            pue[here] = scenario.cooling.lookup(mean, np.array([degrees]), rated, str)[0]
    revenue = (scenario.revenue or 0.0) / 3600
    return cost + float((watts * price * pue).sum()) / (KWH * 1000) - revenue * cores.sum()


def _utc() -> object:
    from datetime import UTC

    return UTC


def naive_insert(
    problem: Problem, order: list[int], since: list[int], kept: dict[int, int]
) -> list[int]:
    """Each job at the first second at which its cores are free for long enough; LATER if that is tomorrow."""
    jobs, end = problem.jobs, problem.span.end
    far = end + int(jobs.duration.max(initial=0)) + int(max(problem.running.end, default=0)) + 1
    free = np.full(far, problem.setting.cluster.procs)
    for stop, demand in zip(problem.running.end, problem.running.demand, strict=True):
        free[problem.span.begin : stop] -= demand
    start = [LATER] * len(problem)
    for j, at in kept.items():
        start[j] = at
        if at != LATER:
            free[at : at + jobs.duration[j]] -= jobs.demand[j]
    for j in order:
        if j in kept:
            continue
        for t in range(since[j], end):
            if (free[t : t + jobs.duration[j]] >= jobs.demand[j]).all():
                free[t : t + jobs.duration[j]] -= jobs.demand[j]
                start[j] = t
                break
    return start


def naive_insert_on_nodes(
    problem: Problem, order: list[int], units: list[int], cores: list[int]
) -> tuple[list[int], list[dict[int, int]]]:
    """The same on nodes: each job's units on the first nodes that have room, at the first second they fit."""
    jobs, end = problem.jobs, problem.span.end
    capacity = problem.setting.cluster.capacity()[:, 0]
    far = end + int(jobs.duration.max(initial=0)) + 1
    free = np.repeat(capacity[:, None], far, axis=1)
    log = problem.setting.log
    for k, (j, stop) in enumerate(zip(problem.running.job, problem.running.end, strict=True)):
        for node, count in problem.running.places.of(k).items():
            free[node, :stop] -= count * int(log.per_unit["cores"][j])
    start = [LATER] * len(problem)
    places: list[dict[int, int]] = [{} for _ in order]
    for j in order:
        for t in range(int(jobs.release[j]), end):
            room = free[:, t : t + int(jobs.duration[j])].min(axis=1) // cores[j]
            if room.sum() < units[j]:
                continue
            left = units[j]
            for node, fits in enumerate(room.tolist()):
                if (taken := min(fits, left)) > 0:
                    places[j][node] = taken
                    free[node, t : t + int(jobs.duration[j])] -= taken * cores[j]
                    left -= taken
            start[j] = t
            break
    return start, places
