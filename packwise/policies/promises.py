"""What policies that promise starts have in common: their memory between rounds, and how they compress."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from packwise.model.errors import InputError
from packwise.model.view import View

#: What becomes of the plan when a job ends early.
COMPRESS: Final[Mapping[str, str]] = {
    "compress": "after an early end: any (default) moves each waiting job to the earliest place there is, "
    "start only those that can start at once"
}


def compression(name: str, given: Mapping[str, str]) -> tuple[str, bool]:
    """The name of a policy with these parameters, and whether it moves jobs only to start them at once."""
    wanted = given.get("compress", "any").lower()
    if wanted not in ("any", "start"):
        raise InputError(
            f"policy '{name}': compress should be any or start, found '{given['compress']}'."
        )
    return re.sub(r"\s+", "", name.lower()), wanted == "start"


class Remembered(NamedTuple):
    """Between rounds: the planned starts of waiting jobs, and when running ones were expected to end."""

    start: dict[int, int]
    expected_end: dict[int, int]

    def since(self, view: View) -> tuple[dict[int, int], bool, bool]:
        """When running jobs are expected to end now; whether one has ended early, and whether one has
        outlived its estimate: it is expected later now, or has ended since then.
        """
        ends = dict(zip(view.running.tolist(), view.expected_end.tolist(), strict=True))
        early = any(job not in ends and end > view.now for job, end in self.expected_end.items())
        overrun = any(
            ends[job] > end if job in ends else end < view.now
            for job, end in self.expected_end.items()
        )
        return ends, early, overrun
