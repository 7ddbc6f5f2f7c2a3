"""The jobs of a schedule under another policy: what metrics that compare with a reference hold it against.

The reference has the jobs that ran, with the run times of the schedule that is measured, on the same machine.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from packwise.metrics.outcome import Outcome
from packwise.model.errors import InputError
from packwise.model.workload import Ints, Workload

#: Policies are compared on one log after the other: of each reference the last one is kept.
_kept: dict[str, tuple[bytes, Ints]] = {}


def starts_under(policy: str, outcome: Outcome, limit: Ints, purpose: str) -> Ints:
    """When each job would have started, had this policy dispatched them and believed in ``limit``.

    ``purpose``: what the reference is for, as the subject of a message.
    """
    from packwise.policies.catalogue import POLICIES
    from packwise.simulation import simulate

    widest = int(outcome.demand.max())
    if widest > outcome.procs:
        raise InputError(
            f"{purpose} needs every job to fit on the machine of {outcome.procs} processors, found one of "
            f"{widest}. Check the size of the machine."
        )
    columns = [outcome.submit, outcome.demand, outcome.runtime, limit]
    nodes = outcome.on_nodes
    key = hashlib.blake2b(str(outcome.procs if nodes is None else nodes.cluster).encode())
    more: dict[str, Any] = {}
    if nodes is not None and (units := nodes.workload.units) is not None:
        jobs = nodes.workload
        more = {
            "units": units[nodes.picked],
            "per_unit": {name: column[nodes.picked] for name, column in jobs.per_unit.items()},
            "extra": {k: v[nodes.picked] for k, v in jobs.extra.items() if k == "partition"},
        }
        columns += [more["units"], *more["per_unit"].values(), *more["extra"].values()]
    for column in columns:
        key.update(np.ascontiguousarray(column).tobytes())
    asked = key.digest()
    known, starts = _kept.get(policy, (b"", None))
    if starts is None or known != asked:
        workload = Workload(
            name="as measured",
            id=np.arange(1, len(outcome) + 1),
            submit=outcome.submit,
            demand=outcome.demand,
            runtime=outcome.runtime,
            requested_time=np.maximum(limit, outcome.runtime),
            **more,
        )
        machine = outcome.procs if nodes is None else replace(nodes.cluster, energy=None)
        starts = simulate(workload, machine, POLICIES[policy]).schedule.start
        _kept[policy] = asked, starts
    return starts
