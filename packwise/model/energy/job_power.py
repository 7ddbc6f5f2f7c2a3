"""What jobs draw, where their log does not tell: watts for each core, drawn or fixed, or for each resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import CORES, Floats, Ints, Workload

#: Watts of a core at least and at most: what the paper on profit and cooling draws from.
LEAST, MOST = 7.8, 11.11


class Draw(NamedTuple):
    """Watts of one piece of a resource (a core, a GPU, a MB): a point between these, by job."""

    resource: str
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class JobPower:
    """Watts of a job: those of its log's column ``power``, if ``recorded`` and there; else the sum over its
    resources of ``watts`` times the amount.

    Of each range in ``watts`` a job draws one point, the same in all: 7.8 to 11.11 W a core, as in the paper.
    It depends on ``seed`` and the job's id alone, so a part of a log has the same.
    """

    watts: tuple[Draw, ...] = (Draw(CORES, LEAST, MOST),)
    seed: int = 1
    recorded: bool = True

    def __post_init__(self) -> None:
        if not self.watts:
            raise InputError("jobs: expected watts of one resource at least, such as cores.")
        for resource, least, most in self.watts:
            if not (np.isfinite([least, most]).all() and 0 <= least <= most):
                raise InputError(
                    f"jobs: watts of {resource} should be a number of 0 or more, or a range such as "
                    f"[7.8, 11.11]; found {least:g} to {most:g}."
                )

    def of(self, workload: Workload) -> Floats:
        """Watts of each job."""
        if self.recorded and workload.power is not None:
            return workload.power
        share = _fraction(workload.id, self.seed)
        total = np.zeros(len(workload))
        for resource, least, most in self.watts:
            total += self._amount(workload, resource) * (least + (most - least) * share)
        return total

    def _amount(self, workload: Workload, resource: str) -> Floats:
        if resource == CORES:
            return workload.demand.astype(np.float64)
        if workload.units is None or resource not in workload.per_unit:
            known = ", ".join((CORES, *(name for name in workload.per_unit if name != CORES)))
            raise InputError(
                f"jobs: watts of {resource} need a log that tells the {resource} of its jobs; "
                f"'{workload.name}' tells {known}. Remove {resource} from the scenario's [jobs.watts]."
            )
        return workload.units.astype(np.float64) * workload.per_unit[resource]

    def most(self, workload: Workload, there: Mapping[str, int]) -> float:
        """What jobs can make a whole machine draw that has so much of each resource: all of it, at its most."""
        if self.recorded and workload.power is not None:
            return float((workload.power / workload.demand).max()) * there[CORES]
        return sum(most * there.get(resource, 0) for resource, _, most in self.watts)


def _fraction(ids: Ints, seed: int) -> Floats:
    """A number from 0 to 1 for each id, as good as random (the finaliser of SplitMix64)."""
    golden, first, second = (
        np.uint64(each) for each in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
    )
    with np.errstate(over="ignore"):
        start = (np.uint64(seed % 2**64) + np.uint64(1)) * golden
        state = ids.astype(np.uint64) * golden + start
        state = (state ^ (state >> np.uint64(30))) * first
        state = (state ^ (state >> np.uint64(27))) * second
        state = state ^ (state >> np.uint64(31))
    found: Floats = (state >> np.uint64(11)) / float(2**53)
    return found
