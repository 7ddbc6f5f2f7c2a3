"""What to know of records before replays are held against them."""

from __future__ import annotations

from typing import Final

from packwise.metrics.outcome import Outcome
from packwise.reports.material import Replayed

#: With more of the machine free while jobs waited, the records are not the whole story.
_ODD: Final = 0.5


def free_while_waiting(run: Replayed) -> float:
    """The share of the processors that were free, averaged over the time that jobs waited; 0 if none did."""
    gaps = Outcome.of(*run).gaps
    waited = gaps.seconds * gaps.queued
    total = float(waited.sum())
    return float((waited * (1.0 - gaps.busy / run.cluster.procs)).sum()) / total if total else 0.0


def history_words(run: Replayed) -> str:
    """A warning, where jobs waited on a machine that was mostly free; else nothing."""
    free = free_while_waiting(run)
    if free < _ODD:
        return ""
    return (
        f"By these records, {100 * free:.0f} % of the processors were free while jobs waited. Either the "
        "records do not have all jobs that ran there, or the machine is smaller than it was taken for, or "
        "jobs were held back by something that the records do not tell. Replays use those processors, so "
        "their waits are too short: do not take their distance from what really happened for a gain."
    )
