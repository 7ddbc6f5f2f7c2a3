"""Does a policy keep deadlines that a plan of its own has kept?"""

from __future__ import annotations

from typing import Any

from packwise import Cluster, Requested, Workload, simulate
from packwise.feasibility import check_schedule
from packwise.model.decision import Decision, Policy
from packwise.model.view import View
from packwise.model.workload import NO_DEADLINE


def assert_deadlines_are_kept(policy: Policy, workload: Workload, procs: int) -> None:
    """Once a plan has a job end in time, all later plans have, and so has the schedule."""
    in_time: set[int] = set()

    class Recorder:
        name = "recorder"

        def decide(self, view: View) -> Decision:
            decision = policy.decide(view)
            plan: dict[int, Any] = {int(job): view.now for job in decision.start}
            for job, start in (plan | dict(decision.planned)).items():
                if start + view.estimate[job] <= view.deadline[job] < NO_DEADLINE:
                    in_time.add(job)
                else:
                    assert job not in in_time
            return decision

    cluster = Cluster.pool(procs)
    run = simulate(workload, cluster, Recorder(), Requested())
    assert check_schedule(workload, cluster, run.schedule).ok
    assert workload.deadline is not None
    kept = sorted(in_time)
    assert (run.schedule.end[kept] <= workload.deadline[kept]).all()
