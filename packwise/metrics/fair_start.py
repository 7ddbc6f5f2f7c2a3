"""Fair start times: was a job overtaken?

The fair start time FST of a job is when it would have started if nobody had come after it. Sabin
and Sadayappan ("Unfairness Metrics for Space-Sharing Parallel Job Schedulers", JSSPP 2005) and
Leung et al. (ICPP Workshops 2010) compute it by simulation, either of the policy itself or of a
"gold standard" policy. Here it needs no policy, only the schedule:

1. At the submission of job j the machine is as the schedule says: jobs that started before that
   moment and end after it run (until their true ends); jobs submitted before j that have not
   started wait.
2. The waiting jobs in order of submission, and then j, each get the earliest time at which they
   fit beside the running jobs and the reservations made before (FCFS with a reservation for
   every job, true run times).
3. The time given to j is FST(j). The miss is max(0, start - FST).

A schedule in which later jobs never delay earlier ones has no misses: List-REG (JustBF) with exact
estimates has none, by construction. The reference knows the run times, which a real scheduler does
not, so policies that plan with estimates miss even when they mean to be fair.

The state comes from the schedule under test, so the measure is of its inner consistency: a policy
that delays everybody early on makes the later fair starts late too (the criticism of Goponenko
et al., SBAC-PAD 2022, Section VII). Read it together with P2SF.

Cost: a plan of the whole queue at each arrival after which the schedule left the plan. That is
milliseconds for 28 000 jobs and seconds for 300 000, but minutes where thousands of jobs wait.
"""

from __future__ import annotations

import numpy as np

from packwise.metrics.definition import GOPONENKO_2022, Metric
from packwise.metrics.outcome import Outcome, total
from packwise.model.cluster import Cluster
from packwise.model.errors import InputError
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Ints, Workload

_PAPER = (
    "G. Sabin and P. Sadayappan, 'Unfairness Metrics for Space-Sharing Parallel Job Schedulers', "
    f"JSSPP 2005; V. Leung et al., ICPP Workshops 2010; {GOPONENKO_2022}, Section VII"
)


def fair_start_times(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> Ints:
    """FST of each job of the workload; -1 for jobs that never ran."""
    fair = np.full(len(workload), NEVER, np.int64)
    fair[schedule.ran] = fair_starts_of(Outcome.of(workload, cluster, schedule))
    return fair


def fair_starts_of(outcome: Outcome) -> Ints:
    """FST of each job that ran."""
    from packwise.engine.fair_start import fair_starts
    from packwise.warm_up.crew import ready
    from packwise.warm_up.needs import FAIRNESS

    ready(FAIRNESS)
    widest = int(outcome.demand.max())
    if widest > outcome.procs:
        raise InputError(
            f"fair start times need every job to fit on the machine of {outcome.procs} processors, "
            f"found one of {widest}. Check the size of the machine."
        )
    fair: Ints = fair_starts(
        outcome.submit, outcome.start, outcome.end, outcome.demand, outcome.procs
    )
    return fair


def fst_misses(outcome: Outcome) -> float:
    """How many jobs started after their fair start time."""
    return float((outcome.start > _fair(outcome)).sum())


def fst_mean_miss(outcome: Outcome) -> float:
    """1/n Σ max(0, start - FST), over all jobs, also those that did not miss."""
    late = np.maximum(outcome.start - _fair(outcome), 0)
    return total(late.astype(np.float64)) / len(outcome)


def _fair(outcome: Outcome) -> Ints:
    """Fair starts, computed once per outcome."""
    kept: Ints | None = outcome.__dict__.get("fair_starts")
    if kept is None:
        kept = fair_starts_of(outcome)
        outcome.__dict__["fair_starts"] = kept
    return kept


FST_MISSES = Metric(
    name="FST_misses",
    title="Jobs that missed their fair start time",
    formula="|{j : b > FST}|",
    unit="jobs",
    better="lower",
    paper=_PAPER,
    meaning=(
        "How many jobs started later than they would have, had nobody arrived after them. A second "
        "counts as much as a week: read FST_mean_miss with it. The fair reference knows the true "
        "run times, so even careful policies that use estimates miss often."
    ),
    of=fst_misses,
    costly=True,
    of_all_jobs=True,
)
FST_MEAN_MISS = Metric(
    name="FST_mean_miss",
    title="Average miss of the fair start time",
    formula="1/n Σ max(0, b - FST)",
    unit="s",
    better="lower",
    paper=_PAPER,
    meaning=(
        "By how much jobs started later than their fair start time, averaged over all jobs. It "
        "shows overtaking, not efficiency: a schedule that starts every job earlier can still "
        "score worse."
    ),
    of=fst_mean_miss,
    costly=True,
    of_all_jobs=True,
)
