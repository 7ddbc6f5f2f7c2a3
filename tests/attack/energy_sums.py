"""What a schedule's energy comes to, added up piece by piece from the numbers that a scenario was written with.

Time is cut every quarter of an hour and wherever a job starts or ends or a node falls asleep or wakes, so
within a piece nothing changes. Nothing of the product is used here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

QUARTER = 900
KWH, MWH = 3.6e6, 3.6e9


class Job(NamedTuple):
    submit: int
    runtime: int
    units: int
    cores_of_unit: int
    watts: float

    @property
    def cores(self) -> int:
        return self.units * self.cores_of_unit


class Placed(NamedTuple):
    """A job that runs: from when until when, and how many of its units are on which nodes (none: a pool)."""

    job: Job
    start: int
    end: int
    units_on: dict[int, int]


@dataclass
class Sleep:
    after: int
    watts: float
    boot_time: int
    boot_watts: float
    cores_per_node: int


@dataclass
class World:
    """A scenario as numbers. Times are seconds of the log; Unix time is ``offset`` later.

    ``pue``: one for all times, or rows by temperature and columns by power.
    """

    offset: int
    zone: str
    node_cores: list[int]
    is_pool: bool
    price: list[float]
    weekend_price: list[float] | None
    carbon: list[float] | None
    degrees: list[float] | None
    segment_degrees: float
    pue: float | list[list[float]] | None
    temperatures: list[float]
    loads: list[float]
    round_to: float
    rated: float
    idle: float
    sleep: Sleep | None
    cap: list[float] | None
    revenue: float
    _local: dict[int, datetime] = field(default_factory=dict)

    @property
    def cores(self) -> int:
        return sum(self.node_cores)

    def local(self, time: int) -> datetime:
        quarter = (time + self.offset) // QUARTER
        if quarter not in self._local:
            self._local[quarter] = datetime.fromtimestamp(quarter * QUARTER, ZoneInfo(self.zone))
        return self._local[quarter]

    def price_at(self, time: int) -> float:
        now = self.local(time)
        weekend = self.weekend_price is not None and now.isoweekday() > 5
        return (self.weekend_price if weekend else self.price)[now.hour]  # type: ignore[index]

    def by_hour(self, hours: list[float] | None, time: int) -> float:
        return 0.0 if hours is None else hours[self.local(time).hour]


class Piece(NamedTuple):
    """A time in which nothing changes: what jobs and idle cores draw, in watts."""

    begin: int
    end: int
    work: float
    idle: float

    @property
    def length(self) -> int:
        return self.end - self.begin

    @property
    def machine(self) -> float:
        return self.work + self.idle


class Nap(NamedTuple):
    cores: int
    asleep: int
    woken: int
    until: int


def pieces(world: World, jobs: list[Placed], begin: int, end: int, sleeping: bool) -> list[Piece]:
    """What is drawn from ``begin`` until ``end``."""
    slept = naps(world, jobs, begin, end) if sleeping and world.sleep is not None else []
    marks = {begin, end, *(t for p in jobs for t in (p.start, p.end))}
    marks |= {t for nap in slept for t in (nap.asleep, nap.woken, nap.until)}
    first = begin + (-(begin + world.offset)) % QUARTER
    cuts = sorted({t for t in marks if begin <= t <= end} | set(range(first, end, QUARTER)))
    found = []
    for low, high in pairwise(cuts):
        here = [p.job for p in jobs if p.start <= low < p.end]
        idle = world.idle * (world.cores - sum(job.cores for job in here))
        for nap in slept:
            if nap.asleep <= low < nap.woken:
                idle += nap.cores * (world.sleep.watts - world.idle)  # type: ignore[union-attr]
            elif nap.woken <= low < nap.until:
                idle += nap.cores * (world.sleep.boot_watts - world.idle)  # type: ignore[union-attr]
        found.append(Piece(low, high, sum(job.watts for job in here), idle))
    return found


def naps(world: World, jobs: list[Placed], begin: int, end: int) -> list[Nap]:
    """Who is idle for long sleeps, and is woken in time for the next job; after the last one nobody is."""
    gaps = _gaps_of_pool(world, jobs, begin, end) if world.is_pool else []
    if not world.is_pool:
        for node, cores in enumerate(world.node_cores):
            busy = sorted((p.start, p.end) for p in jobs if node in p.units_on)
            since = begin
            for start, stop in busy:
                gaps.append((cores, since, start))
                since = max(since, stop)
            gaps.append((cores, since, end))
    sleep = world.sleep
    assert sleep is not None
    found = []
    for cores, since, until in gaps:
        asleep = since + sleep.after
        woken = until if until == end else until - sleep.boot_time
        if asleep < woken:
            found.append(Nap(cores, asleep, woken, until))
    return found


def _gaps_of_pool(
    world: World, jobs: list[Placed], begin: int, end: int
) -> list[tuple[int, int, int]]:
    """Idle cores are on as few nodes as can be; who became idle last is taken first."""
    size = world.sleep.cores_per_node  # type: ignore[union-attr]
    idle_since: list[int] = []
    gaps = []
    for time in sorted({begin, *(t for p in jobs for t in (p.start, p.end) if t < end)}):
        busy = sum(p.job.cores for p in jobs if p.start <= time < p.end)
        nodes = (world.cores - busy) // size
        while len(idle_since) > nodes:
            gaps.append((size, idle_since.pop(), time))
        idle_since += [time] * (nodes - len(idle_since))
    return gaps + [(size, since, end) for since in idle_since]


class Segment(NamedTuple):
    begin: int
    end: int
    pue: float


class Undecided(Exception):
    """Two roundings are as near as each other: which one is right is a matter of the last digit."""


def segments(world: World, drawn: list[Piece]) -> list[Segment]:
    """Parts of a local day that are about equally warm, each with the PUE of its mean power and warmth."""
    begin, end = drawn[0].begin, drawn[-1].end
    if world.pue is None or not isinstance(world.pue, list):
        return [Segment(begin, end, 1.0 if world.pue is None else world.pue)]
    groups: list[list[Piece]] = []
    today, low, high = None, 0.0, 0.0
    for piece in drawn:
        warm, day = world.by_hour(world.degrees, piece.begin), world.local(piece.begin).date()
        if day != today or max(high, warm) - min(low, warm) > world.segment_degrees:
            groups.append([])
            today, low, high = day, warm, warm
        low, high = min(low, warm), max(high, warm)
        groups[-1].append(piece)
    found = []
    for group in groups:
        length = sum(piece.length for piece in group)
        power = sum(piece.machine * piece.length for piece in group) / length
        warm = sum(world.by_hour(world.degrees, p.begin) * p.length for p in group) / length
        found.append(Segment(group[0].begin, group[-1].end, _pue(world, power, warm)))
    return found


def _pue(world: World, power: float, warm: float) -> float:
    assert isinstance(world.pue, list)
    axis = [load * world.rated for load in world.loads]
    if world.round_to:
        steps = power / world.round_to
        if abs(steps % 1 - 0.5) < 1e-6:
            raise Undecided
        rounded = round(steps) * world.round_to
        if axis[0] <= power <= axis[-1]:
            rounded = min(max(rounded, axis[0]), axis[-1])
        power = rounded
    by_warmth = [_between(axis, row, power) for row in world.pue]
    return _between(world.temperatures, by_warmth, warm)


def _between(axis: list[float], values: list[float], at: float) -> float:
    if at <= axis[0]:
        return values[0]
    for low, high, below, above in zip(axis, axis[1:], values, values[1:], strict=False):
        if at <= high:
            return below + (above - below) * (at - low) / (high - low)
    return values[-1]


class Bill:
    """All sums of a schedule over a time."""

    def __init__(self, world: World, jobs: list[Placed], begin: int, end: int) -> None:
        self.world, self.jobs = world, jobs
        self.pieces = pieces(world, jobs, begin, end, sleeping=True)
        self._parts = segments(world, self.pieces)

    def pue_at(self, time: int) -> float:
        return next(part.pue for part in self._parts if part.begin <= time < part.end)

    def total(self, of: Callable[[Piece, float], float], day: date | None = None) -> float:
        """The sum over time of what a piece comes to per second, on a local day or on all."""
        return sum(
            of(piece, self.pue_at(piece.begin)) * piece.length
            for piece in self.pieces
            if day is None or self.world.local(piece.begin).date() == day
        )

    def days(self) -> list[date]:
        first, last = (self.world.local(p.begin).date() for p in (self.pieces[0], self.pieces[-1]))
        return [first + timedelta(days=k) for k in range((last - first).days + 1)]

    def metrics(self, day: date | None = None) -> dict[str, float]:
        """By the names that the product has for them."""
        world = self.world
        paid = world.revenue / 3600
        cores = {
            p.begin: sum(j.job.cores for j in self.jobs if j.start <= p.begin < j.end)
            for p in self.pieces
        }
        found = {
            "energy_work": self.total(lambda p, _: p.work, day) / KWH,
            "energy_idle": self.total(lambda p, _: p.idle, day) / KWH,
            "energy_cooling": self.total(lambda p, pue: p.machine * (pue - 1), day) / KWH,
            "energy_cost": self.total(
                lambda p, pue: p.machine * pue * world.price_at(p.begin) / MWH, day
            ),
            "revenue": self.total(lambda p, _: cores[p.begin] * paid, day),
            "peak_power": max(
                p.machine * self.pue_at(p.begin) / 1000
                for p in self.pieces
                if day is None or world.local(p.begin).date() == day
            ),
        }
        found["profit"] = found["revenue"] - found["energy_cost"]
        if world.carbon is not None:
            found["CO2"] = self.total(
                lambda p, pue: p.machine * pue * world.by_hour(world.carbon, p.begin) / KWH / 1000,
                day,
            )
        if day is None:
            found["energy"] = self.total(lambda p, pue: p.machine * pue) / KWH
            if world.cap is not None:
                found["over_cap"] = self.total(
                    lambda p, _: p.machine > world.by_hour(world.cap, p.begin) + 1e-6
                )
        return found

    def cost_of(self, placed: Placed) -> float:
        """What the energy of one job costs, its cooling included."""
        return sum(
            placed.job.watts * self.pue_at(p.begin) * self.world.price_at(p.begin) * p.length / MWH
            for p in self.pieces
            if placed.start <= p.begin < placed.end
        )


def gain_of_day(
    world: World, planned: Iterable[Placed], running: Iterable[Placed], begin: int, end: int
) -> float:
    """What the plan of a day brings until its end: revenue of who was planned, less the energy of all. In plans
    all nodes are awake.
    """
    planned, running = list(planned), list(running)
    drawn = pieces(world, [*planned, *running], begin, end, sleeping=False)
    parts = segments(world, drawn)
    earned = sum(
        p.job.cores * max(0, min(p.end, end) - max(p.start, begin)) * world.revenue / 3600
        for p in planned
    )
    spent = sum(
        piece.machine
        * next(part.pue for part in parts if part.begin <= piece.begin < part.end)
        * world.price_at(piece.begin)
        * piece.length
        / MWH
        for piece in drawn
    )
    return earned - spent


def overfull(world: World, jobs: list[Placed]) -> list[str]:
    """Moments at which more runs than there is room for."""
    wrong = []
    for time in sorted({p.start for p in jobs}):
        here = [p for p in jobs if p.start <= time < p.end]
        if sum(p.job.cores for p in here) > world.cores:
            wrong.append(f"at {time} more cores are in use than there are")
        for node, cores in enumerate([] if world.is_pool else world.node_cores):
            if sum(p.units_on.get(node, 0) * p.job.cores_of_unit for p in here) > cores:
                wrong.append(f"at {time} more cores of node {node} are in use than it has")
    return wrong
