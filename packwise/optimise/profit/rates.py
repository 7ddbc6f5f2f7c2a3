"""What energy costs and cores earn while a plan is made: cells of one price, in segments of one temperature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.allocation import Allocation
from packwise.model.energy.daily import midnights_around
from packwise.model.energy.rates import MWH
from packwise.model.energy.scenario import Conditions, EnergyScenario
from packwise.model.energy.segments import Segments, segments
from packwise.model.energy.series import Signal
from packwise.model.moments import merged
from packwise.model.workload import CORES, Floats, Ints, Workload
from packwise.optimise.kernels.profit_value import Rates
from packwise.optimise.profit.setting import Setting

_HOUR = 3600.0


class Span(NamedTuple):
    """The time that a plan is for: until ``end``; ``closed``: nothing counts after that, as on a day of the
    paper, else energy costs then what it costs on average.
    """

    begin: int
    end: int
    closed: bool


class Usage(NamedTuple):
    """Jobs that run already, by their numbers in the log: when they end, what they hold, the watts that they
    draw above idle cores, and where they are, if nodes matter.
    """

    job: Ints
    end: Ints
    demand: Ints
    watts: Floats
    places: Allocation

    @classmethod
    def none(cls) -> Usage:
        nobody = np.empty(0, np.int64)
        return cls(nobody, nobody, nobody, np.empty(0), Allocation.from_parts([]))


def rates_of(setting: Setting, span: Span, running: Usage) -> Rates:
    """The rates of a plan on a cluster where some jobs run already."""
    scenario, workload, cluster = setting.scenario, setting.log, setting.cluster
    end = span.end  # a day has to be covered; of a whole log what is told counts, and then the mean
    if not span.closed:
        end = max(span.begin + 1, min(end, *_known_until(scenario, workload)))
    conditions = scenario.over(workload, span.begin, end)
    rated = scenario.rated(workload, cluster.totals())
    parts = _segments(scenario, conditions, span.begin, end)
    marks = [parts.edges] if conditions.price is None else [parts.edges, conditions.price.bounds]
    edges = merged(*marks)
    cells = edges[:-1]
    price = np.zeros(len(cells)) if conditions.price is None else conditions.price.at(cells) / MWH
    price = np.append(price, 0.0 if span.closed else setting.price)
    earns = (
        (scenario.revenue or 0.0) / _HOUR if span.closed else 0.0
    )  # else all plans earn the same
    gain = np.append(np.full(len(cells), earns), 0.0)
    idle = scenario.idle_watts * cluster.totals()[CORES]
    base = _base(edges, idle, running)
    segment = np.minimum(np.searchsorted(parts.edges, edges, "right"), len(parts.edges)) - 1
    count = len(parts.edges)
    pue, powers, rounding = _pue(scenario, parts.temperature, rated)
    return Rates(
        edges,
        price,
        sums_until(edges, price),
        gain,
        sums_until(edges, gain),
        parts.edges.astype(np.int64),
        np.bincount(segment, base, count).astype(np.float64),
        np.bincount(segment, base * price, count).astype(np.float64),
        base,
        pue,
        powers,
        np.array([rounding]),
    )


def _known_until(scenario: EnergyScenario, workload: Workload) -> list[int]:
    """Until when series tell something, in the workload's seconds; never, where they always do."""
    offset = scenario.clock(workload).offset
    signals: list[Signal | None] = [
        None if scenario.price is None else scenario.price.signal,
        None if scenario.climate is None else scenario.climate.signal,
    ]
    reaches = [one.reach for one in signals if one is not None]
    return [2**62, *(reach[1] - offset for reach in reaches if reach is not None)]


def _segments(scenario: EnergyScenario, conditions: Conditions, begin: int, end: int) -> Segments:
    if scenario.cooling is None or scenario.climate is None or conditions.temperature is None:
        return Segments(np.array([begin, end]), np.zeros(1))
    clock = conditions.clock
    midnights, _ = midnights_around(begin + clock.offset, end + clock.offset, clock.zone)
    return segments(conditions.temperature, midnights - clock.offset, scenario.climate.degrees)


def _pue(
    scenario: EnergyScenario, temperature: Floats, rated: float
) -> tuple[Floats, Floats, float]:
    """PUE of each segment at some powers; after all segments, at a mean temperature and full load."""
    if scenario.cooling is None:
        return np.ones((len(temperature) + 1, 1)), np.zeros(1), 0.0
    cooling = scenario.cooling
    mean = 0.0 if scenario.climate is None else scenario.climate.signal.mean
    rows = cooling.at_all_powers(temperature)
    last = np.full((1, rows.shape[1]), cooling.at_full_load(np.array([mean]), rated)[0])
    return np.concatenate([rows, last]), cooling.watts(rated), cooling.round_to


def sums_until(edges: Ints, each: Floats) -> Floats:
    """What adds up until each edge of what each cell has in a second."""
    return np.concatenate(([0.0], np.cumsum(np.diff(edges) * each[:-1])))


def _base(edges: Ints, idle: float, running: Usage) -> Floats:
    """Joules of each cell that are drawn whatever is planned. What idle cores draw in the last one, which has
    no end, is left out.
    """
    length = np.diff(edges)
    runs = np.clip(running.end[:, None] - edges[None, :-1], 0, length[None, :])
    joules = idle * length + (running.watts[:, None] * runs).sum(axis=0)
    after = np.maximum(running.end - edges[-1], 0)
    return np.append(joules, (running.watts * after).sum())
