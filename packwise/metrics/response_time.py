"""Metrics of how long users wait: means, maxima, percentiles and norms over the jobs."""

from __future__ import annotations

import numpy as np

from packwise.metrics.definition import FEITELSON_1998, GOPONENKO_2022, Metric
from packwise.metrics.outcome import Outcome, total
from packwise.model.errors import InputError
from packwise.model.workload import LARGEST

#: The bound of the bounded slowdown that nearly all papers use, in seconds.
TAU = 10.0


def bsld(outcome: Outcome, tau: float = TAU) -> float:
    """Average bounded slowdown: BSLD = 1/n Σ max(1, F / max(D, τ))."""
    return total(outcome.bounded_slowdown(tau)) / len(outcome)


def mean_slowdown(outcome: Outcome) -> float:
    """Average slowdown: 1/n Σ F / D."""
    return total(outcome.stretch) / len(outcome)


def mean_response(outcome: Outcome) -> float:
    """Average response time: AF = 1/n Σ F."""
    return total(outcome.response.astype(np.float64)) / len(outcome)


def mean_wait(outcome: Outcome) -> float:
    """Average wait: 1/n Σ Q."""
    return total(outcome.wait.astype(np.float64)) / len(outcome)


def lp_norm(outcome: Outcome, p: float = 2.0) -> float:
    """l_p norm of response: (Σ F^p)^(1/p), computed relative to max F so as not to overflow."""
    largest = float(outcome.response.max())
    return float(largest * total((outcome.response / largest) ** p) ** (1.0 / p))


def wait_percentile(outcome: Outcome, percent: float) -> float:
    """The wait that ``percent`` per cent of the jobs do not exceed (linear between neighbours)."""
    return float(np.percentile(outcome.wait, percent))


def bsld_percentile(outcome: Outcome, percent: float) -> float:
    """The bounded slowdown that ``percent`` per cent of the jobs do not exceed."""
    return float(np.percentile(outcome.bounded_slowdown(TAU), percent))


def bsld_with_bound(tau: float) -> Metric:
    """BSLD with a bound of ``tau`` seconds."""
    if not 0 < tau <= LARGEST:
        raise InputError(
            f"the bound of BSLD should be a positive number of seconds up to 2^40, found {tau:.12g}."
        )
    return Metric(
        name="BSLD" if tau == TAU else f"BSLD({tau:.12g})",
        title="Average bounded slowdown",
        formula=f"1/n Σ max(1, F / max(D, {tau:.12g} s))",
        unit="",
        better="lower",
        paper=f"{FEITELSON_1998}; {GOPONENKO_2022}, Section II",
        meaning=(
            "How many times longer than its run time a job was in the system, averaged over jobs. "
            "Small jobs dominate it: it improves dramatically when small jobs go first, and hides "
            "that large jobs then starve. Read it together with AWF and P2SF."
        ),
        of=lambda outcome: bsld(outcome, tau),
    )


def lp_norm_of_order(p: float) -> Metric:
    """The l_p norm of response time with ``p`` of 1 or more."""
    if not 1 <= p < np.inf:
        raise InputError(f"the order of lp_norm should be 1 or more, found {p:.12g}.")
    return Metric(
        name="lp_norm" if p == 2 else f"lp_norm({p:.12g})",
        title=f"l_{p:.12g} norm of response time",
        formula=f"(Σ F^{p:.12g})^(1/{p:.12g})",
        unit="s",
        better="lower",
        paper=(
            "K. Pruhs, J. Sgall and E. Torng, 'Online Scheduling', Handbook of Scheduling, 2004; "
            f"{GOPONENKO_2022}, Section VII"
        ),
        meaning=(
            "Between the sum (p = 1) and the maximum (p large) of the response times: the larger "
            "p, the more the worst-treated jobs count. It grows with the number of jobs, so "
            "compare schedules of the same workload only; unlike P2SF it favours small jobs."
        ),
        of=lambda outcome: lp_norm(outcome, p),
    )


def wait_at_percentile(percent: float) -> Metric:
    """A percentile of the wait."""
    need_percentage(percent)
    return Metric(
        name=f"wait_p{percent:.12g}",
        title=f"Wait, {percent:.12g}th percentile",
        formula=f"the value below which {percent:.12g} % of the jobs have Q",
        unit="s",
        better="lower",
        paper="order statistic; linear interpolation between neighbouring jobs",
        meaning=(
            f"{percent:.12g} % of the jobs waited this long or less. Medians are often zero on "
            "lightly loaded machines; the high percentiles show the tail that a mean hides."
        ),
        of=lambda outcome: wait_percentile(outcome, percent),
    )


def bsld_at_percentile(percent: float) -> Metric:
    """A percentile of the bounded slowdown."""
    need_percentage(percent)
    return Metric(
        name=f"BSLD_p{percent:.12g}",
        title=f"Bounded slowdown, {percent:.12g}th percentile",
        formula=f"the value below which {percent:.12g} % of the jobs have max(1, F / max(D, 10 s))",
        unit="",
        better="lower",
        paper=f"order statistic of BSLD; {FEITELSON_1998}",
        meaning=(
            f"{percent:.12g} % of the jobs had this bounded slowdown or less. The mean (BSLD) is "
            "often far above the 90th percentile, which shows how few jobs make it."
        ),
        of=lambda outcome: bsld_percentile(outcome, percent),
    )


def need_percentage(percent: float) -> None:
    """Refuse what is no percentage."""
    if not 0 <= percent <= 100:
        raise InputError(f"a percentile should be between 0 and 100, found {percent:.12g}.")


SLOWDOWN = Metric(
    name="slowdown",
    title="Average slowdown",
    formula="1/n Σ F / D",
    unit="",
    better="lower",
    paper=f"{FEITELSON_1998}; {GOPONENKO_2022}, Section II",
    meaning=(
        "Response time relative to run time, averaged over jobs. Jobs of a few seconds can make "
        "up nearly all of it, which is why BSLD puts a bound under the run time."
    ),
    of=mean_slowdown,
)
AF = Metric(
    name="AF",
    title="Average response time",
    formula="AF = 1/n Σ F",
    unit="s",
    better="lower",
    paper=f"{FEITELSON_1998}; {GOPONENKO_2022}, Section II",
    meaning=(
        "Time from submission to completion, averaged over jobs (flow time, turnaround time). "
        "Every job counts the same, so ten small jobs outweigh one job ten times as large: it "
        "favours starting small jobs first, though less than BSLD does."
    ),
    of=mean_response,
)
WAIT = Metric(
    name="wait",
    title="Average wait",
    formula="1/n Σ Q",
    unit="s",
    better="lower",
    paper=f"{FEITELSON_1998}; {GOPONENKO_2022}, Section II",
    meaning=(
        "Time in the queue, averaged over jobs: AF less the mean run time, so for rigid jobs the "
        "two rank schedules alike. It favours small jobs in the same way."
    ),
    of=mean_wait,
)
MAX_WAIT = Metric(
    name="max_wait",
    title="Longest wait",
    formula="max Q",
    unit="s",
    better="lower",
    paper=(
        "S.-H. Chiang, A. Arpaci-Dusseau and M. K. Vernon, JSSPP 2002; "
        f"{GOPONENKO_2022}, Section VII"
    ),
    meaning=(
        "The wait of the single job that waited longest: a sign of starvation. It says nothing "
        "about all the other jobs; P2SF is the steadier measure of fairness."
    ),
    of=lambda outcome: float(outcome.wait.max()),
    of_extremes=True,
)
MAX_STRETCH = Metric(
    name="max_stretch",
    title="Largest slowdown",
    formula="max F / D",
    unit="",
    better="lower",
    paper="M. Bender, S. Chakrabarti and S. Muthukrishnan, 'Flow and Stretch Metrics', SODA 1998",
    meaning=(
        "The slowdown (stretch, F/D without a bound) of the worst-treated job. Usually a job of a "
        "few seconds that waited for hours; one job decides it."
    ),
    of=lambda outcome: float(outcome.stretch.max()),
    of_extremes=True,
)
