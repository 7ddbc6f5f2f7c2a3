"""Without those who end first or last: a log begins with an empty machine and ends with an emptying one.

Papers differ in what they leave out. That of a run's jobs ``last`` leaves out those that end when the last one
does, as the tables of Goponenko et al., SBAC-PAD 2022, have it (their ``calculate_metrics.py`` asks for an end
before the latest). ``1%`` leaves out the 1 % that end first and the 1 % that end last; ``1%:arrivals`` the 1 %
that end first and whoever ends after the last submission, as Tsafrir, Etsion and Feitelson do (IEEE TPDS 2007).

Who ends last depends on the schedule, so two runs of one log may leave out different jobs. Metrics of the
machine are about all jobs nevertheless: see ``Metric.of_all_jobs``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from packwise.metrics.outcome import Mask
from packwise.model.errors import InputError, shortened
from packwise.model.schedule import Schedule
from packwise.model.workload import Workload

LAST, ARRIVALS = "last", "arrivals"

_KINDS = (
    "'last' (those that end last), '1%' (the 1 % that end first, and the 1 % that end last) or "
    "'1%:arrivals' (the 1 % that end first, and those that end after the last submission)"
)
_SHARE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*%(?:\s*:\s*(arrivals))?")


@dataclass(frozen=True, slots=True)
class Trim:
    """What metrics of jobs leave out: ``percent`` of the jobs at the beginning, and what ``end`` says:
    ``last``, ``arrivals``, or as many ("") as at the beginning.
    """

    percent: float
    end: str

    @classmethod
    def of(cls, text: str) -> Trim:
        """From ``last``, ``1%`` or ``1%:arrivals``; raises InputError for anything else."""
        wanted = text.strip().lower()
        if wanted == LAST:
            return cls(0.0, LAST)
        found = _SHARE.fullmatch(wanted)
        if found is None:
            raise InputError(f"trim: expected {_KINDS}; found '{shortened(text, 40)}'.")
        if not 0 < float(found[1]) < 50:
            raise InputError(
                f"trim: expected a share of more than 0 and less than 50 %, found '{shortened(text, 40)}'."
            )
        return cls(float(found[1]), found[2] or "")

    def __str__(self) -> str:
        if self.end == LAST:
            return LAST
        return f"{self.percent:g}%{f':{self.end}' if self.end else ''}"

    @property
    def words(self) -> str:
        """Which jobs these are."""
        if self.end == LAST:
            return "those that end last"
        first = f"the {self.percent:g} % that end first"
        if self.end == ARRIVALS:
            return f"{first} and those that end after the last submission"
        return f"{first} and the {self.percent:g} % that end last"

    def kept(self, workload: Workload, schedule: Schedule) -> Mask:
        """Which jobs to measure. Those that never ran are kept: they have no end, but may have had a deadline.

        Jobs that end at the same time are left out together or not at all: not, at the edge of a share.
        """
        ends = np.sort(schedule.end[schedule.ran])
        if not len(ends):
            return np.ones(len(workload), np.bool_)
        count = int(len(ends) * self.percent / 100)
        if self.end == LAST:
            late = schedule.end == ends[-1]
        elif self.end == ARRIVALS:
            late = schedule.end > workload.submit.max()
        else:
            late = schedule.end > ends[len(ends) - 1 - count]
        left_out: Mask = schedule.ran & (late | (schedule.end < ends[count]))
        return ~left_out
