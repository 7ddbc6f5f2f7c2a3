"""A small Slurm in memory, with a clock of its own: it answers what the adapter asks, and starts jobs.

It is simple where Slurm is not: one partition, jobs start by priority, and who does not fit holds up those
behind it, unless a reservation is what keeps it.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from types import SimpleNamespace

from packwise.adapters.slurm.commands import Answer, Command
from packwise.adapters.slurm.queue_text import SEPARATOR
from packwise.files.hostlists import hosts
from tests.adapters.samples import CELLS, NOW, OF_DRIVE

_SILENT = "error: Unable to contact slurm controller (connect failure)"


@dataclass
class FakeJob:
    id: str
    nodes: int = 1
    cpus: int = 4
    runtime: int = 100
    limit: int = 10
    base: int = 1000
    user: str = "ann"
    name: str = "job"
    submit: int = NOW
    site: int = 0
    state: str = "PENDING"
    reason: str = "Priority"
    required: str = ""
    excluded: str = ""
    reservation: str = ""
    held: list[str] = field(default_factory=list)
    start: int = 0
    record: int = 0
    alone: bool = False
    dependency: str = ""

    @property
    def raw(self) -> int:
        """Tasks of an array share that of the array here; a part of a heterogeneous job counts on."""
        number, _, part = self.id.partition("_")[0].partition("+")
        return self.record or int(number) + int(part or 0)

    @property
    def priority(self) -> int:
        stuck = self.state == "PENDING" and self.reason.startswith("BadConstraints")
        return 0 if stuck else max(self.base + self.site, 1)


class FakeSlurm:
    """``down``: nodes that are; ``silent``: nobody answers; ``refuses``: jobs that cannot be changed;
    ``takes``: seconds for each answer; ``settings``: of slurm.conf; ``flags``: of reservations, else those
    that drive gave.
    """

    def __init__(self, nodes: int = 2, cpus: int = 4) -> None:
        self.now = NOW
        self.nodes = {f"n{k}": cpus for k in range(1, nodes + 1)}
        self.jobs: dict[str, FakeJob] = {}
        self.reservations: dict[str, tuple[list[str], int]] = {}
        self.flags: dict[str, str] = {}
        self.down: set[str] = set()
        self.silent = False
        self.deaf = False
        self.takes = 0
        self.refuses: set[str] = set()
        self.asked: list[Command] = []
        self.started: list[str] = []
        self.before_update = lambda: None
        self.settings = {
            "ClusterName": "toy",
            "SLURM_VERSION": "22.05.8",
            "PriorityType": "priority/multifactor",
            "SchedulerType": "sched/backfill",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CORE",
            "SlurmUser": "slurm(64030)",
            "AccountingStorageType": "accounting_storage/none",
        }

    # What people do.

    def submit(self, *jobs: FakeJob) -> None:
        for job in jobs:
            job.submit = self.now
            self.jobs[job.id] = job

    def cancel(self, id: str) -> None:
        del self.jobs[id]

    def clock(self) -> float:
        return float(self.now)

    # What Slurm does by itself.

    def advance(self, seconds: int) -> None:
        """Time goes by, a second at a time."""
        for _ in range(seconds):
            self.now += 1
            for job in list(self.jobs.values()):
                if job.state == "RUNNING" and self.now >= job.start + job.runtime:
                    del self.jobs[job.id]
            for name, (_, end) in list(self.reservations.items()):
                if self.now >= end:
                    del self.reservations[name]
                    for job in self.jobs.values():
                        if job.reservation == name:
                            job.reservation = ""
            self.schedule()

    def free(self) -> dict[str, int]:
        found = {name: cpus for name, cpus in self.nodes.items() if name not in self.down}
        for job in self.jobs.values():
            for name in job.held:
                if name in found:
                    found[name] -= job.cpus // job.nodes
        return found

    def schedule(self) -> None:
        blocked = False
        for job in sorted(self.waiting(), key=lambda one: (-one.priority, one.raw)):
            if job.reason in ("Dependency", "JobHeldUser", "BadConstraints"):
                continue
            kept = {name for nodes, _ in self.reservations.values() for name in nodes}
            if job.reservation:
                mine = self.reservations.get(job.reservation, ([], 0))[0]
                open_to = set(mine)
            else:
                open_to = set(self.nodes) - kept
            open_to -= set(hosts(job.excluded))
            wanted = hosts(job.required)
            if len(open_to) < job.nodes or not set(wanted) <= open_to:
                job.reason = "ReqNodeNotAvail, Reserved for maintenance"
                continue
            if blocked:
                job.reason = "Priority"
                continue
            each, free = job.cpus // job.nodes, self.free()
            room = [name for name in self.nodes if name in open_to and free.get(name, 0) >= each]
            chosen = [*wanted, *(name for name in room if name not in wanted)][: job.nodes]
            if len(chosen) < job.nodes or not set(chosen) <= set(room):
                job.reason = "Resources"
                blocked = not job.reservation
                continue
            job.state, job.reason, job.held, job.start = "RUNNING", "None", chosen, self.now
            self.started.append(job.id)

    def waiting(self) -> list[FakeJob]:
        return [job for job in self.jobs.values() if job.state == "PENDING"]

    def running(self) -> list[FakeJob]:
        return [job for job in self.jobs.values() if job.state == "RUNNING"]

    # What it answers.

    def ask(self, command: Command) -> Answer:
        self.asked.append(command)
        self.advance(self.takes)
        if self.silent:
            return Answer(1, "", f"slurm_load_jobs {_SILENT}\n", self.takes)
        code, out, err = self._answer(command)
        return Answer(code, out, err, self.takes)

    def as_subprocess(self) -> SimpleNamespace:
        """In place of the module of that name."""

        def run(argv: tuple[str, ...], input: bytes, **_: object) -> SimpleNamespace:
            done = self.ask(Command(tuple(argv), input.decode()))
            return SimpleNamespace(
                returncode=done.code, stdout=done.out.encode(), stderr=done.err.encode()
            )

        return SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired)

    def _answer(self, command: Command) -> tuple[int, str, str]:
        program, *words = command.argv
        if program == "squeue":
            return 0, self._squeue(words), ""
        if program == "sprio":
            lines = [f"{job.raw}|{job.priority}|{job.site}" for job in self.waiting()]
            return 0, "\n".join(lines), ""
        if program == "sdiag":
            return 0, f"sdiag output at some day ({self.now})\nServer thread count: 1\n", ""
        if program == "sacctmgr":
            return 0, "Operator\n", ""
        assert program == "scontrol", command
        if "show" in words:
            return 0, self._shown(words[-1]), ""
        self.before_update()
        if self.deaf:
            return 1, "", f"slurm_update {_SILENT}\n"
        if not words:
            *lines, last = command.stdin.split("\n")[:-1]
            assert last == "quit"
            errors = [self._told(line.split(" ")) for line in lines]
            return 0, "", "".join(f"{error}\n" for error in errors if error)
        error = self._told(words)
        return int(bool(error)), "", error

    def _told(self, words: list[str]) -> str:
        verb, *rest = words
        if verb == "release":
            return self._change(*rest, {"release": ""})
        told = dict(pair.split("=", 1) for pair in rest)
        if verb == "delete":
            name = told["ReservationName"]
            if any(job.reservation == name for job in self.jobs.values()):
                return f"delete_reservation ReservationName={name}: Requested reservation is in use"
            del self.reservations[name]
            return ""
        assert verb == "update"
        return self._change(told.pop("jobid"), told)

    def _change(self, id: str, told: dict[str, str]) -> str:
        by_number = (one for one in self.jobs.values() if str(one.raw) == id)
        job = self.jobs.get(id) or next(by_number, None)
        if job is None:
            return "slurm_update error: Invalid job id specified"
        if job.state != "PENDING":
            return "slurm_update error: Job is no longer pending execution"
        if id in self.refuses:
            return "slurm_update error: Requested node configuration is not available"
        for key, value in told.items():
            if key == "SiteFactor":
                job.site = int(value)
                continue
            assert not value, f"who would send {key}={value}?"
            if key == "ReservationName":
                job.reservation = ""
            elif key == "ReqNodeList":
                job.required = ""
            else:
                assert key == "release"
                job.reason = "Priority"
        return ""

    def _squeue(self, words: list[str]) -> str:
        if "--json" in words:
            return json.dumps({"jobs": [self._as_json(job) for job in self.jobs.values()]})
        form = words[-1]
        if words[1] == "-j":
            assert form == "%E"
            return f"{self.jobs[words[2]].dependency or '(null)'}\n"
        if words[-2] == "-o":
            assert form == f"%i{SEPARATOR}%x"
            return "".join(f"{job.id}{SEPARATOR}{job.excluded}\n" for job in self.waiting())
        assert "-t" not in words, "jobs that are stopped, signalled or held would not be shown"
        fields = [item.split(":", 1) for item in form.split(",")]
        return "".join(
            "".join(self._cells(job)[name] + suffix for name, suffix in fields) + "\n"
            for job in self.jobs.values()
        )

    def _cells(self, job: FakeJob) -> dict[str, str]:
        return {
            **CELLS,
            "JobArrayID": job.id, "JobID": str(job.raw), "State": job.state, "Reason": job.reason,
            "UserName": job.user, "SubmitTime": str(job.submit), "EligibleTime": str(job.submit),
            "StartTime": str(job.start) if job.start else "N/A",
            "TimeLimit": f"{job.limit}:00" if job.limit else "UNLIMITED",
            "OverSubscribe": "NO" if job.alone else "OK",
            "NumNodes": str(job.nodes), "NumCPUs": str(job.cpus),
            "tres-alloc": f"cpu={job.cpus}", "ReqNodes": job.required, "NodeList": ",".join(job.held),
            "PriorityLong": str(job.priority), "Reservation": job.reservation or "(null)",
            "Name": job.name,
        }  # fmt: skip

    def _as_json(self, job: FakeJob) -> dict[str, object]:
        return {
            "job_id": job.raw, "job_state": job.state, "state_reason": job.reason, "user_name": job.user,
            "account": "bio", "partition": "batch", "submit_time": job.submit, "eligible_time": job.submit,
            "start_time": job.start, "time_limit": job.limit, "node_count": job.nodes, "cpus": job.cpus,
            "tasks": job.cpus, "cpus_per_task": 1, "required_nodes": job.required,
            "excluded_nodes": job.excluded, "nodes": ",".join(job.held), "priority": job.priority,
            "resv_name": job.reservation, "qos": "normal", "restart_cnt": 0, "name": job.name,
        }  # fmt: skip

    def _shown(self, what: str) -> str:
        if what == "config":
            return "".join(f"{key} = {value}\n" for key, value in self.settings.items())
        if what == "partition":
            return f"PartitionName=batch MaxTime=UNLIMITED Nodes={','.join(self.nodes)}\n"
        if what == "node":
            free = {**dict.fromkeys(self.nodes, 0), **self.free()}
            return "".join(
                f"NodeName={name} CPUAlloc={0 if name in self.down else cpus - free[name]} CPUTot={cpus} "
                f"RealMemory=8000 State={'DOWN' if name in self.down else 'IDLE'}\n"
                for name, cpus in self.nodes.items()
            )
        assert what == "reservation"
        lines = [
            f"ReservationName={name} StartTime={NOW} EndTime={end} Nodes={','.join(nodes)} "
            f"Flags={self.flags.get(name, OF_DRIVE)} Users=-nobody State=ACTIVE\n"
            for name, (nodes, end) in self.reservations.items()
        ]
        return "".join(lines) or "No reservations in the system\n"
