"""Metrics by the book: plain Python, exact fractions, second by second. Slow on purpose."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from packwise.model import Schedule, Workload


class Row(NamedTuple):
    s: int  # submit
    b: int  # start
    c: int  # end
    r: int  # demand
    p: float  # weight
    E: int  # estimate
    L: int  # limit
    d: int | None  # deadline
    told: int | None  # promised start
    user: int  # -1: unknown

    @property
    def Q(self) -> int:
        return self.b - self.s

    @property
    def D(self) -> int:
        return self.c - self.b

    @property
    def F(self) -> int:
        return self.c - self.s


def every_row(workload: Workload, schedule: Schedule) -> list[Row]:
    weights = [1.0] * len(workload) if workload.weight is None else workload.weight.tolist()
    columns = (workload.submit, schedule.start, schedule.end, workload.demand)
    told = [0] * len(workload) if schedule.estimate is None else schedule.estimate.tolist()
    nothing = [None] * len(workload)
    deadlines = nothing if workload.deadline is None else workload.deadline.tolist()
    promises = nothing if schedule.promised is None else schedule.promised.tolist()
    every = zip(
        *(column.tolist() for column in columns),
        weights,
        told,
        workload.requested_time.tolist(),
        [None if d == 2**62 else d for d in deadlines],
        [None if t == -1 else t for t in promises],
        workload.user.tolist(),
        strict=True,
    )
    return [Row(*row) for row in every]


def rows(workload: Workload, schedule: Schedule) -> list[Row]:
    return [row for row in every_row(workload, schedule) if row.b != -1]


def mean(values: list[Fraction]) -> float:
    return float(sum(values) / len(values))


def bounded(row: Row, tau: int) -> Fraction:
    return max(Fraction(1), Fraction(row.F, max(row.D, tau)))


def weighted(jobs: list[Row], value: str, weight=lambda row: Fraction(row.r * row.D)) -> float:
    whole = sum(weight(row) for row in jobs)
    return float(sum(weight(row) * getattr(row, value) for row in jobs) / whole)


def pasf(jobs: list[Row], alpha: int) -> float:
    above = sum(row.r * (row.F ** (alpha + 2) - row.Q ** (alpha + 2)) for row in jobs)
    below = sum(row.r * (row.F ** (alpha + 1) - row.Q ** (alpha + 1)) for row in jobs)
    return float(Fraction(alpha + 1, alpha + 2) * Fraction(above, below))


def seconds(jobs: list[Row]) -> range:
    return range(min(row.s for row in jobs), max(row.c for row in jobs))


def busy(jobs: list[Row], t: int) -> int:
    return sum(row.r for row in jobs if row.b <= t < row.c)


def queued(jobs: list[Row], t: int) -> int:
    return sum(row.r for row in jobs if row.s <= t < row.b)


def waiting(jobs: list[Row], t: int) -> int:
    return sum(1 for row in jobs if row.s <= t < row.b)


def loss_of_capacity(jobs: list[Row], procs: int) -> float:
    lost = sum(min(queued(jobs, t), procs - busy(jobs, t)) for t in seconds(jobs))
    return float(Fraction(lost, len(seconds(jobs)) * procs))


def utilization_variance(jobs: list[Row], procs: int) -> float:
    used = [Fraction(busy(jobs, t), procs) for t in seconds(jobs)]
    average = sum(used) / len(used)
    return float(sum((u - average) ** 2 for u in used) / len(used))


def percentile(values: list[Fraction], percent: int) -> float:
    values = sorted(values)
    place = Fraction(percent * (len(values) - 1), 100)
    k = math.floor(place)
    after = values[min(k + 1, len(values) - 1)]
    return float(values[k] + (place - k) * (after - values[k]))


def fair_start(jobs: list[Row], j: int, procs: int) -> int:
    """``jobs`` in submission order; the plan at the submission of job j, second by second."""
    now = jobs[j].s
    before = jobs[:j]
    reserved = [(row.b, row.c, row.r) for row in before if row.b < now < row.c]
    line = [row for row in before if row.b >= now] + [jobs[j]]
    begin = now
    for row in line:
        begin = now
        while any(
            sum(r for b, c, r in reserved if b <= t < c) + row.r > procs
            for t in range(begin, begin + row.D)
        ):
            begin += 1
        reserved.append((begin, begin + row.D, row.r))
    return begin


def gold_starts(jobs: list[Row], procs: int) -> list[int]:
    """``jobs`` in submission order, each where it fits beside all before it, second by second."""
    begun: list[tuple[int, int, int]] = []
    for row in jobs:
        t = row.s
        while any(
            sum(r for b, c, r in begun if b <= second < c) + row.r > procs
            for second in range(t, t + row.D)
        ):
            t += 1
        begun.append((t, t + row.D, row.r))
    return [b for b, _, _ in begun]


def jain(jobs: list[Row]) -> float:
    """Of the mean bounded slowdowns of the users that are known."""
    users = {row.user for row in jobs if row.user != -1}
    if not users:
        return math.nan
    each = {user: [bounded(row, 10) for row in jobs if row.user == user] for user in users}
    means = [sum(values) / len(values) for values in each.values()]
    return float(sum(means) ** 2 / (len(means) * sum(x * x for x in means)))


def mean_or_nan(values: list[Fraction]) -> float:
    return mean(values) if values else math.nan


def max_or_nan(values: list[Fraction]) -> float:
    return float(max(values)) if values else math.nan


def limit_stretch(row: Row) -> Fraction:
    return Fraction(row.Q + row.L, row.L)


def of_class(jobs: list[Row], name: str) -> dict[str, float]:
    waits, stretches = [Fraction(row.Q) for row in jobs], [limit_stretch(row) for row in jobs]
    return {
        f"wait_{name}": mean_or_nan(waits),
        f"max_wait_{name}": max_or_nan(waits),
        f"limit_stretch_{name}": mean_or_nan(stretches),
        f"max_limit_stretch_{name}": max_or_nan(stretches),
        f"at_once_{name}": mean_or_nan([Fraction(row.Q == 0) for row in jobs]),
    }


def deadlines(every: list[Row], procs: int) -> dict[str, float]:
    """``every`` has the jobs that never ran, too."""
    ran = [row for row in every if row.b != -1]
    driven = [row for row in every if row.d is not None]
    missed = [row for row in driven if (row.c > row.d if row.b != -1 else row.r <= procs)]
    hopeless = [row for row in driven if row.d < row.s + row.L or (row.b == -1 and row.r > procs)]
    late = [row for row in ran if row.d is not None and row.Q > 0 and row.d > row.s]
    close = [Fraction(4 * (row.d - row.s) < 5 * row.F) for row in ran if row.d is not None]
    return {
        **of_class([row for row in ran if row.d is None], "regular"),
        **of_class([row for row in ran if row.d is not None], "deadline"),
        "deadline_misses": float(len(missed)),
        "deadline_misses_day": float(len([row for row in missed if row.d - row.s <= 86400])),
        "deadline_misses_longer": float(len([row for row in missed if row.d - row.s > 86400])),
        "deadline_misses_possible": float(len([row for row in missed if row not in hopeless])),
        "deadline_impossible": float(len(hopeless)),
        "deadline_usage": mean_or_nan([Fraction(row.F, row.d - row.s) for row in late]),
        "deadline_usage_over_80": mean_or_nan(close),
    }


def promises(jobs: list[Row]) -> dict[str, float]:
    gains = [row.told - row.b for row in jobs if row.told is not None]
    return {
        "promises_broken": float(len([gain for gain in gains if gain < 0])),
        "promise_gain": mean_or_nan([Fraction(gain) for gain in gains]),
    }


def summary(workload: Workload, schedule: Schedule, procs: int) -> dict[str, float]:
    jobs = rows(workload, schedule)
    span = len(seconds(jobs))
    table = {
        "BSLD": mean([bounded(row, 10) for row in jobs]),
        "slowdown": mean([Fraction(row.F, row.D) for row in jobs]),
        "AF": mean([Fraction(row.F) for row in jobs]),
        "wait": mean([Fraction(row.Q) for row in jobs]),
        "AWF": weighted(jobs, "F"),
        "AWQ": weighted(jobs, "Q"),
        "P1SF": pasf(jobs, 1),
        "P2SF": pasf(jobs, 2),
        "P3SF": pasf(jobs, 3),
        "PWAWF": weighted(jobs, "F", lambda row: Fraction(row.p) * row.r * row.D),
        "makespan": float(span),
        "utilization": float(Fraction(sum(row.r * row.D for row in jobs), span * procs)),
        "utilization_variance": utilization_variance(jobs, procs),
        "LOC": loss_of_capacity(jobs, procs),
        "lp_norm": math.sqrt(sum(row.F**2 for row in jobs)),
        "max_wait": float(max(row.Q for row in jobs)),
        "max_stretch": float(max(Fraction(row.F, row.D) for row in jobs)),
        "limit_stretch": mean([limit_stretch(row) for row in jobs]),
        "max_limit_stretch": float(max(limit_stretch(row) for row in jobs)),
    }
    for percent in (50, 90, 99):
        table[f"wait_p{percent}"] = percentile([Fraction(row.Q) for row in jobs], percent)
    for percent in (50, 90, 99):
        table[f"BSLD_p{percent}"] = percentile([bounded(row, 10) for row in jobs], percent)
    mean_runtime = Fraction(sum(row.D for row in jobs), len(jobs))
    spread = sum((row.D - mean_runtime) ** 2 for row in jobs)
    missed = sum((row.D - row.E) ** 2 for row in jobs)
    table["R2"] = float(1 - missed / spread) if spread else math.nan
    table["MAE"] = mean([Fraction(abs(row.D - row.E)) for row in jobs])
    table["underpredicted"] = mean([Fraction(row.E < row.D) for row in jobs])
    if workload.deadline is not None:
        table |= deadlines(every_row(workload, schedule), procs)
    if schedule.promised is not None:
        table |= promises(jobs)
    late = [max(0, row.b - fair_start(jobs, j, procs)) for j, row in enumerate(jobs)]
    table["FST_misses"] = float(sum(1 for miss in late if miss > 0))
    table["FST_mean_miss"] = float(Fraction(sum(late), len(late)))
    gold = gold_starts(jobs, procs)
    late = [max(0, row.b - start) for row, start in zip(jobs, gold, strict=True)]
    table["FST_gold"] = float(Fraction(sum(late), len(late)))
    table["jain"] = jain(jobs)
    return table
