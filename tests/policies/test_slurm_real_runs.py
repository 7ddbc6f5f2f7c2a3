"""The policy slurm against runs of a real Slurm, which are kept in the repository."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.real_slurm.cases import CASES
from benchmarks.slurm_policy import PHASES, RUNS, delays, inverted, recorded_run, waits
from packwise.feasibility import check_schedule
from packwise.model.recorded import recorded_schedule
from packwise.model.slurm_settings import SlurmSettings

KEPT = [case.name for case in CASES if (RUNS / f"{case.name}.sacct.gz").exists()]
#: The worst is 9.9 % off; docs/benchmarks-slurm.md has them all.
MOST = 12.0


def test_there_are_runs() -> None:
    assert len(KEPT) >= 3


@pytest.mark.parametrize("name", KEPT)
def test_the_mean_wait_is_about_right(name: str) -> None:
    run = recorded_run(name)
    real = float((run.starts - run.workload.submit).mean())
    found = [waits(run, f"slurm(phase={phase})") for phase in PHASES]
    change = 100 * (np.mean([each.mean() for _, each in found]) / real - 1)
    assert abs(change) < MOST
    easy, waited = waits(run, "easy")
    assert abs(change) < abs(100 * (waited.mean() / real - 1)) / 2
    wrong = np.mean([inverted(start, run.starts) for start, _ in found])
    assert wrong < inverted(easy, run.starts)


@pytest.mark.parametrize("name", KEPT)
def test_what_happened_was_possible_and_prompt(name: str) -> None:
    run = recorded_run(name)
    schedule = recorded_schedule(run.workload)
    assert not check_schedule(run.workload, run.cluster.procs, schedule, tolerance=30).total
    interval = SlurmSettings(run.cluster.scheduler).number("bf_interval")
    assert (delays(run) <= interval + 3).mean() > 0.9
