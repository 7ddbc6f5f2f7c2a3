"""Worker processes on this machine, one for each core; the death of one is no harm to the others.

Each worker has a pipe of its own. When one dies, however it dies, its pipe ends: so it is known which
scenario it was at, no other worker is disturbed, and a new one takes its place. (In
``concurrent.futures`` workers share their pipes: a death ends all workers, and the reader may wait for the rest
of a message for ever.)
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import traceback
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any, Self, cast

from packwise.experiments.executors.worker import (
    ATTEMPTS,
    ONE_THREAD,
    WorkerDied,
    answer,
    interrupts_held,
    usable_cores,
)
from packwise.experiments.work import Done, Failed, Task, failed
from packwise.model.errors import InputError, PackwiseError

#: What a worker says once it can take tasks.
_READY = b"ready"
#: Workers that die before that, one after the other, until we give up.
_BAD_STARTS = 3
#: Seconds that a worker has to end by itself before it is killed.
_PATIENCE = 5.0


@dataclass(eq=False)
class _Job:
    """A task on its way to a worker and back, pickled, and how many workers died over it."""

    task: Task
    message: bytes
    deaths: int = 0


class ProcessExecutor:
    """As many processes as cores, or as asked for. They start when there is something to do."""

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"workers: expected 1 or more, found {workers}.")
        self.workers = workers or usable_cores()
        self._team: list[_Worker] = []
        self._bad_starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._dismiss(list(self._team))

    def run(self, tasks: Iterator[Task]) -> Generator[Done | Failed, None, None]:
        """Results as they come. A task is pulled when a worker is free for it."""
        again: deque[_Job] = deque()
        alone: deque[_Job] = deque()
        results: list[Done | Failed] = []
        try:
            while True:
                while len(self._busy()) < self.workers:
                    job = self._next(tasks, again, alone)
                    if job is None:
                        break
                    if isinstance(job, Failed):
                        results.append(job)
                    else:
                        self._assign(job)
                yield from results  # after the workers have something to do
                results = []
                busy = {worker.connection: worker for worker in self._busy()}
                if not busy:
                    return
                for ready in wait(list(busy)):
                    worker = busy[cast("Connection[Any, Any]", ready)]
                    job = worker.job
                    assert job is not None
                    try:
                        result = worker.receive()
                        self._bad_starts = 0
                    except (EOFError, OSError):
                        result = self._bury(worker, job, again, alone)
                    if result is not None:
                        results.append(result)
        finally:
            self._dismiss(self._busy())

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._team if worker.job is not None]

    def _next(
        self, tasks: Iterator[Task], again: deque[_Job], alone: deque[_Job]
    ) -> _Job | Failed | None:
        if again:
            return again.popleft()
        task = next(tasks, None)
        if task is None:
            return alone.popleft() if alone and not self._busy() else None
        try:
            return _Job(task, pickle.dumps(task))
        except Exception as error:
            return failed(task.scenario, error, _trace(error))

    def _assign(self, job: _Job) -> None:
        """To a worker that waits, or else to a new one."""
        for worker in [one for one in self._team if one.job is None]:
            try:
                return worker.give(job)
            except OSError:  # it died while it waited
                self._dismiss([worker])
        with interrupts_held():
            self._team.append(_Worker(job))

    def _bury(
        self, worker: _Worker, job: _Job, again: deque[_Job], alone: deque[_Job]
    ) -> Failed | None:
        """A worker has died: try its task again, or say that it cannot be done."""
        self._dismiss([worker])
        if not worker.started:
            self._bad_starts += 1
            if self._bad_starts >= _BAD_STARTS:
                raise PackwiseError(
                    f"worker processes end before they have begun ({worker.ending}); what they said "
                    "is above. In a script, start the study under `if __name__ == '__main__':`."
                )
            again.append(job)
            return None
        job.deaths += 1
        if job.deaths == ATTEMPTS:
            return failed(job.task.scenario, WorkerDied(worker.ending))
        (alone if job.deaths == ATTEMPTS - 1 else again).append(job)
        return None

    def _dismiss(self, workers: list[_Worker]) -> None:
        for worker in workers:
            worker.leave()
        for worker in workers:
            worker.end()
            self._team.remove(worker)


class _Worker:
    """A process with a pipe, and the job it has."""

    def __init__(self, job: _Job) -> None:
        context = multiprocessing.get_context("spawn")  # forks of threads and locks may hang
        self.job: _Job | None = job
        self.started = False
        self.ending = ""
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), name="packwise-worker")
        try:
            with _environment(ONE_THREAD):
                self.process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()

    def give(self, job: _Job) -> None:
        """Hand a job over. An OSError means that the worker is dead."""
        self.connection.send_bytes(job.message)
        self.job = job

    def receive(self) -> Done | Failed | None:
        """What the worker says: a result, or that it has begun. EOFError, OSError: it is dead."""
        assert self.job is not None
        said = self.connection.recv_bytes()
        if said == _READY:
            self.started = True
            self.give(self.job)
            return None
        scenario, self.job = self.job.task.scenario, None
        try:
            result = pickle.loads(said)
        except Exception as error:
            return failed(scenario, error, _trace(error))
        if isinstance(result, str):
            return failed(scenario, PackwiseError("a worker could not read its task."), result)
        return cast("Done | Failed", result)

    def leave(self) -> None:
        """End: at once in the middle of a job, and otherwise when the end of the pipe is read."""
        if self.job is not None:
            self.process.terminate()
        self.connection.close()

    def end(self) -> None:
        self.process.join(_PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        code = self.process.exitcode or 0
        self.ending = f"exit status {code}"
        if code < 0:
            with suppress(ValueError):
                self.ending = signal.Signals(-code).name
        self.process.close()


def _serve(connection: Connection[Any, Any]) -> None:
    """The life of a worker: tasks in, results out, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        connection.send_bytes(_READY)
        while True:
            connection.send_bytes(_reply(connection.recv_bytes()))


def _reply(received: bytes) -> bytes:
    try:
        task: Task = pickle.loads(received)
    except Exception as error:
        return pickle.dumps(_trace(error))
    result = answer(task)
    try:
        return pickle.dumps(result)
    except Exception as error:
        return pickle.dumps(failed(task.scenario, error, _trace(error)))


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _end_with_parent() -> None:
    """A parent that is killed takes its workers with it."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


@contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    """What processes begun inside see in their environment besides ours."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
