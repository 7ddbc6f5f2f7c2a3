"""Dispatch time: how much simulated time passes while a policy thinks.

In most simulators a decision takes no time, so that a slow dispatcher looks as good as a fast one.
Galleguillos, Kiziltan and Soto, CP 2021, sections 5.3 and 6, name it as what keeps them from seeing what speed
is worth.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from packwise.model.errors import InputError

MEASURED = "measured"
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_AMOUNT = r"(\d+\.?\d*|\.\d+)(ms|s|m)"
_GIVEN = re.compile(rf"(?:{_AMOUNT})?(?:(?:(?<=.)\+)?{_AMOUNT}/job)?")
#: A year: no dispatcher thinks longer.
_LONGEST = 366 * 86400.0


@dataclass(frozen=True, slots=True)
class DispatchTime:
    """Seconds ``per_round`` and ``per_job`` that waits; or what is ``measured``, by the clock of this machine.

    A decision is carried out that much later, and nothing else is decided before. Times are whole seconds in a
    replay: what a decision takes is rounded to the nearest.
    """

    per_round: float = 0.0
    per_job: float = 0.0
    measured: bool = False

    def __post_init__(self) -> None:
        for seconds in (self.per_round, self.per_job):
            if not 0 <= seconds <= _LONGEST:
                raise InputError(
                    f"a dispatch time should be from 0 seconds to a year, found {seconds:g} s."
                )

    def seconds(self, measured: float, queued: int) -> int:
        """What a decision takes, if the policy took so many seconds and so many jobs wait."""
        exact = measured if self.measured else self.per_round + self.per_job * queued
        return math.floor(min(exact, _LONGEST) + 0.5)

    def __str__(self) -> str:
        if self.measured:
            return MEASURED
        parts = [_seconds(self.per_round)] if self.per_round or not self.per_job else []
        return "+".join([*parts, f"{_seconds(self.per_job)}/job"] if self.per_job else parts)


def _seconds(amount: float) -> str:
    digits = f"{amount:.9f}".rstrip("0").rstrip(".")
    return f"{digits}s"


def dispatch_time(text: str) -> DispatchTime:
    """``measured``, ``2s``, ``50ms/job``, or ``2s+50ms/job``."""
    plain = re.sub(r"\s+", "", text.lower())
    if plain == MEASURED:
        return DispatchTime(measured=True)
    found = _GIVEN.fullmatch(plain)
    if found is None or not plain:
        raise InputError(
            f"dispatch time '{text}': expected 'measured', seconds per round such as 2s or 500ms, seconds per "
            "waiting job such as 50ms/job, or both: 2s+50ms/job."
        )
    round_amount, round_unit, job_amount, job_unit = found.groups()
    per_round = float(round_amount) * _UNITS[round_unit] if round_amount else 0.0
    per_job = float(job_amount) * _UNITS[job_unit] if job_amount else 0.0
    return DispatchTime(per_round, per_job)
