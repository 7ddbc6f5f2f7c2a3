"""The grid of a study: axes, their product, and what must not be in it twice."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from packwise.experiments.claim import Swept
from packwise.experiments.scenario import (
    Choice,
    Generated,
    MachineSpec,
    Scenario,
    TraceFile,
    WorkloadSpec,
    made_for_nodes,
)
from packwise.experiments.study_file.table import Problems, short
from packwise.workloads.window import Window

MOST_SCENARIOS = 1_000_000

#: Label, line and what decides results, of a point of an axis.
Row = tuple[str, int, Hashable]


@dataclass(frozen=True)
class Copies:
    """A workload and its replicas: one source shaken, or sources that differ by their seeds.

    ``family`` is the label of its table, without what a sweep adds; ``swept`` is its place in the sweep.
    """

    label: str
    sources: tuple[TraceFile | Generated, ...]
    window: Window
    replicas: int
    seed: int
    seconds: int
    numbered: bool
    procs: int | None
    line: int
    family: str = ""
    swept: Swept | None = None

    def __len__(self) -> int:
        return max(len(self.sources), self.replicas)

    def specs(self) -> list[tuple[int, WorkloadSpec]]:
        """Replica numbers and workloads; 0 where there is just one."""
        if self.numbered:
            numbers = enumerate(self.sources, 1)
            return [(i, WorkloadSpec(self.label, source, self.window)) for i, source in numbers]
        (source,) = self.sources
        if not self.replicas:
            return [(0, WorkloadSpec(self.label, source, self.window))]
        fields = {**vars(self.window), "seconds": self.seconds}
        windows = (Window(**{**fields, "seed": self.seed + i}) for i in range(self.replicas))
        return [
            (i, WorkloadSpec(self.label, source, window)) for i, window in enumerate(windows, 1)
        ]

    def contents(self) -> Iterator[Hashable]:
        """What decides the jobs: equal for two workloads that share a replica."""
        for source in self.sources:
            jobs = source.digest if isinstance(source, TraceFile) else source
            yield (jobs, self.window.without_paths(), bool(self.replicas))


class Machine(NamedTuple):
    """A machine to try each workload on, and its line."""

    spec: MachineSpec
    line: int

    def of(self, workload: Copies) -> MachineSpec:
        """The machine with the size that the workload asks for, unless it has one of its own."""
        own = self.spec.procs is not None or self.spec.cluster is not None
        if own or workload.procs is None:
            return self.spec
        return replace(self.spec, procs=workload.procs)


class Entry(NamedTuple):
    """A policy or an estimate, and its line."""

    choice: Choice
    line: int


@dataclass(frozen=True)
class Grid:
    """Workloads (with replicas), machines, estimates and policies."""

    workloads: Sequence[Copies]
    machines: Sequence[Machine]
    estimates: Sequence[Entry]
    policies: Sequence[Entry]

    @property
    def size(self) -> int:
        copies = sum(len(workload) for workload in self.workloads)
        return copies * len(self.machines) * len(self.estimates) * len(self.policies)

    def check(self, problems: Problems) -> None:
        """Note what is in the grid twice, and a grid that is too large."""
        again = _Repeats(problems)
        for axis, entries in (("estimate", self.estimates), ("policy", self.policies)):
            choices = [(e.choice.label, e.line, e.choice.content) for e in entries]
            again.labels(axis, choices)
            again.contents(f"the same {axis}", choices)
        machines = [(m.spec.label, m.line, m.spec.content) for m in self.machines]
        again.labels("machine", machines)
        again.contents("the same machine", machines)
        again.labels(
            "workload", ((w.label, w.line, (*w.contents(), w.procs)) for w in self.workloads)
        )
        for workload, machine in product(self.workloads, self.machines):
            made_for = any(map(made_for_nodes, workload.sources))
            if made_for and machine.spec.label and machine.spec.cluster is None:
                problems.add(
                    machine.line,
                    f"machine '{short(machine.spec.label)}' has processors only, but the jobs of "
                    f"'{short(workload.label)}' are made for nodes. Give a cluster instead, or make the jobs "
                    "with generate = { jobs = ..., procs = ... }.",
                )
        replays = (
            (w.label, w.line, (content, spec.content))
            for w in self.workloads
            for spec in (machine.of(w) for machine in self.machines)
            for content in w.contents()
        )
        again.contents("the same jobs on the same machine", replays)
        if self.size > MOST_SCENARIOS:
            problems.add(
                1,
                f"the study has {self.size:,} scenarios: {self._axes()}. {MOST_SCENARIOS:,} is the "
                "most. Shorten an axis, or split the study.",
            )

    def _axes(self) -> str:
        copies = sum(len(workload) for workload in self.workloads)
        counts = {
            "workloads": len(self.workloads),
            "machines": len(self.machines),
            "estimates": len(self.estimates),
            "policies": len(self.policies),
        }
        text = ", ".join(f"{count:,} {axis}" for axis, count in counts.items())
        return f"{text}; {copies:,} workloads when replicas are counted"

    def scenarios(self) -> tuple[Scenario, ...]:
        """All of them, by workload, machine, estimate, policy and replica. They share their parts."""
        estimates = [entry.choice for entry in self.estimates]
        policies = [entry.choice for entry in self.policies]
        found = []
        for copies in self.workloads:
            specs = copies.specs()
            for machine in (machine.of(copies) for machine in self.machines):
                found += [
                    Scenario(spec, machine, policy, estimate, replica)
                    for estimate in estimates
                    for policy in policies
                    for replica, spec in specs
                ]
        return tuple(found)


class _Repeats:
    """Notes labels and contents that come twice, each pair once, with both lines."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.told: set[tuple[int, int, str]] = set()

    def labels(self, axis: str, rows: Iterable[Row]) -> None:
        seen: dict[str, tuple[int, Hashable]] = {}
        for label, line, content in rows:
            if label not in seen:
                seen[label] = (line, content)
                continue
            first, other = seen[label]
            remedy = "Remove one." if content == other else _relabel(axis)
            where = f", first at line {first}" if self.problems.file else ""
            text = f"{axis} '{short(label)}' is there twice{where}. {remedy}"
            self._tell(first, line, label, text)

    def contents(self, what: str, rows: Iterable[Row]) -> None:
        seen: dict[Hashable, tuple[str, int]] = {}
        for label, line, content in rows:
            other, first = seen.setdefault(content, (label, line))
            if other != label:
                where = f" (at line {first})" if self.problems.file else ""
                text = f"'{short(other)}'{where} and '{short(label)}' are {what}. Remove one."
                self._tell(first, line, label, text)

    def _tell(self, first: int, line: int, label: str, text: str) -> None:
        if (first, line, label) not in self.told:
            self.told.add((first, line, label))
            self.problems.add(line, text)


def _relabel(axis: str) -> str:
    if axis == "estimate":
        return "Remove one."
    return f"Give one another label, in its [[{axis}]]."
