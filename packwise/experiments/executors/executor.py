"""What a study asks of whoever does its work."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Protocol, Self

from packwise.experiments.work import Done, Failed, Task


class Executor(Protocol):
    """Started by ``with``; ``run`` pulls tasks as it can take them and yields results as they come.

    Closing the generator gives up what is under way.
    """

    @property
    def workers(self) -> int:
        """How many tasks are done at the same time; before ``with``, about how many will be."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def run(self, tasks: Iterator[Task]) -> Generator[Done | Failed, None, None]: ...
