"""The user's own limit as the estimate: what schedulers use in practice."""

from __future__ import annotations

from packwise.model.workload import Ints, Workload


class Requested:
    """E = L."""

    name = "requested"

    def estimates(self, workload: Workload) -> Ints:
        return workload.requested_time
