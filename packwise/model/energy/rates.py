"""What a kilowatt-hour costs, what it emits, and how warm it is outside: signals in known units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from packwise.model.energy.series import Signal
from packwise.model.energy.units import Kind, conversion
from packwise.model.errors import InputError

#: Joules.
KWH = 3.6e6
MWH = 3.6e9
#: Colder or warmer than anywhere on earth: a wrong unit.
COLDEST, WARMEST = -90.0, 60.0
#: Of air in degrees, as wide as one part of a day may be: the paper's.
DEGREES = 5.0


def _in_unit(kind: Kind, signal: Signal, name: str) -> Signal:
    found = conversion(kind, signal.unit, name)
    return signal.converted(found.unit, found.factor, found.offset)


@dataclass(frozen=True, slots=True)
class Tariff:
    """The price of energy. Kept per MWh, in the currency of its unit; negative prices are prices."""

    signal: Signal

    def __post_init__(self) -> None:
        object.__setattr__(self, "signal", _in_unit("price", self.signal, "price"))

    @property
    def currency(self) -> str:
        return self.signal.unit.removesuffix("/MWh")


@dataclass(frozen=True, slots=True)
class Carbon:
    """What the grid emits for a kWh. Kept in grams; never negative."""

    signal: Signal

    def __post_init__(self) -> None:
        object.__setattr__(self, "signal", _in_unit("carbon", self.signal, "carbon"))


@dataclass(frozen=True, slots=True)
class Climate:
    """The temperature outside, kept in °C. ``degrees``: how far it may vary within one segment of a day."""

    signal: Signal
    degrees: float = DEGREES

    def __post_init__(self) -> None:
        object.__setattr__(self, "signal", _in_unit("temperature", self.signal, "temperature"))
        if not (np.isfinite(self.degrees) and self.degrees >= 0):
            raise InputError(
                f"climate: segments should be 0 degrees wide or more, found {self.degrees}."
            )
