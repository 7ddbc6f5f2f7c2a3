"""How long to go on: wall time, or a number of evaluations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packwise.model.errors import InputError

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_TIME = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([smhd])")
_MOST = 10**15


@dataclass(frozen=True, slots=True)
class Budget:
    """Exactly one of both. With evaluations the result is the same each time, for a seed."""

    seconds: float | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.evaluations is None):
            raise InputError("a budget should be seconds or evaluations, one of them.")
        amount = self.seconds if self.seconds is not None else self.evaluations
        if amount is None or not 0 < amount <= _MOST:
            raise InputError(f"a budget should be above zero, found {amount:g}.")

    @classmethod
    def parse(cls, text: str) -> Budget:
        """``60s``, ``1.5m``, ``2h``: time; ``1e6``: evaluations."""
        cleaned = text.strip().lower()
        if found := _TIME.fullmatch(cleaned):
            return cls(seconds=float(found[1]) * _SECONDS[found[2]])
        try:
            number = float(cleaned)
            if not 1 <= number <= _MOST or number != int(number):
                raise ValueError
        except ValueError:
            raise InputError(
                f"--budget: expected a time such as 60s, 10m or 2h, or a number of evaluations such as 1e6, "
                f"found '{text}'."
            ) from None
        return cls(evaluations=int(number))
