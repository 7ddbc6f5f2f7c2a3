"""The peer simulator AccaSim and Packwise on the same jobs: the real log of Eurora, on its 64 nodes.

``python -m benchmarks.peer_nodes --traces FOLDER --accasim PYTHON`` runs every dispatcher of AccaSim and the
policy of Packwise that is meant to be the same, and prints how many jobs start at the same second and on the
same nodes, and how long both took. PYTHON is one with AccaSim 1.1.3 installed.

Where the schedules differ, Packwise is run once more with AccaSim's own rules (``Imitation``): if all starts
and nodes are equal then, these rules are all that differs. ``--examples`` shows each rule on a few jobs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from packwise import Cluster, Decision, Policy, Requested, View, Workload, check_schedule, simulate
from packwise.clusters.finding import find_cluster
from packwise.model import NodeGroup
from packwise.model.allocation import Allocation
from packwise.model.demands import misfits
from packwise.model.schedule import Schedule
from packwise.model.workload import Ints
from packwise.registry import policy
from packwise.workloads.trace import load_trace
from packwise.workloads.window import Window
from scripts.page import filled

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks-nodes.md"
RUNNER = Path(__file__).with_name("accasim_runner.py")
EURORA = find_cluster("eurora")
LOG = "Eurora-2014.csv.gz"
#: AccaSim's names of resources, where they are not Packwise's: nodes without a free ``core`` are left out.
NAMES = {"cores": "core", "memory": "mem"}
PLACEMENTS = {"FF": "first-fit", "BF": "best-fit"}
#: The policy for each scheduler. AccaSim stops at the first job that does not fit, unless it is told to skip,
#: and sorts by the limit; jobs that are equal stay in the order of submission.
POLICIES = {
    "FIFO": "fcfs",
    "SJF": "list(order=sjf,option=strict)",
    "LJF": "list(order=ljf,option=strict)",
    "EBF": "easy",
    "FIFO-skip": "list(order=fcfs,option=greedy)",
    "SJF-skip": "list(order=sjf,option=greedy)",
    "LJF-skip": "list(order=ljf,option=greedy)",
}
DISPATCHERS = (
    *(
        f"{scheduler}-{allocator}"
        for allocator in PLACEMENTS
        for scheduler in ("FIFO", "SJF", "LJF")
    ),
    *(f"{scheduler}-FF-skip" for scheduler in ("FIFO", "SJF", "LJF")),
    "EBF-FF",
    "EBF-BF",
)


class Peer(NamedTuple):
    """What AccaSim made of the jobs: when and where they ran, the mean wait by its own account, and how long
    the simulation took.
    """

    schedule: Schedule
    mean_wait: float
    seconds: float


class Row(NamedTuple):
    """A dispatcher and its policy: equal starts, equal nodes, mean waits and seconds of both, and whether the
    nodes could have run both schedules.
    """

    dispatcher: str
    policy: str
    jobs: int
    starts: int
    nodes: int
    waits: tuple[float, float]
    seconds: tuple[float, float | None]
    sound: bool

    def cells(self) -> list[str]:
        theirs, ours = self.seconds
        return [
            self.dispatcher,
            self.policy,
            f"{self.jobs:,}",
            f"{self.starts:,}",
            f"{self.nodes:,}",
            *(f"{wait:,.1f}" for wait in self.waits),
            f"{theirs:.2f}",
            "" if ours is None else f"{ours:.4f}",
            "" if ours is None else f"{theirs / ours:,.0f}",
        ]


HEAD = (
    "dispatcher",
    "Packwise",
    "jobs",
    "same start",
    "same nodes",
    "mean wait AccaSim",
    "Packwise",
    "seconds AccaSim",
    "Packwise",
    "ratio",
)


@dataclass(frozen=True)
class Imitation:
    """AccaSim's dispatchers by its own rules (scheduler_class.py and allocator_class.py of version 1.1.3).

    BF sorts nodes by the plain sum of all that is free on them, whatever it is counted in, at the start of a
    round and again after each job that starts; nodes that are equal stay in the order of before. EBF notes a
    time for the first job that does not fit, tries that job again only when this time has come, and until then
    starts all others that fit, however long they run.
    """

    scheduler: str
    allocator: str

    @property
    def name(self) -> str:
        return "AccaSim's rules"

    def decide(self, view: View) -> Decision:
        if not view.queue.size:
            return Decision(memory=view.memory)
        room, queue, noted = _Room(view, self.allocator), sorted(view.queue.tolist()), None
        if self.scheduler == "EBF":
            noted = self._backfill(view, room, queue)
        else:
            sign = {"FIFO": 0, "SJF": 1, "LJF": -1}[self.scheduler]
            queue.sort(key=lambda job: sign * int(view.estimate[job]))
            for job in queue:
                if not room.place(job):
                    break
        return Decision(start=list(room.placed), allocation=room.placed, memory=noted)

    def _backfill(self, view: View, room: _Room, queue: list[int]) -> int | None:
        """Start jobs. Returns the time that is noted for the head of the queue, if it waits."""
        noted: int | None = view.memory
        if noted is not None and noted <= view.now and room.place(queue[0]):
            queue, noted = queue[1:], None
        if noted is None:
            waits = next((k for k, job in enumerate(queue) if not room.place(job)), None)
            if waits is None:
                return None
            queue = queue[waits:]
            noted = room.earliest(queue[0])
        for job in queue[1:]:
            room.place(job)
        return noted


class _Room:
    """What is free on the nodes in a round, and who was placed in it."""

    def __init__(self, view: View, allocator: str) -> None:
        assert view.nodes is not None
        self.placed: dict[int, dict[int, int]] = {}
        self._view, self._nodes = view, view.nodes
        self._free = np.array(view.nodes.free)
        self._best = allocator == "BF"
        self._order = np.arange(len(self._free))
        self._sort()

    def _sort(self) -> None:
        if self._best:
            free = self._free.sum(axis=1)
            self._order = self._order[np.argsort(free[self._order], kind="stable")]

    def _fits(self, job: int, free: Ints) -> Ints:
        needs = self._nodes.per_unit[job]
        found: Ints = (free[:, needs > 0] // needs[needs > 0]).min(axis=1)
        return found

    def place(self, job: int) -> bool:
        """Put a job on nodes. Returns whether it fits."""
        left = int(self._nodes.units[job])
        fits = self._fits(job, self._free)
        if fits.sum() < left:
            return False
        where = self.placed[job] = {}
        for node in self._order[fits[self._order] > 0].tolist():
            if left:
                where[node] = min(left, int(fits[node]))
                left -= where[node]
                self._free[node] -= where[node] * self._nodes.per_unit[job]
        self._sort()
        return True

    def earliest(self, job: int) -> int:
        """When a job would fit, if nobody else started and all ran up to their limits."""
        view, held, free = self._view, self._nodes.held, self._free.copy()
        ends = [
            (end, other, held.of(k))
            for k, (end, other) in enumerate(zip(view.expected_end, view.running, strict=True))
        ]
        ends += [(view.now + view.estimate[new], new, where) for new, where in self.placed.items()]
        for end, other, where in sorted(ends, key=lambda one: int(one[0])):
            for node, units in where.items():
                free[node] += units * self._nodes.per_unit[other]
            if self._fits(job, free).sum() >= self._nodes.units[job]:
                return int(end)
        raise AssertionError("a job that fits on empty nodes fits in the end")


def peer(accasim: str, jobs: Workload, cluster: Cluster, dispatcher: str) -> Peer:
    """Run AccaSim on the jobs."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / name) for name in ("jobs.json", "config.json", "out.json")]
        Path(files[0]).write_text(json.dumps(jobs_for_accasim(jobs)))
        Path(files[1]).write_text(json.dumps(system_for_accasim(cluster)))
        subprocess.run([accasim, str(RUNNER), *files, dispatcher], check=True)
        found = json.loads(Path(files[2]).read_text())
    ran = {job["id"]: job for job in found["jobs"]}
    rows = [ran[number] for number in jobs.id.tolist()]  # all have run: the others were left out
    where = Allocation.from_parts(dict(sorted(Counter(row["nodes"]).items())) for row in rows)
    start, end = (np.array([row[key] for row in rows]) for key in ("start", "end"))
    return Peer(Schedule(start, end, allocation=where), found["mean_wait"], found["seconds"])


def jobs_for_accasim(jobs: Workload) -> list[dict[str, Any]]:
    """The jobs as the runner reads them."""
    assert jobs.units is not None
    columns = (jobs.id, jobs.submit, jobs.runtime, jobs.requested_time, jobs.units)
    keys = ("id", "submit", "runtime", "limit", "units")
    rows = zip(*(column.tolist() for column in columns), strict=True)
    names = [NAMES.get(name, name) for name in jobs.per_unit]
    needs = zip(*(column.tolist() for column in jobs.per_unit.values()), strict=True)
    return [
        dict(zip(keys, row, strict=True)) | {"per_unit": dict(zip(names, amounts, strict=True))}
        for row, amounts in zip(rows, needs, strict=True)
    ]


def system_for_accasim(cluster: Cluster) -> dict[str, Any]:
    """The nodes as AccaSim describes them, in the same order."""
    return {
        "groups": {
            group.name: {NAMES.get(name, name): amount for name, amount in group.capacity.items()}
            for group in cluster.groups
        },
        "resources": {group.name: group.count for group in cluster.groups},
    }


def policy_for(dispatcher: str) -> tuple[Policy, str]:
    """Packwise's policy and placement that are meant to be the same."""
    scheduler, allocator, *skip = dispatcher.split("-")
    return policy(POLICIES["-".join([scheduler, *skip])]), PLACEMENTS[allocator]


def same_nodes(one: Schedule, other: Schedule) -> int:
    """How many jobs have as many units on each node in both."""
    here, there = one.allocation, other.allocation
    assert here is not None
    assert there is not None
    return sum(here.of(job) == there.of(job) for job in range(len(one)))


def checked(jobs: Workload, cluster: Cluster, schedule: Schedule, whose: str) -> bool:
    """Whether the nodes could have run a schedule; if not, say why."""
    found = check_schedule(jobs, cluster, schedule)
    if not found.ok:
        print(f"{whose}: {found.total} violations, first: {found.violations[0].message}")
    return found.ok


def compared(
    accasim: str, jobs: Workload, cluster: Cluster, dispatcher: str, repeats: int
) -> list[Row]:
    """Both on the jobs; the best time of so many runs counts. A second row, if there is a difference, has
    Packwise with AccaSim's rules.
    """
    peers = [peer(accasim, jobs, cluster, dispatcher) for _ in range(repeats)]
    theirs = peers[0].schedule
    chosen, placement = policy_for(dispatcher)
    few = jobs.select(np.arange(min(len(jobs), 50)))
    simulate(few, cluster, chosen, Requested(), placement=placement)  # loads what is compiled
    runs = [
        simulate(jobs, cluster, chosen, Requested(), placement=placement) for _ in range(repeats)
    ]
    took = min(one.seconds for one in peers)
    sound = checked(jobs, cluster, theirs, f"AccaSim, {dispatcher}")

    def row(name: str, ours: Schedule, seconds: float | None) -> Row:
        return Row(
            dispatcher,
            name,
            len(jobs),
            int((ours.start == theirs.start).sum()),
            same_nodes(ours, theirs),
            (peers[0].mean_wait, float(ours.wait(jobs).mean())),
            (took, seconds),
            sound and checked(jobs, cluster, ours, f"{name}, {dispatcher}"),
        )

    label = f"{chosen.name}, {placement}"
    rows = [row(label, runs[0].schedule, min(run.seconds for run in runs))]
    scheduler, allocator, *skip = dispatcher.split("-")
    if rows[0].nodes < len(jobs) and not skip:
        imitation = Imitation(scheduler, allocator)
        ours = simulate(jobs, cluster, imitation, Requested()).schedule
        rows.append(row(imitation.name, ours, None))
    return rows


def eurora(traces: Path, count: int | None) -> Workload:
    """The log, or its first jobs, without those that can never run."""
    jobs = load_trace(traces / LOG, None, Window(count=count), on=EURORA).workload
    return jobs.select(~misfits(jobs, EURORA).which)


def table(rows: Iterable[Row]) -> str:
    lines = [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row.cells())} |" for row in rows)])


class Example(NamedTuple):
    """A few jobs on a few nodes that show one rule."""

    what: str
    dispatcher: str
    cluster: Cluster
    jobs: Workload


def few_jobs(*rows: tuple[int, int, int, int, int, int]) -> Workload:
    """Jobs by submission, run time, limit, units, and cores and memory of each unit."""
    submit, runtime, limit, units, cores, memory = np.array(rows).T
    needs = {"cores": cores, "memory": memory}
    ids = np.arange(1, len(rows) + 1)
    return Workload("few", ids, submit, runtime, limit, units * cores, units=units, per_unit=needs)


def few_nodes(count: int, memory: int = 1000) -> Cluster:
    """Nodes of 16 cores."""
    return Cluster("few", (NodeGroup("n", count, {"cores": 16, "memory": memory}),))


def examples() -> list[Example]:
    """Each rule of AccaSim's that makes a difference."""
    found = [
        Example(
            "EBF: job 2 could start at 100, when job 1 ends. Job 3 fits at 2 and is let run until 502.",
            "EBF-FF",
            few_nodes(2),
            few_jobs((0, 100, 100, 1, 16, 1), (1, 10, 10, 2, 16, 1), (2, 500, 500, 1, 16, 1)),
        ),
        Example(
            "EBF: job 1 ends at 10, long before its limit of 100. Job 2 is not tried before 100, and then only "
            "when something happens: the arrival of job 3 at 200.",
            "EBF-FF",
            few_nodes(1),
            few_jobs((0, 10, 100, 1, 16, 1), (1, 5, 5, 1, 16, 1), (200, 5, 5, 1, 1, 1)),
        ),
    ]
    for unit, what in ((1, "MB"), (100, "100 MB")):
        rows = ((14, 100), (3, 600), (1, 100), (13, 100))
        jobs = few_jobs(*((0, 50, 50, 1, cores, memory // unit) for cores, memory in rows))
        told = f"BF: which node has the least free for job 3 hangs on what memory is counted in, here {what}."
        found.append(Example(told, "FIFO-BF", few_nodes(2, 1000 // unit), jobs))
    return found


def show_examples(accasim: str) -> None:
    """Print when and where each job runs in both."""
    for what, dispatcher, cluster, jobs in examples():
        chosen, placement = policy_for(dispatcher)
        theirs = peer(accasim, jobs, cluster, dispatcher).schedule
        ours = simulate(jobs, cluster, chosen, Requested(), placement=placement).schedule
        print(f"\n{what}")
        for name, found in (("AccaSim", theirs), ("Packwise", ours)):
            assert found.allocation is not None
            told = [
                f"job {jobs.id[k]} at {found.start[k]} on {sorted(found.allocation.of(k))}"
                for k in range(len(jobs))
            ]
            print(f"  {name}: {'; '.join(told)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--traces", type=Path, required=True, help=f"folder of {LOG}")
    parser.add_argument("--accasim", required=True, help="a Python with AccaSim 1.1.3")
    parser.add_argument("--jobs", type=int, help="only so many jobs from the first on")
    parser.add_argument("--repeats", type=int, default=2, help="runs, of which the fastest counts")
    parser.add_argument("--dispatchers", nargs="+", default=DISPATCHERS, metavar="NAME")
    parser.add_argument("--examples", action="store_true", help="show a few jobs as well")
    parser.add_argument("--write", action="store_true", help=f"write the table to docs/{PAGE.name}")
    asked = parser.parse_args()
    jobs = eurora(asked.traces, asked.jobs)
    rows = []
    for dispatcher in asked.dispatchers:
        rows += compared(asked.accasim, jobs, EURORA, dispatcher, asked.repeats)
    found = table(rows)
    print(found)
    sound = sum(row.sound for row in rows)
    print(f"\nRows in which the nodes could have run both schedules: {sound} of {len(rows)}.")
    if asked.write:
        PAGE.write_text(filled(PAGE.read_text(), {"accasim": found}))
    if asked.examples:
        show_examples(asked.accasim)


if __name__ == "__main__":
    main()
