"""The scenario: everything about power that is not the jobs and not the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, date, datetime, time, tzinfo
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from packwise.model.energy.cooling import Cooling
from packwise.model.energy.job_power import JobPower
from packwise.model.energy.rates import COLDEST, WARMEST, Carbon, Climate, Tariff
from packwise.model.energy.series import Series, Signal
from packwise.model.energy.sleep import SleepState
from packwise.model.energy.units import conversion
from packwise.model.errors import InputError
from packwise.model.time_zone import local_zone, moment, zone_named
from packwise.model.workload import CORES, Workload


class Clock(NamedTuple):
    """How a workload's seconds become moments: Unix time is ``offset`` later, and ``zone`` tells local time."""

    offset: int
    zone: tzinfo

    def words(self, seconds: float) -> str:
        """A time of the workload for people."""
        return moment(seconds + self.offset, self.zone)


class Conditions(NamedTuple):
    """The series of a scenario over some time, in the workload's seconds."""

    clock: Clock
    price: Series | None
    carbon: Series | None
    temperature: Series | None
    cap: Series | None


@dataclass(frozen=True, slots=True, eq=False)
class EnergyScenario:
    """What energy costs and emits, how it is cooled away, what jobs and idle cores draw, what jobs pay.

    ``idle_watts`` is what a core draws that runs no job, ``rated_watts`` what the whole machine draws at most
    (None: what the jobs could make it draw), ``cap`` what it may draw, cooling not included. ``revenue`` is
    paid for a core-hour, in the currency of the price. ``zone`` is the clock that days are counted by (None:
    the log's). ``shift_to``: the day that the first submission is taken to fall on; the time of day stays.
    """

    name: str
    about: str = ""
    price: Tariff | None = None
    carbon: Carbon | None = None
    climate: Climate | None = None
    cooling: Cooling | None = None
    jobs: JobPower = field(default_factory=JobPower)
    idle_watts: float = 0.0
    rated_watts: float | None = None
    sleep: SleepState | None = None
    cap: Signal | None = None
    revenue: float | None = None
    zone: str | None = None
    shift_to: date | None = None

    def __post_init__(self) -> None:
        if self.cooling is not None and self.cooling.needs_climate and self.climate is None:
            raise InputError(
                f"energy scenario '{self.name}': a table of PUE over temperatures needs a climate; add "
                "[climate], or give one PUE for all times: pue = 1.3."
            )
        if self.zone is not None:
            zone_named(self.zone)
        if self.rated_watts is not None and not (
            np.isfinite(self.rated_watts) and self.rated_watts > 0
        ):
            raise InputError(
                f"energy scenario '{self.name}': rated_watts should be a number above 0, found "
                f"{self.rated_watts}."
            )
        for name in ("idle_watts", "revenue"):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value >= 0):
                raise InputError(
                    f"energy scenario '{self.name}': {name} should be a number of 0 or more, found {value}."
                )
        if self.sleep is not None and self.sleep.watts > self.idle_watts:
            raise InputError(
                f"energy scenario '{self.name}': a core asleep should draw no more than an idle one "
                f"({self.idle_watts:g} W), found {self.sleep.watts:g} W."
            )
        if self.cap is not None:
            unit = conversion("power", self.cap.unit, "cap")
            object.__setattr__(self, "cap", self.cap.converted(unit.unit, unit.factor, unit.offset))

    @property
    def currency(self) -> str:
        """What money is counted in."""
        return "EUR" if self.price is None else self.price.currency

    def tells(self, what: str) -> bool:
        """Whether there is such a part: power (always), price, carbon, revenue, cap."""
        return what == "power" or getattr(self, what) is not None

    def shifted(self, day: date | None) -> EnergyScenario:
        """The same with the first submission on another day; None leaves it as it is."""
        return self if day is None else replace(self, shift_to=day)

    def clock(self, workload: Workload) -> Clock:
        """How the workload's seconds become moments of this scenario."""
        zone = local_zone(workload)[0] if self.zone is None else zone_named(self.zone)
        if self.shift_to is None:
            return Clock(workload.start_time, zone)
        first = workload.start_time + int(workload.submit[0])
        try:
            clock = datetime.fromtimestamp(first, local_zone(workload)[0]).time()
            begin = datetime.combine(self.shift_to, clock.replace(tzinfo=None), zone).timestamp()
        except (ValueError, OverflowError, OSError):
            begin = datetime.combine(self.shift_to, time(0), UTC).timestamp()
        return Clock(int(begin) - int(workload.submit[0]), zone)

    def rated(self, workload: Workload, there: Mapping[str, int]) -> float:
        """What a machine with so much of each resource draws at most, in watts."""
        if self.rated_watts is not None:
            return self.rated_watts
        boots = 0.0 if self.sleep is None else self.sleep.boot_watts
        return max(self.jobs.most(workload, there), max(self.idle_watts, boots) * there[CORES])

    def over(self, workload: Workload, begin: int, end: int) -> Conditions:
        """What holds from ``begin`` until ``end``, in the workload's seconds; an InputError names the first
        moment that a series does not cover, or has a value for that cannot be.
        """
        clock = self.clock(workload)

        def part(signal: Signal | None) -> Series | None:
            if signal is None:
                return None
            whole = signal.over(begin + clock.offset, end + clock.offset, clock.zone)
            return whole.moved(-clock.offset)

        found = Conditions(
            clock,
            part(None if self.price is None else self.price.signal),
            part(None if self.carbon is None else self.carbon.signal),
            part(None if self.climate is None else self.climate.signal),
            part(self.cap),
        )
        limits = (
            ("carbon", found.carbon, 0.0, np.inf, "0 g/kWh or more"),
            ("temperature", found.temperature, COLDEST, WARMEST, f"{COLDEST:g} to {WARMEST:g} °C"),
            ("cap", found.cap, 0.0, np.inf, "0 W or more"),
        )
        for name, series, least, most, words in limits:
            if series is None:
                continue
            wrong = (series.values < least) | (series.values > most)
            if wrong.any():
                i = int(np.argmax(wrong))
                raise InputError(
                    f"energy scenario '{self.name}': {name} should be {words}, found {series.values[i]:g} at "
                    f"{clock.words(int(series.times[i]))}. Is the unit right?"
                )
        return found

    @property
    def digest(self) -> str:
        """A hash of all that is in it, the texts for people apart."""
        found = sha256()
        _feed(found, replace(self, name="", about=""))
        return found.hexdigest()


def _feed(digest: Any, value: object) -> None:
    """Put a value into a hash, part by part."""
    if is_dataclass(value) and not isinstance(value, type):
        digest.update(f"{type(value).__name__}(".encode())
        for field in fields(value):
            if field.name != "name":
                digest.update(f"{field.name}=".encode())
                _feed(digest, getattr(value, field.name))
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
    elif isinstance(value, tuple):
        for part in value:
            _feed(digest, part)
    else:
        digest.update(f"{value!r};".encode())
