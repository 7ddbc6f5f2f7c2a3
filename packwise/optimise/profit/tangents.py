"""What the energy of segments costs at least, as straight lines: for bounds.

Cooling makes the cost of a segment a function of all that is drawn in it, which steps with the rounded power.
The line below all of it that is highest at what some plan draws is an edge of the lower convex hull.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.workload import Floats, Ints
from packwise.optimise.kernels.profit_value import Rates
from packwise.optimise.profit.problem import Problem


class Lines(NamedTuple):
    """The energy of a segment costs ``fixed`` and ``each`` watt-second in a cell, or more."""

    fixed: float
    each: Floats


def lines_below(problem: Problem, start: Ints) -> Lines:
    """The highest lines at what a plan draws."""
    rates = problem.rates
    problem.cost(start)  # leaves what it draws in the sums
    segment = np.searchsorted(rates.begins, rates.edges, "right") - 1
    ends = np.stack([rates.pue.min(axis=1), rates.pue.max(axis=1)])[:, segment]
    # Whatever the load: the lowest PUE, or where energy is paid for, the highest.
    each: Floats = (rates.price * ends).min(axis=0)
    fixed = 0.0
    if not rates.rounding[0]:
        return Lines(fixed, each)
    for s in range(len(rates.begins) - 1):
        cells = np.flatnonzero(segment == s)
        price = rates.price[cells]
        flat = (rates.pue[s] == rates.pue[s, 0]).all()
        if flat or price[0] <= 0 or (price != price[0]).any():
            continue
        below, slope = _line(problem, rates, s, float(problem.sums.drawn[s]))
        each[cells] = slope * price[0]
        fixed += below * price[0]
    return Lines(fixed, each)


def _line(problem: Problem, rates: Rates, s: int, drawn: float) -> tuple[float, float]:
    """Where the line begins, and its slope, for a price of one."""
    length = float(rates.begins[s + 1] - rates.begins[s])
    jobs = problem.jobs
    more = float((np.maximum(jobs.watts, 0) * np.minimum(jobs.duration, length)).sum())
    most = float(np.maximum(jobs.watts / jobs.demand, 0).max(initial=0.0))
    more = min(
        more, most * problem.setting.cluster.procs * length
    )  # no more than the machine holds
    less = (np.minimum(jobs.watts, 0) * np.minimum(jobs.duration, length)).sum()
    lowest, highest = max(0.0, rates.known[s] + less), rates.known[s] + more
    step = float(rates.rounding[0])
    first, last = np.floor(lowest / length / step) - 1, np.ceil(highest / length / step) + 1
    levels = np.arange(max(first, 0), last + 1)
    pue = np.interp(levels * step, rates.powers, rates.pue[s])
    sides = np.clip(((levels[:, None] + [-0.5, 0.5]) * step * length).ravel(), lowest, highest)
    points = np.stack([sides, sides * np.repeat(pue, 2)], axis=1)
    hull = _lower_hull(points)
    place = int(np.clip(np.searchsorted(hull[:, 0], drawn) - 1, 0, max(0, len(hull) - 2)))
    (x, y), (u, v) = hull[place], hull[min(place + 1, len(hull) - 1)]
    slope = (v - y) / (u - x) if u > x else (y / x if x else 1.0)
    # Rounding of floats must not lift the line above any point.
    return float((points[:, 1] - slope * points[:, 0]).min()), float(slope)


def _lower_hull(points: Floats) -> Floats:
    """The lower convex hull (Andrew's monotone chain)."""
    found: list[tuple[float, float]] = []
    for x, y in sorted(map(tuple, points.tolist())):
        while len(found) > 1 and _turns_down(found[-2], found[-1], (x, y)):
            found.pop()
        if found and found[-1][0] == x:
            continue  # the lower of two points above each other came first
        found.append((x, y))
    return np.array(found)


def _turns_down(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Whether the way from a over b to c has b on or above the straight one."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0
