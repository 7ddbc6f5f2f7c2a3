"""Dispatch time: how much simulated time passes while a policy thinks.

In most simulators a decision takes no time, so that a slow dispatcher looks as good as a fast one.
Galleguillos, Kiziltan and Soto, CP 2021, sections 5.3 and 6, name it as what keeps them from seeing what speed
is worth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from packwise.model.errors import InputError

MEASURED = "measured"
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_AMOUNT = r"(\d+\.?\d*|\.\d+)(ms|s|m)"
_GIVEN = re.compile(_AMOUNT)
_PER_JOB = "/job"
#: A year: no dispatcher thinks longer.
_LONGEST = 366 * 86400.0


@dataclass(frozen=True, slots=True)
class DispatchTime:
    """Seconds ``per_round`` and ``per_job`` that waits; or what is ``measured``, by the clock of this machine.

    A decision is carried out that much later, and nothing else is decided before. Times are whole seconds in a
    replay: what decisions take is rounded to the nearest, and the rest counts with the next one.
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

    def seconds(self, measured: float, queued: int) -> float:
        """What a decision takes, if the policy took so many seconds and so many jobs wait; nothing, if none."""
        if not queued:
            return 0.0
        return min(measured if self.measured else self.per_round + self.per_job * queued, _LONGEST)

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
    per_round, per_job = 0.0, 0.0
    parts = plain.split("+")
    if len(parts) == 2 and not (parts[1].endswith(_PER_JOB) and not parts[0].endswith(_PER_JOB)):
        parts = []
    amounts = [_GIVEN.fullmatch(part.removesuffix(_PER_JOB)) for part in parts]
    if len(parts) not in (1, 2) or None in amounts:
        raise InputError(
            f"dispatch time '{text}': expected 'measured', seconds per round such as 2s or 500ms, seconds per "
            "waiting job such as 50ms/job, or both: 2s+50ms/job."
        )
    for part, amount in zip(parts, amounts, strict=True):
        assert amount is not None
        seconds = float(amount.group(1)) * _UNITS[amount.group(2)]
        if part.endswith(_PER_JOB):
            per_job = seconds
        else:
            per_round = seconds
    return DispatchTime(per_round, per_job)
