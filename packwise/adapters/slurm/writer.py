"""The writer: site factors of waiting jobs. It has no words for anything else.

It is given numbers, and sends lines that are made of these numbers: no node can be named by it, no job held,
nothing closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from packwise.adapters.slurm.commands import Command, Runner, run
from packwise.adapters.slurm.sending import Sent, send, told_slurm
from packwise.model.errors import InputError

#: Lines for one program: a controller takes them in a second or two.
_TOGETHER = 1000


class SiteFactors(NamedTuple):
    """Site factors by raw id, for one program: all that can be said to a live Slurm."""

    values: Mapping[int, int]

    def command(self) -> Command:
        return told_slurm(
            [f"update jobid={_raw(raw)} SiteFactor={int(to)}" for raw, to in self.values.items()]
        )


def site_factors(values: Mapping[int, int]) -> list[SiteFactors]:
    """The site factor of each job, by raw id; 0 gives it back."""
    pairs = list(values.items())
    parts = (pairs[k : k + _TOGETHER] for k in range(0, len(pairs), _TOGETHER))
    return [SiteFactors(dict(part)) for part in parts]


class SlurmWriter:
    """Sends site factors; with ``dry_run``, to nobody."""

    def __init__(self, ask: Runner = run, dry_run: bool = False) -> None:
        self._ask = ask
        self.dry_run = dry_run

    def send(self, factors: SiteFactors) -> Sent:
        """Send them. Unreachable if nobody answers; what Slurm refuses is told."""
        return send(factors.command(), self._ask, self.dry_run)


def _raw(number: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 2**32:
        raise InputError(f"expected the number of a job, found {number!r}.")
    return number
