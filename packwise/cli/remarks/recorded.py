"""What really happened beside replays: of the same jobs, and on a machine that could have done it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.decision import Policy
    from packwise.workloads.trace import Trace


def with_history(loaded: Trace, policies: Sequence[Policy]) -> tuple[Trace, list[str]]:
    """The log without jobs of which it does not tell when they started, if one of the policies is what
    happened; and what to say of that, and of the machine.
    """
    from packwise.model.recorded import recorded_starts
    from packwise.model.schedule import NEVER
    from packwise.policies.recorded import Recorded, RecordedOrder

    if not any(isinstance(one, Recorded | RecordedOrder) for one in policies):
        return loaded, []
    lines = []
    known = recorded_starts(loaded.workload) != NEVER
    if known.any() and not known.all():
        lines.append(
            f"left out: {int((~known).sum()):,} of {len(known):,} jobs, of which the log does not tell when "
            "they started"
        )
        loaded = loaded._replace(workload=loaded.workload.select(known))
    return loaded, [*lines, *_machine(loaded)]


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
    if verdict.peak_usage <= procs:
        return [
            f"recorded: at most {verdict.peak_usage:,} of {procs:,} processors were in use at once"
        ]
    return [
        f"recorded: up to {verdict.peak_usage:,} processors were in use, more than the {procs:,} of this "
        f"machine, for {duration(verdict.over_allocated_seconds)} in all: it was larger then, or jobs shared "
        "processors"
    ]


#: What a job may overlap with the next by the records, in seconds: schedulers learn late of ends.
TOLERANCE = 30
