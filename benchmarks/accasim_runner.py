"""One simulation of the peer AccaSim (https://accasim.readthedocs.io, version 1.1.3), run with its own Python:
``python accasim_runner.py JOBS.json CONFIG.json OUT.json DISPATCHER``.

JOBS is a list of jobs by submission: ``id``, ``submit``, ``runtime``, ``limit``, ``units`` and ``per_unit``, an
amount for each resource. CONFIG is a system as AccaSim describes it (``groups`` and ``resources``). DISPATCHER
is FIFO, SJF, LJF or EBF, a dash, and FF or BF; ``-skip`` after it lets FIFO, SJF and LJF skip a job that does
not fit. OUT gets the start, the end and the nodes of each job, and how long it took.
"""

from __future__ import annotations

import collections
import collections.abc
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

# AccaSim looks for it there, where it was until Python 3.9.
collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]

from accasim.base.allocator_class import BestFit, FirstFit  # noqa: E402
from accasim.base.event_class import AttributeType, Event, JobFactory  # noqa: E402
from accasim.base.resource_manager_class import ResourceManager, Resources  # noqa: E402
from accasim.base.scheduler_class import (  # noqa: E402
    EASYBackfilling,
    FirstInFirstOut,
    LongestJobFirst,
    SchedulerBase,
    ShortestJobFirst,
)
from accasim.base.simulator_class import Simulator  # noqa: E402
from accasim.utils.reader_class import Reader  # noqa: E402

SCHEDULERS = {
    "FIFO": FirstInFirstOut,
    "SJF": ShortestJobFirst,
    "LJF": LongestJobFirst,
    "EBF": EASYBackfilling,
}
ALLOCATORS = {"FF": FirstFit, "BF": BestFit}
#: Added to all times: AccaSim takes the time 0 for a simulation that has not begun (event_class.py:373).
LATER = 1_000_000_000


class Job(Event):
    """A job that asks for what it needs alone: EBF divides by each amount (scheduler_class.py:573)."""

    made: ClassVar[list[Job]] = []

    def __init__(
        self,
        job_id: int,
        queued_time: int,
        duration: int,
        requested_nodes: int,
        requested_resources: dict[str, int],
    ) -> None:
        needed = {name: amount for name, amount in requested_resources.items() if amount > 0}
        super().__init__(job_id, queued_time, duration, requested_nodes, needed)
        self.assigned_nodes: list[str] = []
        self.made.append(self)


class Jobs(Reader):
    """Hands the jobs out one after the other. ``seconds``: how long it took to make them."""

    def __init__(self, factory: JobFactory, jobs: list[dict[str, Any]]) -> None:
        super().__init__(factory)
        self.seconds = 0.0
        self._left = iter(jobs)

    def next(self, *args: Any, **kwargs: Any) -> Any:
        begin = time.perf_counter()
        found = super().next(*args, **kwargs)
        self.seconds += time.perf_counter() - begin
        return found

    def _read(self, current_time: int | None) -> dict[str, Any] | None:
        job = next(self._left, None)
        if job is None:
            self.stop_submission()
            return None
        return {
            "job_id": job["id"],
            "queued_time": job["submit"] + LATER,
            "duration": job["runtime"],
            "expected_duration": job["limit"],
            "requested_nodes": job["units"],
            "requested_resources": dict(job["per_unit"]),
        }


def dispatcher(name: str) -> SchedulerBase:
    """The dispatcher of that name, as AccaSim publishes it."""
    scheduler, allocator, *skip = name.split("-")
    options = {"skip_jobs_on_allocation": True} if skip else {}
    return SCHEDULERS[scheduler](ALLOCATORS[allocator](), **options)


def simulated(jobs: list[dict[str, Any]], config: Path, name: str) -> dict[str, Any]:
    """Run it. What AccaSim writes goes to a folder that is removed afterwards."""
    resources = ResourceManager(Resources(**json.loads(config.read_text())))
    attributes = [AttributeType("expected_duration", int)]
    factory = JobFactory(resources, job_class=Job, job_attrs=attributes)
    reader = Jobs(factory, jobs)
    with tempfile.TemporaryDirectory() as folder:
        simulator = Simulator(
            "jobs",
            str(config),
            dispatcher(name),
            resource_manager=resources,
            reader=reader,
            job_factory=factory,
            scheduling_output=False,
            statistics_output=False,
            show_statistics=False,
            RESULTS_FOLDER_PATH=folder,
            LOG_LEVEL="WARNING",
        )
        simulator.start_simulation()
    number = {node: place for place, node in enumerate(resources.node_names)}
    ran = [job for job in Job.made if job.start_time is not None]
    whole = simulator.end_simulation_time - simulator.start_simulation_time
    waits = simulator.mapper.wtimes
    return {
        "seconds": whole - reader.seconds,
        "reading_seconds": reader.seconds,
        "rounds": simulator.mapper.dispatcher._counter,
        "rejected": simulator.rejected_jobs,
        "mean_wait": sum(waits) / len(waits) if waits else None,
        "mean_slowdown": sum(simulator.mapper.slowdowns) / len(waits) if waits else None,
        "jobs": [
            {
                "id": int(job.id),
                "start": job.start_time - LATER,
                "end": job.end_time - LATER,
                "nodes": [number[node] for node in job.assigned_nodes],
            }
            for job in ran
        ],
    }


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    jobs, config, out, name = sys.argv[1:]
    found = simulated(json.loads(Path(jobs).read_text()), Path(config), name)
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
