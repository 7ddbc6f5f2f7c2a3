"""What cooling adds: power usage effectiveness, PUE, over power and temperature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Floats

Outside = Literal["refuse", "nearest"]

#: Watts that the power of a segment is rounded to: the paper's.
ROUND_TO = 500.0


@dataclass(frozen=True, slots=True, eq=False)
class Cooling:
    """PUE, the power of all over that of the machine alone, at ``temperatures`` in °C and ``powers``.

    ``pue`` has a row for each temperature and a column for each power. Powers are watts or, with ``relative``,
    shares of what the machine draws at most. In between it is linear; beyond the table it is refused, or with
    ``outside="nearest"`` the value at its edge. Powers are rounded to ``round_to`` watts first (0: not at all).
    """

    pue: Floats
    temperatures: Floats
    powers: Floats
    relative: bool = False
    round_to: float = ROUND_TO
    outside: Outside = "refuse"

    def __post_init__(self) -> None:
        for name in ("pue", "temperatures", "powers"):
            column = np.array(getattr(self, name), np.float64)
            column.setflags(write=False)
            object.__setattr__(self, name, column)
        rows, columns = len(self.temperatures), len(self.powers)
        if self.pue.shape != (rows, columns) or not self.pue.size:
            raise InputError(
                f"cooling: pue should have a row for each of {rows} temperatures and a column for each of "
                f"{columns} powers, found {self.pue.shape}."
            )
        for name, axis in (("temperatures", self.temperatures), ("powers", self.powers)):
            if not np.isfinite(axis).all() or (np.diff(axis) <= 0).any():
                raise InputError(f"cooling: {name} should increase, found {axis.tolist()}.")
        if (self.powers < 0).any():
            raise InputError(
                f"cooling: powers should not be negative, found {self.powers.tolist()}."
            )
        if not (np.isfinite(self.pue) & (self.pue >= 1)).all():
            wrong = self.pue[~(np.isfinite(self.pue) & (self.pue >= 1))][0]
            raise InputError(
                f"cooling: a PUE should be 1 or more (1.4: cooling adds 40 %), found {wrong}."
            )
        if not (np.isfinite(self.round_to) and self.round_to >= 0):
            raise InputError(
                f"cooling: round_to should be 0 W (no rounding) or more, found {self.round_to}."
            )
        if self.outside not in ("refuse", "nearest"):
            raise InputError(
                f"cooling: outside should be refuse or nearest, found '{self.outside}'."
            )

    @classmethod
    def flat(cls, pue: float) -> Cooling:
        """The same PUE at all times."""
        return cls(np.array([[pue]]), np.array([0.0]), np.array([0.0]), outside="nearest")

    @property
    def needs_climate(self) -> bool:
        return len(self.temperatures) > 1 or self.outside == "refuse"

    def lookup(
        self, power: Floats, temperature: Floats, most: float, when: Callable[[int], str]
    ) -> Floats:
        """PUE at average powers in watts and temperatures of segments; ``most`` is what the machine draws at
        most, ``when`` tells for messages when a segment begins.
        """
        rounded = np.round(power / self.round_to) * self.round_to if self.round_to else power
        low, high = self.powers[0], self.powers[-1]
        if self.relative:
            low, high = low * most, high * most
        # Rounding takes no power out of the table that was in it.
        inside = (power >= low) & (power <= high)
        rounded = np.where(inside, np.clip(rounded, low, high), rounded)
        for what, unit, values, least, greatest in (
            ("powers", "W", rounded, low, high),
            ("temperatures", "°C", temperature, self.temperatures[0], self.temperatures[-1]),
        ):
            beyond = (values < least) | (values > greatest)
            if self.outside == "refuse" and beyond.any():
                i = int(np.argmax(beyond))
                raise InputError(
                    f"cooling: the table has {what} from {least:,.0f} to {greatest:,.0f} {unit}, found "
                    f"{values[i]:,.1f} {unit} at {when(i)}. Extend the table (loads are shares of the "
                    "machine's rated_watts), or write outside = "
                    '"nearest" to take the value at its edge.'
                )
        return self._interpolated(
            rounded / (most or 1.0) if self.relative else rounded, temperature
        )

    def at_all_powers(self, temperature: Floats) -> Floats:
        """PUE at each of the table's powers, in a row for each temperature; the edges held."""
        powers = np.tile(self.powers, len(temperature))
        warm = np.repeat(temperature, len(self.powers))
        return self._interpolated(powers, warm).reshape(len(temperature), len(self.powers))

    def watts(self, most: float) -> Floats:
        """The table's powers, in watts."""
        return self.powers * most if self.relative else self.powers

    def at_full_load(self, temperature: Floats, most: float) -> Floats:
        """PUE at these temperatures of a machine that draws its ``most``; the edges held."""
        return self._interpolated(
            np.full(len(temperature), 1.0 if self.relative else most), temperature
        )

    def _interpolated(self, power: Floats, temperature: Floats) -> Floats:
        """Bilinear, the edges held."""
        row, below = _place(self.temperatures, temperature)
        column, left = _place(self.powers, power)
        next_row = np.minimum(row + 1, len(self.temperatures) - 1)
        next_column = np.minimum(column + 1, len(self.powers) - 1)
        cold = self.pue[row, column] * (1 - left) + self.pue[row, next_column] * left
        warm = self.pue[next_row, column] * (1 - left) + self.pue[next_row, next_column] * left
        found: Floats = cold * (1 - below) + warm * below
        return found


def _place(axis: Floats, values: Floats) -> tuple[np.ndarray, Floats]:
    """The point of an axis at or before each value, and how far along to the next one it is."""
    held = np.clip(values, axis[0], axis[-1])
    place = np.clip(np.searchsorted(axis, held, "right") - 1, 0, max(0, len(axis) - 2))
    if len(axis) == 1:
        return place, np.zeros(len(held))
    return place, (held - axis[place]) / (axis[place + 1] - axis[place])
