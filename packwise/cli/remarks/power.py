"""Jobs that can never run under a power cap: all policies of a table are given the same jobs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packwise.model.decision import Policy
    from packwise.predict import Predictor
    from packwise.workloads.trace import Trace


def within_caps(loaded: Trace, runs: Iterable[tuple[Policy, Predictor]]) -> tuple[Trace, list[str]]:
    """The log without the jobs that one of these policies could never run under its cap, and what to say of
    it.
    """
    from packwise.model.errors import JobTooLarge
    from packwise.simulation import never_under_cap

    lines = []
    for policy, estimate in runs:
        workload = loaded.workload
        which, reason = never_under_cap(workload, loaded.cluster, policy, estimate)
        if which.all():
            raise JobTooLarge(
                f"workload '{workload.name}': none of its {len(workload):,} jobs can run under "
                f"'{policy.name}': {reason}. Raise the cap."
            )
        if which.any():
            loaded = loaded._replace(workload=workload.select(~which))
            lines.append(
                f"left out: {int(which.sum()):,} of {len(workload):,} jobs, which {policy.name} could never "
                f"run ({reason})"
            )
    return loaded, lines
