"""What the order search minimises in a round, by name.

``AF``, ``AWF``, ``BSLD`` and ``P2SF`` (any level: ``P1.5SF``) name the metric that the whole schedule is to
be good at. What is minimised in a round is a cost that serves it, which is not the metric itself:
docs/local-objectives.md tells what was tried. ``0.7*AF+0.3*AWF`` is a weighted sum, each part a mean
response time with its own weights.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from packwise.model.errors import InputError, UnknownName
from packwise.model.workload import Floats
from packwise.optimise.job_cost import JobCost
from packwise.optimise.kernels.columns import FLOW, LEARNED, SMALL, SPECIFIC, USER
from packwise.optimise.metrics_of_plan import BOUND, METRICS, alpha_of


@dataclass(frozen=True)
class Term:
    """One part of a cost: ``coefficient * r^demand * max(E, floor)^estimate`` times a function of the start.

    Each exponent is a pair: its value where estimates are right, and where they are off by half or more, as
    users' limits are; in between in proportion. Where weights are learned: ``area``, multiplied by the work
    that waits, up to 1 for a week of the machine, is the exponent of r·E by which large jobs count for more;
    ``coming`` is what newcomers count against those who wait, and ``needs`` whether on nodes they wait for all
    that they need, or for cores alone.
    """

    kind: int = FLOW
    coefficient: float = 1.0
    demand: tuple[float, float] = (0.0, 0.0)
    estimate: tuple[float, float] = (0.0, 0.0)
    power: tuple[float, float] = (1.0, 1.0)
    floor: float = 1.0
    area: tuple[float, float] = (0.0, 0.0)
    coming: float = 1.0
    needs: bool = True

    def row(self, address: int) -> list[float]:
        """The term as the kernels read it."""
        return [
            self.kind,
            self.coefficient,
            self.floor,
            *self.demand,
            *self.estimate,
            *self.power,
            address,
            *self.area,
            self.coming,
            self.needs,
        ]


@dataclass(frozen=True)
class Objective:
    """A name, and the terms of the cost that is minimised in a round.

    ``patience``: 0, or that a job is overdue which has waited so many times as long as work has lately; then
    the search is a balanced one. ``by_cores``: where energy is weighed against waiting, the wait of a job
    counts by its cores to this power, from 0 (all jobs alike) to 1 (core-hours).
    """

    name: str
    terms: tuple[Term, ...]
    users: JobCost | None = None
    patience: float = 0.0
    by_cores: float = 1.0

    @property
    def metric(self) -> str | None:
        """The metric that it serves, if it is one alone."""
        upper = self.name.upper()
        return upper if upper in METRICS or alpha_of(upper) is not None else None

    @property
    def learned(self) -> tuple[int, ...]:
        """Which terms have weights that are learned."""
        return tuple(t for t, term in enumerate(self.terms) if term.kind == LEARNED)

    def table(self) -> Floats:
        """The terms as the kernels read them."""
        address = 0 if self.users is None else self.users.address
        return np.array([term.row(address) for term in self.terms], float)


#: The metrics themselves: what the paper's rounds minimise (P^alpha SF: its numerator).
PLAIN: dict[str, Term] = {
    "AF": Term(),
    "AWF": Term(demand=(1.0, 1.0), estimate=(1.0, 1.0)),
    "BSLD": Term(estimate=(-1.0, -1.0), floor=BOUND),
}

#: What serves each metric best over a whole log: see docs/local-objectives.md. By BSLD who comes is mostly more
#: urgent than who waits; by AF not.
TUNED: dict[str, Term] = {
    "AF": Term(kind=LEARNED, area=(0.5, 0.6), coming=0.25, needs=False),
    "AWF": Term(demand=(1.0, 1.1), estimate=(1.0, 1.1)),
    "BSLD": Term(kind=LEARNED, estimate=(-1.0, -1.0), floor=BOUND),
}

#: Who has waited long counts for more, and wide jobs by their width; limits tell lengths badly.
_FAIR = Term(demand=(1.0, 1.0), estimate=(0.75, 0.75), power=(3.0, 3.0))
#: Of all that small jobs are urgent by, against what is fair.
_SMALL = 10.0
#: A job is overdue that has waited so many times as long as work has lately; and the most that this may be.
_PATIENCE, _ENDLESS = 1.5, 100.0

_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+)"
_PART = re.compile(rf"(?:({_NUMBER}(?:e[+-]?\d+)?)\*)?([a-z][\w.]*)", re.IGNORECASE)
_FACTOR = re.compile(rf"([ref])(?:\^([+-]?{_NUMBER}))?", re.IGNORECASE)
#: Letters of an objective, or of local weights: room for a dozen terms.
_LONGEST = 200


def objective(name: str, *, local: str = "tuned") -> Objective:
    """The objective of a name. ``local``: ``tuned`` (default), ``metric`` (the metric itself), or weights such
    as ``r^0.5*E^-0.5``.
    """
    _check_length("objective", name)
    _check_length("local", local)
    text = name.replace(" ", "")
    terms = []
    for part in text.split("+"):
        found = _PART.fullmatch(part)
        if found is None:
            raise InputError(
                f"objective '{name}': expected a metric such as AF, or a sum such as 0.7*AF+0.3*AWF; found "
                f"'{part}'."
            )
        term = _term(found.group(2), local)
        terms.append(replace(term, coefficient=float(found.group(1) or 1.0)))
    if any(not 1e-9 <= term.coefficient <= 1e9 for term in terms):
        raise InputError(
            f"objective '{name}': the factors of a sum should be greater than zero, from 1e-9 to 1e9."
        )
    return Objective(text, tuple(terms))


def balanced(balance: float) -> Objective:
    """Fair and small at once: see docs/balanced.md. From 0 (small jobs) to 1 (fairness and packing).

    From one half on, small jobs gain less and less by being small. Below, the mean response time comes in, and
    jobs are overdue later.
    """
    if not 0.0 <= balance <= 1.0:
        raise InputError(f"balance should be a number from 0 to 1, found {balance:g}.")
    fair, small = min(1.0, 2.0 * balance), _SMALL * min(2.0 * balance, 2.0 - 2.0 * balance)
    mean = max(0.0, 1.0 - 2.0 * balance)
    parts = (replace(_FAIR, coefficient=fair), Term(kind=SMALL, coefficient=small))
    terms = (*parts, Term(coefficient=mean))
    patience = min(_PATIENCE * max(1.0, 0.5 / max(balance, 1e-9)), _ENDLESS)
    return Objective(
        f"balance={balance:g}",
        tuple(one for one in terms if one.coefficient > 0),
        None,
        patience,
        balance,
    )


def _check_length(what: str, text: str) -> None:
    if len(text) > _LONGEST:
        raise InputError(
            f"{what} '{text[:30]}...': expected at most {_LONGEST} letters, found {len(text):,}. Write "
            "numbers with fewer digits."
        )


def users_objective(cost: JobCost) -> Objective:
    """A user's own cost as the objective."""
    return Objective(cost.name, (Term(kind=USER),), cost)


def _term(metric: str, local: str) -> Term:
    alpha = alpha_of(metric)
    if metric.upper() not in PLAIN and alpha is None:
        raise UnknownName("objective", metric, METRICS, remedy="A sum: 0.7*AF+0.3*AWF.")
    if alpha is not None and alpha > 10:
        raise InputError(f"objective '{metric}': expected a level of at most 10, found {alpha:g}.")
    level = (alpha or 0.0) + 2.0
    specific = Term(kind=SPECIFIC, demand=(1.0, 1.0), power=(level, level))
    match local:
        case "tuned":
            return specific if alpha is not None else TUNED[metric.upper()]
        case "metric":
            return specific if alpha is not None else PLAIN[metric.upper()]
    return _weighted(local)


def _weighted(text: str) -> Term:
    """A weighted response time by its weights: ``r^0.5*E^-0.5``, or ``1``; ``F^1.5`` for a power of it."""
    powers = {"r": 0.0, "e": 0.0, "f": 0.0}
    for factor in text.replace(" ", "").split("*"):
        found = _FACTOR.fullmatch(factor)
        if found is None and factor != "1":
            raise InputError(
                f"local '{text}': expected tuned, metric, or weights such as r^0.5*E^-0.5; found '{factor}'."
            )
        if found is not None:
            powers[found.group(1).lower()] += float(found.group(2) or 1.0)
    if any(abs(power) > 10.0 for power in powers.values()):
        raise InputError(f"local '{text}': the powers of weights should be between -10 and 10.")
    r, e, f = powers["r"], powers["e"], powers["f"] or 1.0
    if f < 1.0:
        raise InputError(f"local '{text}': the power of F should be 1 or more, found {f:g}.")
    return Term(demand=(r, r), estimate=(e, e), power=(f, f))
