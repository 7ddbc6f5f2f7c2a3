"""Small studies, and an executor that works in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from packwise.experiments.scenario import Choice, Generated, MachineSpec, Scenario, WorkloadSpec
from packwise.experiments.store import Store
from packwise.experiments.study import Baseline, Study
from packwise.experiments.work import Done, Failed, Task, perform
from packwise.workloads.window import Window


class InProcess:
    """Does the tasks one after the other, here."""

    workers = 1

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *_: object) -> None: ...

    def run(self, tasks: Iterator[Task]) -> Iterator[Done | Failed]:
        for task in tasks:
            self.tasks.append(task)
            yield perform(task)


@pytest.fixture
def in_process() -> InProcess:
    return InProcess()


MakeStudy = Callable[..., Study]


@pytest.fixture
def make_study(tmp_path: Path) -> MakeStudy:
    """A study of policies on one synthetic workload."""

    def make(*policies: str, jobs: int = 60, seeds: int = 1, **changes: object) -> Study:
        requested = Choice("requested", "requested")
        scenarios = tuple(
            Scenario(
                WorkloadSpec("small", Generated(jobs, 16, seed, 1.2), Window()),
                MachineSpec(),
                Choice(name, name),
                requested,
                replica=seed if seeds > 1 else 0,
            )
            for name in policies or ("list-reg", "easy")
            for seed in range(1, seeds + 1)
        )
        study = Study(
            "small",
            scenarios,
            ("BSLD", "AWF"),
            Baseline(policy=scenarios[0].policy.label),
            tmp_path / "store",
        )
        return study.replace(**changes)

    return make


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)
