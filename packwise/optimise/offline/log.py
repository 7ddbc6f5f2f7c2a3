"""A whole log as a problem: every job with its true run time, and the metric to minimise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from packwise.model.errors import InputError
from packwise.model.workload import Floats, Ints
from packwise.optimise.metrics_of_plan import BOUND, alpha_of, metric_of_plan
from packwise.optimise.objectives import objective
from packwise.optimise.round import Round

_HOUR = 3600.0


@dataclass(frozen=True, eq=False)
class Log:
    """Jobs on so many processors. A schedule is an array of starts, none before submission."""

    submit: Ints
    demand: Ints
    runtime: Ints
    procs: int
    metric: str

    def __post_init__(self) -> None:
        named = objective(self.metric, local="metric").metric
        if named is None:
            raise InputError(
                f"objective '{self.metric}': expected one metric, AF, AWF, BSLD or P2SF (any level)."
            )
        object.__setattr__(self, "metric", named)
        for name in ("submit", "demand", "runtime"):
            column = np.array(getattr(self, name), np.int64)  # the kernels want arrays of their own
            object.__setattr__(self, name, column)
        if len(self.submit) and int(self.demand.max()) > self.procs:
            raise InputError(
                f"a job needs {self.demand.max()} processors of a machine of {self.procs}. Leave it out."
            )

    def __len__(self) -> int:
        return len(self.submit)

    @property
    def origin(self) -> int:
        return int(self.submit.min())

    @property
    def span(self) -> int:
        """About how long a schedule takes that wastes little."""
        order = np.argsort(self.submit)[::-1]
        to_come = np.cumsum((self.demand * self.runtime.astype(float))[order]) / self.procs
        end = float((self.submit[order] + to_come).max())
        return int(end) + int(self.runtime.max()) - self.origin

    @property
    def alpha(self) -> float | None:
        """The level of P^alpha SF; None for a metric that is a weighted sum."""
        return alpha_of(self.metric)

    @cached_property
    def round(self) -> Round:
        """The log as a round whose jobs are all known, on an empty machine."""
        return Round(
            self.origin,
            self.procs,
            np.arange(len(self)),
            self.submit,
            self.demand,
            self.runtime,
            np.array([self.origin], np.int64),
            np.array([self.procs], np.int64),
        )

    def value(self, start: Ints, metric: str | None = None) -> float:
        """The metric of a schedule, or another one."""
        return metric_of_plan(metric or self.metric, self.round, start)

    def check(self, start: Ints) -> None:
        """Refuse a schedule that no machine could follow."""
        self.check_starts(start)
        self.round.check(start)

    def check_starts(self, start: Ints) -> None:
        """The quick part of it: one start per job, none before submission."""
        if len(start) != len(self):
            raise InputError(
                f"a schedule should have {len(self):,} starts, one per job; found {len(start):,}."
            )
        if (start < self.submit).any():
            raise InputError("a schedule should start no job before its submission.")

    @property
    def rule(self) -> Floats:
        """What is minimised, as the kernels read it; the ratio is still to be set."""
        from packwise.optimise.kernels.offline import BOUNDED, LINEAR, SPECIFIC

        if self.alpha is not None:
            return np.array([SPECIFIC, self.alpha, 0.0])
        return np.array([BOUNDED if self.metric == "BSLD" else LINEAR, 0.0, 0.0])

    @cached_property
    def weights(self) -> Floats:
        """What a second of wait costs a job; for P^alpha SF its demand. In units that keep sums small."""
        match self.metric:
            case "AF":
                return np.ones(len(self))
            case "AWF":
                area = self.demand * self.runtime.astype(float)
                return np.asarray(area / area.mean())
            case "BSLD":
                return np.asarray(1 / np.maximum(self.runtime.astype(float), BOUND))
        return self.demand.astype(float)

    def metric_of_cost(self, cost: float) -> float:
        """The metric of a schedule by what all jobs pay together; not for a ratio."""
        if self.metric == "BSLD":
            return cost / len(self)
        return (cost + float((self.weights * self.runtime).sum())) / float(self.weights.sum())

    def cost_of_metric(self, value: float) -> float:
        """What all jobs pay together, by the metric."""
        if self.metric == "BSLD":
            return value * len(self)
        return value * float(self.weights.sum()) - float((self.weights * self.runtime).sum())

    def below(self, start: Ints) -> float:
        """The denominator of P^alpha SF, in hours."""
        assert self.alpha is not None
        wait = (start - self.submit) / _HOUR
        flow = wait + self.runtime / _HOUR
        power = self.alpha + 1
        return float((self.demand * (flow**power - wait**power)).sum())
