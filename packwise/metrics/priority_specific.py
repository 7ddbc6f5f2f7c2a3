"""Level-α priority-weighted specific response time: packing and fairness in one number.

Goponenko et al. (SBAC-PAD 2022), Section IV: a job is a heap of small units of computation, each
weighted by (how long ago it was submitted)^α when it is computed::

              Σ r ∫ (t - s)^(α+1) dt     α+1   Σ r (F^(α+2) - Q^(α+2))
    P^αSF  =  ----------------------  =  --- · -----------------------      (∫ from b to c)
              Σ r ∫ (t - s)^α dt         α+2   Σ r (F^(α+1) - Q^(α+1))

Precision. For a short job that waited long, F^n and Q^n agree in nearly all digits, and their
difference taken literally would be noise. With D = F - Q, which is a whole number and exact,

    F^n - Q^n = D · (F^(n-1) + F^(n-2) Q + ... + Q^(n-1))             for whole n
    F^n - Q^n = F^n · (1 - (1 - D/F)^n)                               for any n, by log1p and expm1

in which nothing cancels. Times are scaled by a power of two (exact), so nothing overflows either.
"""

from __future__ import annotations

import math

import numpy as np

from packwise.metrics.definition import GOPONENKO_2022, Metric
from packwise.metrics.outcome import Outcome, total
from packwise.model.errors import InputError
from packwise.model.workload import Floats

LARGEST_ALPHA = 100.0


def pasf(outcome: Outcome, alpha: float) -> float:
    """P^αSF of the jobs that ran, for any ``alpha`` of 0 or more."""
    scale = 2.0 ** math.frexp(float(outcome.response.max()))[1]
    response = outcome.response / scale
    wait = outcome.wait / scale
    runtime = outcome.runtime / scale
    above = total(outcome.demand * _power_difference(response, wait, runtime, alpha + 2))
    below = total(outcome.demand * _power_difference(response, wait, runtime, alpha + 1))
    return (alpha + 1) / (alpha + 2) * scale * above / below


def _power_difference(response: Floats, wait: Floats, runtime: Floats, n: float) -> Floats:
    """F^n - Q^n without cancellation (see the top of this file)."""
    if n == int(n) and n <= 8:
        powers = np.ones_like(response)
        wait_power = np.ones_like(wait)
        for _ in range(int(n) - 1):  # Horner: (... ((F + Q) F + Q²) F + ...)
            wait_power = wait_power * wait
            powers = powers * response + wait_power
        return runtime * powers
    with np.errstate(divide="ignore"):  # Q = 0 gives log1p(-1) = -inf, and expm1(-inf) = -1: right
        return response**n * -np.expm1(n * np.log1p(-runtime / response))


def pasf_of_level(alpha: float) -> Metric:
    """P^αSF for one α."""
    if not 0 <= alpha <= LARGEST_ALPHA:
        raise InputError(
            f"α of P^αSF should be between 0 and {LARGEST_ALPHA:g}, found {alpha:.12g}. "
            "The useful range is 1 to 3."
        )
    return Metric(
        name=f"P{alpha:.12g}SF",
        title=f"Level-{alpha:.12g} priority-weighted specific response time",
        formula=(
            f"(α+1)/(α+2) · Σ r (F^(α+2) - Q^(α+2)) / Σ r (F^(α+1) - Q^(α+1)),  α = {alpha:.12g}"
        ),
        unit="s",
        better="lower",
        paper=f"{GOPONENKO_2022}, Section IV",
        meaning=(
            "Response time per unit of computation, weighted by how long that unit has been "
            "waiting: it falls when work is done earlier and when those who waited longest go "
            "first, whatever the size of the jobs. α sets how much fairness counts (0: none, P0SF "
            "is the mean of AWF and AWQ); above 3 a few badly treated jobs decide it."
        ),
        of=lambda outcome: pasf(outcome, alpha),
    )
