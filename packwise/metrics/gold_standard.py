"""FST_gold: by how much jobs start later than in one fair schedule of the same jobs.

The gold standard (Sabin and Sadayappan, JSSPP 2005; Leung et al., ICPP Workshops 2010) is a whole schedule
that begins on an empty machine and knows nothing of the schedule that is measured: first come, first served,
each job at the earliest time at which it fits beside the reservations of all who came before, with true run
times. That is List-REG (JustBF) with exact estimates.

FST_misses and FST_mean_miss ask another question: they begin with the machine as the measured schedule left it,
at each arrival. A policy that delays everybody early on makes their references late, too, but not this one. In
turn this one is zero wherever the measured schedule is faster than the gold standard for everybody, however
unevenly (Goponenko et al., SBAC-PAD 2022, Section VII).
"""

from __future__ import annotations

import numpy as np

from packwise.metrics.definition import GOPONENKO_2022, Metric
from packwise.metrics.outcome import Outcome, total
from packwise.metrics.reference_replays import starts_under
from packwise.model.cluster import Cluster
from packwise.model.schedule import NEVER, Schedule
from packwise.model.workload import Ints, Workload


def gold_start_times(workload: Workload, cluster: Cluster | int, schedule: Schedule) -> Ints:
    """When each job of the workload starts in the gold standard; -1 for jobs that never ran."""
    gold = np.full(len(workload), NEVER, np.int64)
    gold[schedule.ran] = gold_starts_of(Outcome.of(workload, cluster, schedule))
    return gold


def gold_starts_of(outcome: Outcome) -> Ints:
    """The same of each job that ran."""
    return starts_under("list-reg", outcome, outcome.runtime, "the gold standard of fair starts")


def fst_gold(outcome: Outcome) -> float:
    """1/n Σ max(0, start - start in the gold standard)."""
    late = np.maximum(outcome.start - gold_starts_of(outcome), 0)
    return total(late.astype(np.float64)) / len(outcome)


FST_GOLD = Metric(
    name="FST_gold",
    title="Average miss of the start in the gold standard",
    formula="1/n Σ max(0, b - b_gold),  b_gold: FCFS, a reservation for every job, true run times",
    unit="s",
    better="lower",
    paper=(
        "G. Sabin and P. Sadayappan, 'Unfairness Metrics for Space-Sharing Parallel Job Schedulers', "
        f"JSSPP 2005; V. Leung et al., ICPP Workshops 2010; {GOPONENKO_2022}, Section VII"
    ),
    meaning=(
        "By how much jobs started later than in one fair schedule of the same jobs on an empty machine, "
        "averaged over all jobs, also those that did not. The fair schedule does not depend on the one that is "
        "measured, so policies can be compared by it. It knows the true run times. It is zero for whoever "
        "starts every job earlier than the gold standard does, so it mixes speed with fairness: read it with "
        "FST_mean_miss. On nodes the gold standard is replayed on the same nodes."
    ),
    of=fst_gold,
    costly=True,
    of_all_jobs=True,
)
