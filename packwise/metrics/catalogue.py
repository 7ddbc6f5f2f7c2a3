"""All metrics by name, and the table of them for one schedule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

from packwise.metrics.against_easy import USERS_BETTER, USERS_WORSE, WORST_SIZE
from packwise.metrics.area_weighted import AWF, AWQ, PWAWF
from packwise.metrics.deadlines import (
    DEADLINE_IMPOSSIBLE,
    DEADLINE_MISSES,
    DEADLINE_MISSES_DAY,
    DEADLINE_MISSES_LONGER,
    DEADLINE_MISSES_POSSIBLE,
    DEADLINE_USAGE,
    DEADLINE_USAGE_OVER_80,
    need_deadlines,
)
from packwise.metrics.definition import Metric
from packwise.metrics.energy.definitions import ENERGY_METRICS, need_energy
from packwise.metrics.equality import JAIN
from packwise.metrics.estimation import MAE, R2, UNDERPREDICTED
from packwise.metrics.fair_start import FST_MEAN_MISS, FST_MISSES
from packwise.metrics.gold_standard import FST_GOLD
from packwise.metrics.job_classes import metrics_of, wait_at_percentile_of
from packwise.metrics.limit_stretch import LIMIT_STRETCH, MAX_LIMIT_STRETCH
from packwise.metrics.occupancy import LOC, MAKESPAN, UTILIZATION, UTILIZATION_VARIANCE
from packwise.metrics.outcome import Mask, Outcome
from packwise.metrics.own import RESERVED, known_metric, own_metric
from packwise.metrics.priority_specific import pasf_of_level
from packwise.metrics.promises import PROMISE_GAIN, PROMISES_BROKEN
from packwise.metrics.response_time import (
    AF,
    MAX_STRETCH,
    MAX_WAIT,
    SLOWDOWN,
    TAU,
    WAIT,
    bsld_at_percentile,
    bsld_with_bound,
    lp_norm_of_order,
    wait_at_percentile,
)
from packwise.model.cluster import Cluster
from packwise.model.errors import UnknownName
from packwise.model.schedule import Schedule
from packwise.model.workload import Workload
from packwise.users_code import is_users, refuse_parameters

#: Every named metric, in the order in which tables show them.
METRICS: dict[str, Metric] = {
    one.name: one
    for one in (
        bsld_with_bound(TAU),
        SLOWDOWN,
        AF,
        WAIT,
        AWF,
        AWQ,
        pasf_of_level(1),
        pasf_of_level(2),
        pasf_of_level(3),
        PWAWF,
        MAKESPAN,
        UTILIZATION,
        UTILIZATION_VARIANCE,
        LOC,
        lp_norm_of_order(2),
        MAX_WAIT,
        MAX_STRETCH,
        LIMIT_STRETCH,
        MAX_LIMIT_STRETCH,
        *(wait_at_percentile(percent) for percent in (50, 90, 99)),
        *(bsld_at_percentile(percent) for percent in (50, 90, 99)),
        R2,
        MAE,
        UNDERPREDICTED,
        *metrics_of("regular"),
        *metrics_of("deadline"),
        DEADLINE_MISSES,
        DEADLINE_MISSES_DAY,
        DEADLINE_MISSES_LONGER,
        DEADLINE_MISSES_POSSIBLE,
        DEADLINE_IMPOSSIBLE,
        DEADLINE_USAGE,
        DEADLINE_USAGE_OVER_80,
        PROMISES_BROKEN,
        PROMISE_GAIN,
        *ENERGY_METRICS,
        FST_MISSES,
        FST_MEAN_MISS,
        FST_GOLD,
        JAIN,
        USERS_WORSE,
        USERS_BETTER,
        WORST_SIZE,
    )
}

#: What ``fairness`` adds to a summary, and ``--fairness`` to a table.
FAIRNESS_METRICS = (FST_MISSES, FST_MEAN_MISS, FST_GOLD, JAIN)

_BY_LOWER_NAME = {name.lower(): one for name, one in METRICS.items()}

_NUMBER = r"((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)"

#: Families of metrics with a parameter in the name.
_FAMILIES: tuple[tuple[re.Pattern[str], Callable[[float], Metric]], ...] = (
    (re.compile(rf"p{_NUMBER}sf"), pasf_of_level),
    (re.compile(rf"bsld\({_NUMBER}\)"), bsld_with_bound),
    (re.compile(rf"lp_norm\({_NUMBER}\)"), lp_norm_of_order),
    (re.compile(rf"wait_p{_NUMBER}"), wait_at_percentile),
    (re.compile(rf"wait_p{_NUMBER}_regular"), partial(wait_at_percentile_of, kind="regular")),
    (re.compile(rf"wait_p{_NUMBER}_deadline"), partial(wait_at_percentile_of, kind="deadline")),
    (re.compile(rf"bsld_p{_NUMBER}"), bsld_at_percentile),
)


def metric(name: str) -> Metric:
    """A metric by name, whatever its case. Some take a number:

    ``P1.5SF`` (any α), ``BSLD(60)`` (bound in seconds), ``lp_norm(3)``, ``wait_p95``, ``BSLD_p75``,
    ``wait_p25_regular``, ``wait_p25_deadline``.
    One of the user's own has a name once it was loaded: see ``chosen_metric``. Raises UnknownName with the
    nearest names.
    """
    if own := known_metric(name.strip()):
        return own
    wanted = name.strip().lower()
    if wanted in _BY_LOWER_NAME:
        return _BY_LOWER_NAME[wanted]
    for pattern, make in _FAMILIES:
        if found := pattern.fullmatch(wanted):
            return make(float(found[1]))
    raise UnknownName(
        "metric",
        name,
        METRICS,
        remedy="Case does not matter; P1.5SF, BSLD(60), lp_norm(3) and wait_p95 work too.",
    )


def chosen_metric(name: str) -> Metric:
    """The metric that a user asks for: by name, or one of the user's own, as in ``mine.py:fairness``.

    Then that file is run. So names that come with data, such as the columns of a store, are for ``metric``.
    """
    text = name.strip()
    refuse_parameters(text, "metric")
    if known_metric(text) is None and is_users(text, "metric"):
        return own_metric(text, _is_taken)
    return metric(text)


def _is_taken(name: str) -> bool:
    """Whether a name means something else in tables."""
    lower = name.lower()
    families = (pattern for pattern, _ in _FAMILIES)
    return lower in RESERVED or lower in _BY_LOWER_NAME or any(p.fullmatch(lower) for p in families)


def standard_metrics(
    workload: Workload, cluster: Cluster | int, schedule: Schedule
) -> list[Metric]:
    """All that cost little and that these tell enough for, in a fixed order."""
    return [
        one
        for one in METRICS.values()
        if not one.costly and one.applies(workload, cluster, schedule)
    ]


def summarize(
    workload: Workload,
    cluster: Cluster | int,
    schedule: Schedule,
    names: Iterable[str] | None = None,
    *,
    fairness: bool = False,
    only: Mask | None = None,
) -> dict[str, float]:
    """Metrics of one schedule by name, over the jobs that ran.

    Without ``names``: all that cost little, in a fixed order; ``fairness`` adds those that compare with fair
    starts (FST_misses, FST_mean_miss, FST_gold) and users with each other (jain). A name may be one of your
    own, ``mine.py:fairness``. ``only`` is a mask of the jobs to measure
    (``packwise.metrics.unaffected`` makes one); metrics of the machine are about all jobs all the same.
    Raises InputError if no job ran.
    """
    if isinstance(names, str):
        names = [names]
    if names is None:
        wanted = standard_metrics(workload, cluster, schedule)
    else:
        wanted = [chosen_metric(name) for name in names]
        need_deadlines(wanted, workload)
        need_energy(wanted, cluster)
    if fairness:
        wanted += FAIRNESS_METRICS
    part = Outcome.of(workload, cluster, schedule, only)
    some_of_all = only is not None and any(one.of_all_jobs for one in wanted)
    whole = Outcome.of(workload, cluster, schedule) if some_of_all else part
    return {one.name: one.of(whole if one.of_all_jobs else part) for one in wanted}
