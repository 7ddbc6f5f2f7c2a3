"""What tests on a real Slurm share: a policy whose order shows, what drive left, and who has started."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.real_slurm.small import Job, SmallSlurm
from packwise.adapters.slurm.reader import SlurmReader

#: An order that Slurm would not choose: the longest limit first, and strictly so.
LONGEST_FIRST = """
from packwise.model.decision import Decision


class LongestFirst:
    name = "longest-first"

    def decide(self, view):
        from packwise.model.view import fits_on_nodes

        order = sorted(view.queue.tolist(), key=lambda job: -view.limit[job])
        start = [order[0]] if order and fits_on_nodes(view.nodes, order[0]) else []
        later = {job: view.now + 1 + k for k, job in enumerate(order) if job not in start}
        return Decision(start=start, planned=later, allocation=self.places(view, start))

    def places(self, view, start):
        # From the last node to the first, as nobody else does.
        free = [k for k, row in enumerate(view.nodes.free) if (row == view.nodes.capacity[k]).all()]
        return {job: {node: 1 for node in sorted(free)[-int(view.nodes.units[job]):]} for job in start}


longest_first = LongestFirst()
"""


def left_by_drive(
    slurm: SmallSlurm,
    state: Path,
    named: Mapping[str, str],
    inside: Sequence[str] = (),
    kept_out: str = "nobody",
) -> None:
    """What drive of earlier versions did and wrote down. ``named``: nodes by job; ``inside``: who was let into
    its reservation.
    """
    if "packwise" not in slurm.answers("scontrol", "show", "reservation"):
        slurm.told(
            *("scontrol", "create", "reservation", "ReservationName=packwise"),
            *(f"Nodes={','.join(slurm.hosts)}", "StartTime=now", "EndTime=now+600"),
            *(f"Users=-{kept_out}", "Flags=IGNORE_JOBS,NO_HOLD_JOBS_AFTER,FLEX"),
        )
    for id in inside:
        slurm.told("scontrol", "update", f"jobid={id}", "ReservationName=packwise")
    for id, nodes in named.items():
        slurm.told("scontrol", "update", f"jobid={id}", f"ReqNodeList={nodes}")
    state.mkdir(exist_ok=True)
    nodes = {id: [[nodes], int(time.time())] for id, nodes in named.items()}
    ours = {"nodes": nodes, "factors": {}, "reservation": "packwise"}
    (state / "ours.json").write_text(json.dumps(ours))


def end(process: subprocess.Popen[bytes], sign: int = signal.SIGTERM) -> int:
    process.send_signal(sign)
    return process.wait(60)


def started(slurm: SmallSlurm, ids: list[str]) -> list[Job]:
    """Those that have started; while the controller is away, none."""
    jobs = slurm.jobs()
    found = [jobs[id] for id in ids if id in jobs]
    return [job for job in found if job.start > 0 and job.state != "PENDING"]


def all_started(slurm: SmallSlurm, ids: list[str]) -> bool:
    return len(started(slurm, ids)) == len(ids)


def site_factors(slurm: SmallSlurm) -> dict[int, int]:
    return {raw: site for raw, (_, site) in SlurmReader().priorities().items() if site}
