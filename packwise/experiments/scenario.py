"""The scenario: everything that decides a schedule, as a specification with a content hash.

Same scenario, same schedule; so the hash of the scenario's content is the key of its result. What a
scenario is called (labels, paths) is not part of it: a trace counts by the bytes of its file, a policy
from a user's file by its source, Packwise by its version and its source, and packages that can change
results by their versions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from packwise.experiments.declarations import DRAWING, ENGINE, installed, packages_by_name
from packwise.experiments.provenance import code_digest
from packwise.model.cluster import Cluster
from packwise.model.dispatch_time import DispatchTime, dispatch_time
from packwise.model.energy.scenario import EnergyScenario
from packwise.model.errors import InputError
from packwise.model.placement import DEFAULT_PLACEMENT
from packwise.model.sizing import TOLD
from packwise.model.workload import Workload
from packwise.users_modules import UsersModule, modules_digest
from packwise.workloads.accelerated import generate_accelerated
from packwise.workloads.deadlines import deadline_remarks, parse_rules
from packwise.workloads.lublin import generate
from packwise.workloads.trace import is_table, load_trace
from packwise.workloads.units import with_units
from packwise.workloads.window import Window


@dataclass(frozen=True)
class TraceFile:
    """A log on disk. ``digest`` is the sha256 of its bytes."""

    path: str
    digest: str

    @property
    def is_table(self) -> bool:
        """Whether it is read as a table (CSV, Parquet) and not as SWF: the name decides that."""
        return is_table(Path(self.path))


@dataclass(frozen=True)
class Generated:
    """A synthetic workload: of the Lublin-Feitelson model or, with a ``cluster`` (as ``Cluster.document`` tells
    it), for the nodes of that, with its accelerators.
    """

    jobs: int
    procs: int
    seed: int
    load: float | None = None
    users: int | None = None
    cluster: Mapping[str, Any] | None = field(default=None, hash=False)

    @property
    def nodes(self) -> Cluster | None:
        """The cluster of nodes that the jobs are for, if it is one."""
        return None if self.cluster is None else Cluster.from_document(self.cluster)

    def make(self) -> Workload:
        """The jobs."""
        nodes = self.nodes
        if nodes is None:
            return generate(self.jobs, self.procs, self.seed, load=self.load, users=self.users)
        return generate_accelerated(self.jobs, nodes, self.seed, load=self.load, users=self.users)


@dataclass(frozen=True)
class WorkloadSpec:
    """Where jobs come from, and which of them."""

    label: str
    source: TraceFile | Generated
    window: Window

    @cached_property
    def content(self) -> str:
        """What decides the jobs, as JSON: without label and path."""
        if isinstance(self.source, TraceFile):
            source: dict[str, Any] = {"sha256": self.source.digest, "table": self.source.is_table}
        else:
            source = vars(self.source)
        return _canonical({"source": source, "window": vars(self.window.without_paths())})

    @property
    def is_drawn(self) -> bool:
        """Whether something of the jobs is drawn at random, from a seed."""
        window = self.window
        return (
            isinstance(self.source, Generated) or window.seed is not None or bool(window.deadlines)
        )


@dataclass(frozen=True)
class EnergySpec:
    """What power costs: the scenario, and the digest that it counts by. A store keeps the digest only."""

    name: str
    digest: str
    scenario: EnergyScenario | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class MachineSpec:
    """The machine: ``procs`` processors (None: what the trace says), times ``factor``; or the nodes of a
    ``cluster`` (as ``Cluster.document`` tells them), with a rule of ``placement`` and the cores of a unit where
    the trace tells no units. ``charge_dispatch_time``: what a decision takes there, if not nothing.
    ``energy``: what power costs there, if that is known.
    """

    label: str = ""
    procs: int | None = None
    factor: float = 1.0
    cluster: Mapping[str, Any] | None = field(default=None, hash=False)
    placement: str | None = None
    unit_cores: str = "1"
    charge_dispatch_time: str | None = None
    energy: EnergySpec | None = None

    @cached_property
    def content(self) -> str:
        told: dict[str, Any] = {"procs": self.procs, "factor": self.factor}
        if self.cluster is not None:
            told |= {
                "cluster": self.cluster,
                "placement": self.placement or DEFAULT_PLACEMENT,
                "unit_cores": self.unit_cores,
            }
        if self.charge_dispatch_time is not None:
            told["charge_dispatch_time"] = self.charge_dispatch_time
        if self.energy is not None:
            told["energy"] = self.energy.digest
        return _canonical(told)

    @property
    def charge(self) -> DispatchTime | None:
        """What a decision takes there."""
        text = self.charge_dispatch_time
        return None if text is None else dispatch_time(text)

    @property
    def nodes(self) -> Cluster | None:
        """The cluster of nodes, if it is one."""
        return None if self.cluster is None else Cluster.from_document(self.cluster)

    def size(self, recorded: int) -> int:
        """Processors, given those that the trace speaks of."""
        return max(1, round((self.procs or recorded) * self.factor))


@dataclass(frozen=True)
class Choice:
    """A policy or an estimate by name.

    ``source`` is the text of the user's file for names such as my.py:mine, so that a study runs what
    it was started with, on any machine; ``imports`` are the modules of the user's own that it imports,
    for the same reason, and ``packages`` the installed ones that it names (those of a policy that comes
    with Packwise are known). ``parameters`` are the values that a sweep gave it.
    """

    label: str
    name: str
    source: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    imports: tuple[UsersModule, ...] = ()
    packages: tuple[str, ...] = ()

    @cached_property
    def content(self) -> str:
        digest = None if self.source is None else sha256(self.source.encode()).hexdigest()
        name = self.name if digest is None else self.name.rpartition(":")[2]
        imports = modules_digest(self.imports)
        return _canonical({"name": name, "source": digest, "imports": imports})

    @classmethod
    def from_specification(cls, spec: Mapping[str, Any]) -> Choice:
        """The choice that ``Scenario.specification`` describes."""
        imports = tuple(UsersModule(**module) for module in spec.get("imports", ()))
        packages = tuple(spec.get("packages", ()))
        return cls(**{**spec, "imports": imports, "packages": packages})


class Labels(NamedTuple):
    """How a study calls a scenario; one value for each axis."""

    workload: str
    machine: str
    policy: str
    estimate: str
    replica: int


@dataclass(frozen=True)
class Scenario:
    """One replay to be made. ``replica`` numbers shaken or differently seeded copies of a workload."""

    workload: WorkloadSpec
    machine: MachineSpec
    policy: Choice
    estimate: Choice
    replica: int = 0

    @cached_property
    def key(self) -> str:
        """64 hexadecimal digits: the content of this scenario, and of the code that runs it."""
        content = (self.workload, self.machine, self.policy, self.estimate)
        code = (code_digest(), _canonical(self.packages))
        text = "\n".join([*code, *(part.content for part in content)])
        return sha256(text.encode()).hexdigest()

    @cached_property
    def packages(self) -> dict[str, str]:
        """The packages that can change the result, and their versions here ("": not installed)."""
        names = {*ENGINE, *(DRAWING if self.workload.is_drawn else ())}
        for kind, choice in (("policy", self.policy), ("estimate", self.estimate)):
            own = choice.source is not None
            names |= {*(choice.packages if own else packages_by_name(kind, choice.name))}
        return {name: installed(name) for name in sorted(names)}

    @property
    def labels(self) -> Labels:
        return Labels(
            self.workload.label,
            self.machine.label,
            self.policy.label,
            self.estimate.label,
            self.replica,
        )

    def __str__(self) -> str:
        words = [self.workload.label, self.machine.label, self.policy.label, self.estimate.label]
        replica = f"replica {self.replica}" if self.replica else ""
        return " / ".join(word for word in (*words, replica) if word)

    def specification(self) -> dict[str, Any]:
        """As plain values, for JSON; ``from_specification`` reads it."""
        machine = self.machine
        if machine.energy is not None:  # its series are long, and all that counts is the digest
            machine = replace(machine, energy=replace(machine.energy, scenario=None))
        spec = asdict(replace(self, machine=machine))
        spec["workload"]["source"]["kind"] = (
            "trace" if isinstance(self.workload.source, TraceFile) else "generated"
        )
        return spec

    @classmethod
    def from_specification(cls, spec: Mapping[str, Any]) -> Scenario:
        """The scenario that ``specification`` describes."""
        try:
            source = dict(spec["workload"]["source"])
            kind = {"trace": TraceFile, "generated": Generated}[source.pop("kind")]
            window: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in spec["workload"]["window"].items()
            }
            return cls(
                WorkloadSpec(spec["workload"]["label"], kind(**source), Window(**window)),
                MachineSpec(**_with_energy(spec["machine"])),
                Choice.from_specification(spec["policy"]),
                Choice.from_specification(spec["estimate"]),
                spec["replica"],
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"a scenario's specification cannot be read ({type(error).__name__}: {error})."
            ) from error


def _with_energy(machine: Mapping[str, Any]) -> dict[str, Any]:
    told = machine.get("energy")
    return {**machine, "energy": None if told is None else EnergySpec(**told)}


class Loaded(NamedTuple):
    """Jobs and machine of a scenario. ``counts``: what became of the records of a log, reason by reason."""

    workload: Workload
    cluster: Cluster
    remarks: tuple[str, ...] = ()
    dropped_wide: int = 0
    counts: tuple[tuple[str, int], ...] = ()


def made_for_nodes(source: TraceFile | Generated) -> bool:
    """Whether jobs are made for the nodes of a cluster."""
    return isinstance(source, Generated) and source.cluster is not None


def has_nodes(workload: WorkloadSpec, machine: MachineSpec) -> bool:
    """Whether the jobs run on nodes: the machine's, or those that they were made for."""
    return machine.cluster is not None or made_for_nodes(workload.source)


def load(workload: WorkloadSpec, machine: MachineSpec) -> Loaded:
    """The jobs, cleaned and cut, and the machine."""
    found = _load(workload, machine)
    if machine.energy is None:
        return found
    return found._replace(cluster=replace(found.cluster, energy=machine.energy.scenario))


def _load(workload: WorkloadSpec, machine: MachineSpec) -> Loaded:
    source, window = workload.source, workload.window
    nodes = machine.nodes
    if isinstance(source, Generated):
        nodes = nodes or source.nodes
        size = machine.size(source.procs) if nodes is None else nodes.procs
        jobs = window.apply(source.make(), size)
        told = deadline_remarks(jobs, parse_rules(window.deadlines), size)
        cluster = Cluster.pool(size, workload.label) if nodes is None else nodes
        jobs = with_units(jobs, cluster, machine.unit_cores)
        return Loaded(jobs, cluster, (*told, *window.words()))
    path = Path(source.path)
    if file_digest(path) != source.digest:
        raise InputError(
            f"{path}: the file changed after the study began. Start the study again: it keeps what "
            "is done and runs the rest with the file as it is now."
        )
    procs, own = machine.procs, None
    if machine.factor != 1.0:
        own = load_trace(path, procs, Window()).cluster
        procs = machine.size(own.procs)
    trace = load_trace(path, procs, window, on=nodes, unit_cores=machine.unit_cores)
    sizing = trace.cluster.sizing
    if own is not None:
        sizing = own.sizing
    elif (
        machine.label and procs is not None
    ):  # what would be on another machine: nothing speaks against it
        sizing = TOLD
    remarks = (*trace.remarks(), *window.words())
    counts = () if trace.cleaning is None else tuple(trace.cleaning.rows())
    cluster = replace(trace.cluster, sizing=sizing)
    return Loaded(trace.workload, cluster, remarks, trace.dropped_wide, counts)


def file_digest(path: Path) -> str:
    """sha256 of a file's bytes; an InputError if it cannot be read."""
    from packwise.files.content import file_bytes

    return sha256(file_bytes(path)).hexdigest()


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
