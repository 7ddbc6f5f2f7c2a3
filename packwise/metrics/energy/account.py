"""The account of a schedule's energy: what was drawn, when, and what that cost.

Time is cut into cells at every change of price, carbon, segment and day. Within a cell all rates are
constant, so what jobs and idle cores draw in it is all that has to be known: nothing is sampled. From the
first submission to the last end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from packwise.metrics.energy.power_curve import PowerCurve
from packwise.metrics.outcome import Outcome, total
from packwise.model.cluster import Cluster
from packwise.model.energy.cap import refuse_cap_below
from packwise.model.energy.daily import midnights_around
from packwise.model.energy.rates import KWH, MWH
from packwise.model.energy.scenario import Clock, Conditions, EnergyScenario
from packwise.model.energy.segments import Segments, segments
from packwise.model.energy.series import Series
from packwise.model.errors import InputError
from packwise.model.moments import merged
from packwise.model.schedule import Schedule
from packwise.model.workload import CORES, Floats, Ints, Workload


@dataclass(frozen=True, eq=False)
class EnergyAccount:
    """What was drawn in each cell, between one of ``edges`` and the next, and at what rates.

    ``work`` and ``idle`` are joules of the machine, ``pue`` what cooling makes of them. ``price`` is per MWh,
    ``carbon`` in g/kWh; None where the scenario has none. ``watts`` are those of each job that ran.
    """

    outcome: Outcome
    scenario: EnergyScenario
    conditions: Conditions
    curve: PowerCurve
    watts: Floats
    midnights: Ints
    edges: Ints
    work: Floats
    idle: Floats
    pue: Floats
    price: Floats | None
    carbon: Floats | None

    @property
    def clock(self) -> Clock:
        return self.conditions.clock

    @cached_property
    def facility(self) -> Floats:
        """Joules of each cell, cooling included."""
        return (self.work + self.idle) * self.pue

    @cached_property
    def cooling(self) -> Floats:
        """Joules of each cell that cooling takes."""
        return (self.work + self.idle) * (self.pue - 1)

    @cached_property
    def cost(self) -> Floats | None:
        """What each cell costs."""
        return None if self.price is None else self.facility * self.price / MWH

    @cached_property
    def co2(self) -> Floats | None:
        """Kilograms that each cell emits."""
        return None if self.carbon is None else self.facility * self.carbon / KWH / 1000

    @cached_property
    def revenue(self) -> Floats | None:
        """What each job that ran pays."""
        if self.scenario.revenue is None:
            return None
        return self.outcome.area * (self.scenario.revenue / 3600)

    @cached_property
    def earned(self) -> Floats | None:
        """What jobs pay for each cell."""
        if self.scenario.revenue is None:
            return None
        return self.curve.energy(self.curve.busy, self.edges) * (self.scenario.revenue / 3600)

    @cached_property
    def mean_pue(self) -> float:
        """All energy over that of the machine; NaN if nothing was drawn."""
        machine = total(self.work) + total(self.idle)
        return total(self.facility) / machine if machine else float("nan")

    @cached_property
    def peak(self) -> float:
        """The most that was ever drawn, cooling included, in watts."""
        return float((self.peaks * self.pue).max())

    @cached_property
    def peaks(self) -> Floats:
        """The most that the machine draws in each cell, in watts, without cooling."""
        watts, times, edges = self.curve.machine, self.curve.times, self.edges
        piece = np.searchsorted(times, edges[:-1], "right") - 1
        most: Floats = np.maximum.reduceat(watts, piece)
        # The piece at the next edge is part of this cell, too, if it began before that edge.
        next_piece = piece[1:]
        begins = times[next_piece] < edges[1:-1]
        most[:-1] = np.maximum(most[:-1], np.where(begins, watts[next_piece], 0.0))
        return most

    @cached_property
    def over_cap(self) -> float:
        """Seconds during which the machine draws more than its cap; 0 without one."""
        cap = self.conditions.cap
        if cap is None:
            return 0.0
        times = merged(self.curve.times, cap.times)
        piece = np.searchsorted(self.curve.times, times[:-1], "right") - 1
        # What jobs draw is a sum of many numbers: one that is as high as the cap is not above it.
        over = self.curve.machine[piece] > cap.at(times[:-1]) * (1 + 1e-9)
        return float(np.diff(times)[over].sum())

    def job_energy(self) -> Floats:
        """Joules of each job that ran, its cooling included."""
        return self.paid(np.ones_like(self.pue))

    def job_cost(self) -> Floats | None:
        """What the energy of each job costs, its cooling included."""
        return None if self.price is None else self.paid(self.price) / MWH

    def job_co2(self) -> Floats | None:
        """Kilograms of each job, its cooling included."""
        return None if self.carbon is None else self.paid(self.carbon) / KWH / 1000

    def paid(self, rate: Floats) -> Floats:
        """The energy of each job times a rate of the cells."""
        until = self.until(rate)
        outcome = self.outcome
        spent: Floats = self.watts * (until.at(outcome.end) - until.at(outcome.start))
        return spent

    def until(self, rate: Floats) -> Accrual:
        """What a watt comes to that is drawn, and cooled, from the beginning until a moment."""
        grown = np.diff(self.edges) * self.pue * rate
        return Accrual(self.edges, np.concatenate(([0.0], np.cumsum(grown))))


@dataclass(frozen=True, eq=False)
class Accrual:
    """What has added up until each edge; linear in between."""

    edges: Ints
    sums: Floats

    @cached_property
    def _marks(self) -> Floats:
        """The edges as numbers of the kind that an interpolation would make of them each time."""
        return self.edges.astype(np.float64)

    def at(self, times: Ints) -> Floats:
        return np.interp(times, self._marks, self.sums)


def account(workload: Workload, cluster: Cluster, schedule: Schedule) -> EnergyAccount:
    """The account of a schedule on a cluster whose ``energy`` is known."""
    return account_of(Outcome.of(workload, cluster, schedule))


def account_of(outcome: Outcome) -> EnergyAccount:
    """The account of an outcome; made once."""
    if "energy" not in outcome.memo:
        outcome.memo["energy"] = _account(outcome)
    found: EnergyAccount = outcome.memo["energy"]
    return found


def _account(outcome: Outcome) -> EnergyAccount:
    origin = outcome.origin
    scenario = None if origin is None else origin.cluster.energy
    if origin is None or scenario is None:
        raise InputError(
            "energy: expected a cluster that knows what power costs, found one without. Name a scenario: "
            "--energy market, or replace(cluster, energy=find_energy('market')) in Python."
        )
    workload, cluster = origin.workload, origin.cluster
    begin, end = outcome.first_submit, outcome.last_end
    conditions = scenario.over(workload, begin, end)
    watts = scenario.jobs.of(workload)[origin.picked]
    curve = PowerCurve(outcome, watts, scenario)
    clock = conditions.clock
    midnights, _ = midnights_around(begin + clock.offset, end + clock.offset, clock.zone)
    midnights = midnights - clock.offset
    parts = _segments(scenario, conditions, midnights)
    series = (conditions.price, conditions.carbon)
    marks = [one.times for one in series if one is not None]
    marks += [] if parts is None else [parts.edges]
    inside = midnights[(midnights > begin) & (midnights < end)]
    edges = merged(np.array([begin, end]), inside, *marks)
    if conditions.cap is not None:
        idle = scenario.idle_watts if scenario.sleep is None else scenario.sleep.watts
        least = idle * cluster.totals()[CORES]
        refuse_cap_below(scenario, conditions.cap, least, clock)
    return EnergyAccount(
        outcome=outcome,
        scenario=scenario,
        conditions=conditions,
        curve=curve,
        watts=watts,
        midnights=midnights,
        edges=edges,
        work=curve.energy(curve.work, edges),
        idle=curve.energy(curve.idle, edges),
        pue=_pue(scenario, parts, curve, edges, clock, scenario.rated(workload, cluster.totals())),
        price=_rate(conditions.price, edges),
        carbon=_rate(conditions.carbon, edges),
    )


def _rate(series: Series | None, edges: Ints) -> Floats | None:
    return None if series is None else series.at(edges[:-1])


def _segments(scenario: EnergyScenario, conditions: Conditions, midnights: Ints) -> Segments | None:
    if scenario.climate is None or conditions.temperature is None:
        return None
    return segments(conditions.temperature, midnights, scenario.climate.degrees)


def _pue(
    scenario: EnergyScenario,
    parts: Segments | None,
    curve: PowerCurve,
    edges: Ints,
    clock: Clock,
    rated: float,
) -> Floats:
    """PUE of each cell: that of its segment, by the segment's mean power."""
    if scenario.cooling is None:
        return np.ones(len(edges) - 1)
    if parts is None:
        parts = Segments(edges[[0, -1]], np.zeros(1))
    power = curve.energy(curve.machine, parts.edges) / np.diff(parts.edges)
    begins = parts.edges[:-1].tolist()
    found = scenario.cooling.lookup(
        power, parts.temperature, rated, lambda i: clock.words(begins[i])
    )
    pue: Floats = found[np.searchsorted(parts.edges, edges[:-1], "right") - 1]
    return pue
