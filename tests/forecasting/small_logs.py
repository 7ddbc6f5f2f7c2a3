"""Small logs for forecasts, and a replay from the middle that can be checked by eye."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from packwise import Workload, simulate
from packwise.forecasting import Situation

PROCS = 8


def log_of(jobs, user=None):
    """From (submit, demand, runtime, limit), ids 1, 2, 3, ...; all of user 1 unless told otherwise."""
    workload = Workload.of(jobs)
    return workload.replace(user=np.full(len(workload), 1) if user is None else np.array(user))


@st.composite
def logs(draw, most=25):
    """A log on a small machine and its starts under EASY."""
    jobs = []
    for _ in range(draw(st.integers(3, most))):
        runtime = draw(st.integers(1, 60))
        limit = runtime + draw(st.sampled_from([0, 5, 40]))
        jobs.append((draw(st.integers(0, 200)), draw(st.integers(1, PROCS)), runtime, limit))
    workload = Workload.of(jobs)
    users = draw(st.lists(st.integers(0, 2), min_size=len(jobs), max_size=len(jobs)))
    workload = workload.replace(user=np.array(users))
    return workload, simulate(workload, PROCS, "easy").schedule.start


@st.composite
def situations(draw):
    """Such a log, its starts, and the situation when one of its jobs is submitted."""
    workload, start = draw(logs())
    now = int(workload.submit[draw(st.integers(0, len(workload) - 1))])
    return workload, start, Situation.at(now, workload, start, PROCS)


def naive_easy(situation, runtime):
    """Starts of those who wait under EASY, from now on, if nobody else comes; ``runtime`` by job."""
    now, jobs = situation.now, situation.jobs
    free = situation.cluster.procs - int(jobs.demand[situation.running].sum())
    assert free >= 0
    # (end, expected end, processors) of who runs.
    running = []
    for i in situation.running.tolist():
        end = int(situation.start[i] + runtime[i])
        expected = max(int(situation.start[i] + jobs.requested_time[i]), end)
        running.append((end, expected, int(jobs.demand[i])))
    queue, found = situation.waiting.tolist(), {}

    def begin(job):
        nonlocal free
        found[job] = now
        took = min(int(runtime[job]), int(jobs.requested_time[job]))
        running.append((now + took, now + int(jobs.requested_time[job]), int(jobs.demand[job])))
        free -= int(jobs.demand[job])
        queue.remove(job)

    while queue:
        while queue and jobs.demand[queue[0]] <= free:
            begin(queue[0])
        if queue:
            head, room, shadow = queue[0], free, now
            for _, expected, procs in sorted(running, key=lambda one: one[1]):
                room, shadow = room + procs, expected
                if room >= jobs.demand[head]:
                    break
            # All that comes back at that moment is there.
            room = free + sum(procs for _, expected, procs in running if expected <= shadow)
            extra = room - int(jobs.demand[head])
            for job in list(queue[1:]):
                if jobs.demand[job] > free:
                    continue
                if now + jobs.requested_time[job] <= shadow:
                    begin(job)
                elif jobs.demand[job] <= extra:
                    extra -= int(jobs.demand[job])
                    begin(job)
        if not queue:
            break
        now = min(end for end, _, _ in running)
        free += sum(procs for end, _, procs in running if end <= now)
        running = [one for one in running if one[0] > now]
    return [found[job] for job in situation.waiting.tolist()]
