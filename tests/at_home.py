"""The workers of a study, without processes of their own: each takes a second or two to begin."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from packwise.experiments.executors import processes
from packwise.experiments.work import Done, Failed, Task, perform


class AtHome(processes.ProcessExecutor):
    """Counts workers as it should, and does the tasks itself, one after the other."""

    def run(self, tasks: Iterator[Task]) -> Generator[Done | Failed, None, None]:
        for task in tasks:
            yield perform(task)


@contextmanager
def working_at_home() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "ProcessExecutor", AtHome)
        yield
