"""A Dask cluster as the executor of a study: of this machine, of a batch system, or at an address."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, Self
from uuid import uuid4

import packwise
from packwise.experiments.executors.dask_start import connect, expected_workers, find, one_line
from packwise.experiments.executors.worker import WorkerDied, answer
from packwise.experiments.scenario import TraceFile
from packwise.experiments.work import Done, Failed, Task, failed
from packwise.files.content import file_bytes
from packwise.model.errors import InputError, PackwiseError

#: Seconds between two looks at how many workers there are.
_LOOK = 2.0
#: Seconds without a worker until the user is told; jobs in a queue may take their time.
_PATIENCE = {"address": 30.0, "local": 30.0, "slurm": 60.0, "pbs": 60.0}

#: For clusters of ours: a task waits with the scheduler until a worker is free for it, a worker that is
#: too busy to be heard is not taken for dead, memory is not given back and asked for all the time, and
#: no worker watches itself.
#: For all: a trace may be large.
_SETTINGS: dict[str, Any] = {
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.worker-ttl": None,
    "distributed.nanny.pre-spawn-environ": {},
    "distributed.worker.profile.enabled": False,
    "distributed.admin.large-graph-warning-threshold": "10 GB",
}


@dataclass(eq=False)
class _Job:
    """A task on its way through the cluster. ``alone`` is its second chance, on its own."""

    task: Task
    alone: bool = False


class DaskExecutor:
    """``where`` is local, slurm, pbs, an address such as tcp://host:8786, or a scheduler file.

    ``options`` is what dask-jobqueue is told (cores, memory, queue, ...), and ``jobs`` how many jobs
    to submit. ``workers`` is how many to start; at an address, the most to use. ``notice`` is called
    with a line for the user when no worker comes.
    """

    def __init__(
        self,
        where: str,
        options: Mapping[str, Any] | None = None,
        workers: int | None = None,
        *,
        notice: Callable[[str], None] | None = None,
        timeout: float = 10.0,
    ) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"workers: expected 1 or more, found {workers}.")
        self.place = find(where)
        self._options = dict(options or {})
        self._wanted = workers
        self._notice = notice or (lambda line: None)
        self._timeout = timeout
        self._threads = 0
        self._looked = float("-inf")
        self._expected = expected_workers(self.place, self._options, workers)
        self._closing = ExitStack()
        self._client: Any = None
        self._contents: dict[str, Any] = {}
        self._group = f"packwise-{uuid4().hex}"
        self._numbers = count()

    @property
    def workers(self) -> int:
        limit = self._wanted if self.place.kind == "address" else None
        found = self._threads or self._expected
        return found if limit is None else min(found, limit)

    def __enter__(self) -> Self:
        with ExitStack() as closing:
            closing.enter_context(_quiet())
            self._client = connect(self.place, self._options, self._wanted, self._timeout, closing)
            closing.callback(self._contents.clear)
            self._closing = closing.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def run(self, tasks: Iterator[Task]) -> Generator[Done | Failed, None, None]:
        """Results as they come. About three tasks for each worker are with the cluster at a time."""
        finished: SimpleQueue[Any] = SimpleQueue()
        under_way: dict[Any, tuple[Any, _Job]] = {}
        alone: deque[_Job] = deque()
        results: list[Done | Failed] = []
        lonely = self._watch()
        try:
            while True:
                while len(under_way) < self._room():
                    job = _next(tasks, alone, bool(under_way))
                    if job is None:
                        break
                    try:
                        future = self._submit(job.task)
                    except (InputError, TypeError, ValueError, AttributeError) as error:
                        results.append(failed(job.task.scenario, error))
                        continue
                    under_way[future.key] = future, job
                    future.add_done_callback(finished.put)
                yield from results
                results = []
                if not under_way:
                    return
                next(lonely)
                for future in _drain(finished):
                    _, job = under_way.pop(future.key)
                    result = self._result(future, job, alone)
                    future.release()
                    if result is not None:
                        results.append(result)
        finally:
            for future, _ in under_way.values():
                future.release()

    def _room(self) -> int:
        """How many tasks may be with the cluster: some more than it works at, so none waits for us."""
        now = time.monotonic()
        if now - self._looked > _LOOK:
            try:
                self._threads = sum(self._client.nthreads().values())
            except (OSError, RuntimeError, CancelledError) as error:
                raise self._lost() from error
            self._looked = now
        if self._wanted is not None and self.place.kind == "address":
            return self._wanted
        return 3 * self._threads + 2 if self._threads else 1

    def _watch(self) -> Iterator[None]:
        """Tell the user when there has been no worker for a while; once, until one comes."""
        since, said = time.monotonic(), False
        while True:
            if self._threads:
                since, said = time.monotonic(), False
            elif not said and time.monotonic() - since > _PATIENCE[self.place.kind]:
                self._notice(f"no Dask worker at {self.place} yet: waiting for workers")
                said = True
            yield

    def _submit(self, task: Task) -> Any:
        # Keys of one group, so that the scheduler keeps what waits until a worker is free.
        key = (self._group, next(self._numbers))
        content = self._content(task)
        return self._client.submit(answer, task, content, key=key, pure=False, retries=2)

    def _content(self, task: Task) -> Any:
        """The trace's bytes, sent once, for workers that may not see our disk.

        As the result of a task they are made again when the worker that has them is lost; data that is
        only scattered would be gone.
        """
        source = task.scenario.workload.source
        if self.place.kind == "local" or task.schedule or not isinstance(source, TraceFile):
            return None
        if source.digest not in self._contents:
            content = file_bytes(source.path)
            if sha256(content).hexdigest() != source.digest:
                raise InputError(
                    f"{source.path}: the file changed after the study began. Start the study again: "
                    "it keeps what is done and runs the rest with the file as it is now."
                )
            key = (f"trace-{self._group}", source.digest)
            self._contents[source.digest] = self._client.submit(bytes, content, key=key, retries=2)
        return self._contents[source.digest]

    def _result(self, future: Any, job: _Job, alone: deque[_Job]) -> Done | Failed | None:
        """The answer; None where the task gets another chance."""
        from distributed import KilledWorker

        try:
            result: Done | Failed = future.result()
            return result
        except KilledWorker as error:
            if job.alone:
                return failed(job.task.scenario, WorkerDied("as Dask reports"), str(error))
            alone.append(_Job(job.task, alone=True))
            return None
        except (CancelledError, OSError) as error:
            raise self._lost() from error
        except Exception as error:
            raise InputError(
                f"--dask {self.place}: a task could not be started there "
                f"({one_line(error)}). The scheduler and all workers need the same "
                f"Packwise as this machine: pip install 'packwise[dask]=={packwise.__version__}'"
            ) from error

    def _lost(self) -> PackwiseError:
        return PackwiseError(
            f"the connection to the Dask scheduler at {self._client.scheduler.address} was lost. What "
            "is done is kept: start the study again to go on."
        )


def _next(tasks: Iterator[Task], alone: deque[_Job], busy: bool) -> _Job | None:
    task = next(tasks, None)
    if task is not None:
        return _Job(task)
    return alone.popleft() if alone and not busy else None


def _drain(finished: SimpleQueue[Any]) -> Iterator[Any]:
    """What has finished; nothing, if nothing has for a second."""
    try:
        yield finished.get(timeout=1.0)
        while True:
            yield finished.get_nowait()
    except Empty:
        return


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's log stays silent: what matters is raised, or becomes a failure of a scenario."""
    import dask
    import distributed  # noqa: F401, makes its loggers

    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    loggers = [logging.getLogger(name) for name in ("tornado.application", *names)]
    before = [(logger, logger.level) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with dask.config.set(_SETTINGS):
            yield
    finally:
        for logger, level in before:
            logger.setLevel(level)
