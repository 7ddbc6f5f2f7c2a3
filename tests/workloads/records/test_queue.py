"""Queues: jobs that wait or run, none of which has ended."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from packwise.registry import policy
from packwise.simulation import simulate
from packwise.workloads.loading import load_workload

HEAD = "JobID|User|Submit|Eligible|Start|End|Elapsed|Timelimit|NNodes|NCPUS|ReqCPUS|State\n"
#: At 12:10 job 1 runs since 12:00 and may do so until 13:00; the others wait. Slurm expects job 2 at 13:00.
QUEUE = (
    "1|ann|2024-01-01T11:00:00|2024-01-01T11:00:00|2024-01-01T12:00:00|Unknown|00:10:00|01:00:00|1|6|6|RUNNING\n"
    "2|bob|2024-01-01T11:30:00|2024-01-01T11:30:00|2024-01-01T13:00:00|Unknown|00:00:00|00:30:00|1|0|8|PENDING\n"
    "3|cem|2024-01-01T12:05:00|2024-01-01T12:05:00|Unknown|Unknown|00:00:00|00:20:00|1|2|2|PENDING\n"
)
DONE = (
    "4|ann|2024-01-01T09:00:00|2024-01-01T09:00:00|2024-01-01T09:00:00|2024-01-01T09:30:00|00:30:00|01:00:00|1"
    "|6|6|COMPLETED\n"
)


def test_those_who_run_have_started_and_the_others_come_now(tmp_path: Path) -> None:
    path = tmp_path / "queue.txt"
    path.write_text(HEAD + QUEUE)
    jobs = load_workload(path, procs=8).workload
    assert jobs.id.tolist() == [1, 2, 3]
    assert jobs.submit.tolist() == [0, 600, 600]
    assert jobs.runtime.tolist() == jobs.requested_time.tolist() == [3600, 1800, 1200]
    assert jobs.demand.tolist() == [6, 8, 2]
    assert jobs.extra["wait"].tolist() == [0, -1, -1]
    # Job 3 fits beside job 1, and ends before job 2 can start.
    assert simulate(jobs, 8, policy("easy")).schedule.start.tolist() == [0, 3600, 600]


def test_a_log_has_jobs_that_have_ended(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text(HEAD + QUEUE + DONE)
    loaded = load_workload(path, procs=8)
    assert loaded.workload.id.tolist() == [4]
    assert dict(loaded.report.left_out) == {"still waiting": 2, "still running": 1}


def test_a_queue_without_anybody_running(tmp_path: Path) -> None:
    path = tmp_path / "queue.txt"
    path.write_text(HEAD + QUEUE.splitlines(keepends=True)[1] + QUEUE.splitlines(keepends=True)[2])
    jobs = load_workload(path).workload
    assert np.unique(jobs.submit).tolist() == [0]
    assert jobs.demand.max() == 8


def test_what_squeue_shows_is_a_queue_though_some_have_just_ended(tmp_path: Path) -> None:
    one = {"job_id": 1, "submit_time": 1000, "cpus": 4, "time_limit": 10, "user_name": "ann"}
    jobs = [
        {**one, "job_state": "RUNNING", "start_time": 1100},
        {**one, "job_id": 2, "job_state": "COMPLETED", "start_time": 1000, "end_time": 1500},
        {**one, "job_id": 3, "job_state": "PENDING", "start_time": 9000, "submit_time": 1200},
    ]
    path = tmp_path / "queue.json"
    path.write_text(json.dumps({"jobs": jobs}))
    loaded = load_workload(path, procs=4)
    assert loaded.workload.id.tolist() == [1, 3]
    assert loaded.workload.submit.tolist() == [1100, 1500]  # when a job ended
    assert dict(loaded.report.left_out) == {"ended before the queue was written": 1}
    lines = "\n".join(
        f"JobId={job['job_id']} UserId=ann(1) JobState={job['job_state']} SubmitTime=1970-01-01T00:16:40 "
        f"StartTime=1970-01-01T00:20:00 EndTime=1970-01-01T00:25:00 TimeLimit=00:10:00 NumNodes=1 NumCPUs=4"
        for job in jobs
    )
    text = tmp_path / "queue.txt"
    text.write_text(lines + "\n")
    assert load_workload(text, procs=4).workload.id.tolist() == [1, 3]
