"""How long to go on: wall time, or a number of evaluations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packwise.model.errors import InputError

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_TIME = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([smhd])")
_MOST = 10**15


#: A pass over the log takes about as long as an order of a window for each so many jobs.
_JOBS_OF_AN_EVALUATION = 50


def evaluations_of_a_pass(jobs: int) -> int:
    """What a pass over the whole log counts: a schedule made from scratch, or a step of the bound."""
    return max(1, jobs // _JOBS_OF_AN_EVALUATION)


@dataclass(frozen=True, slots=True)
class Spent:
    """What of a budget is gone."""

    seconds: float = 0.0
    evaluations: int = 0


NOTHING = Spent()


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
