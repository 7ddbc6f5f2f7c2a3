"""A queue: records of jobs that wait or run at one moment, as squeue shows them.

They become a log that begins with those who run: each is submitted when it started, and takes as long as its
limit allows. Who waits comes at the moment at which the queue was written, the earliest that the records allow,
in the order of ids; its run time is not known yet, either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from packwise.model.workload import UNKNOWN, Ints
from packwise.workloads.records.collecting import Records
from packwise.workloads.records.examined import Mask, Remark


class Snapshot(NamedTuple):
    """Who waits and who runs."""

    waiting: Mask
    running: Mask

    def moments(
        self, records: Records, ready: Ints, start: Ints, remarks: list[Remark]
    ) -> tuple[Ints, Ints]:
        """When jobs come, and when those who run have started; a start that is only expected is none."""
        columns = records.columns
        elapsed = np.maximum(columns["elapsed"], 0)
        start = np.where(self.running, start, UNKNOWN)
        known = np.where(start >= 0, start + elapsed, columns["submit"])
        known = np.where(self.waiting | self.running, known, columns["end"])
        written = int(known.max(initial=UNKNOWN))
        remarks.append(
            Remark(
                "waiting, taken as submitted when the queue was written, and as running up to their limits",
                self.waiting,
            )
        )
        remarks.append(Remark("running, taken as running up to their limits", self.running))
        return np.where(start >= 0, start, np.maximum(ready, written)), start

    def demand(self, records: Records) -> Ints:
        """What jobs have or, if they have nothing yet, ask for."""
        columns = records.columns
        return np.where(columns["cpus"] > 0, columns["cpus"], columns["req_cpus"])


def snapshot_of(records: Records, waiting: Mask, running: Mask) -> Snapshot | None:
    """A snapshot, if somebody waits and nobody has ended or, in what shows a queue, only a few have."""
    present = waiting | running
    whole = bool(present.all()) or (records.of_queue and present.sum() > len(present) / 2)
    return Snapshot(waiting, running) if whole and waiting.any() else None
