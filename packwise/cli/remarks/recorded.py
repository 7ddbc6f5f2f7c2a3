"""What really happened beside replays: of the same jobs, and on a machine that could have done it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.decision import Policy
    from packwise.predict import Predictor
    from packwise.workloads.trace import Trace
    from packwise.workloads.window import Window


def of_same_jobs(
    loaded: Trace, runs: Iterable[tuple[Policy, Predictor]], window: Window
) -> tuple[Trace, list[str]]:
    """The log with the jobs that all of these can be asked about; what to say of the others and, if what
    happened is among them, of the machine.
    """
    from packwise.policies.recorded import Recorded, RecordedOrder
    from packwise.side_by_side import same_jobs

    pairs = list(runs)
    jobs, lines = same_jobs(loaded.workload, loaded.cluster, pairs)
    loaded = loaded._replace(workload=jobs)
    if any(isinstance(policy, Recorded | RecordedOrder) for policy, _ in pairs):
        lines += _machine(loaded)
        if window.leaves_out:
            lines.append(
                "recorded: what happened was under the load of all jobs; replays have those that are chosen "
                "alone"
            )
    return loaded, lines


def _machine(loaded: Trace) -> list[str]:
    """Whether the machine is as large as it was."""
    from packwise.feasibility import check_schedule
    from packwise.model.cluster import Cluster
    from packwise.model.recorded import recorded_schedule
    from packwise.readable import duration

    schedule = recorded_schedule(loaded.workload)
    if not schedule.ran.all():
        return []
    procs = loaded.cluster.procs
    verdict = check_schedule(
        loaded.workload, Cluster.pool(procs), schedule, limit=0, tolerance=TOLERANCE
    )
    peak = verdict.peak_usage
    if not verdict.over_allocated_seconds:
        brief = f", more (up to {peak:,}) only for {TOLERANCE} s at a time" if peak > procs else ""
        return [
            f"recorded: at most {min(peak, procs):,} of {procs:,} processors were in use at once{brief}"
        ]
    return [
        f"recorded: up to {peak:,} processors were in use, more than the {procs:,} of this machine, for "
        f"{duration(verdict.over_allocated_seconds)} in all: it was larger then, or jobs shared processors"
    ]


#: For how long more may be in use than there is, by the records, in seconds: schedulers learn late of ends.
TOLERANCE = 30
