"""A small real Slurm without accounting: up in a second, and its controller can be killed and started again.

Needs the packages slurmctld, slurmd, slurm-client and munge. As root, jobs of any user run; as another user,
that user's. Everything listens on loopback only, and only processes that were started here are ended.
"""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.real_slurm.machine import (
    PATH,
    Processes,
    environment,
    free_ports,
    named,
    on_loopback,
    start_munge,
    told,
    wait_until,
)

PROGRAMS = ("slurmctld", "slurmd", "munged", "squeue", "scontrol", "sbatch", "sprio", "sdiag")
#: A scheduler that looks often, so that nobody waits for it.
QUICK = (
    "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1,"
    "bf_continue,default_queue_depth=1000,bf_max_job_test=1000\n"
)


def missing(programs: Sequence[str] = PROGRAMS) -> list[str]:
    """The programs that are not there."""
    return [name for name in programs if shutil.which(name, path=PATH) is None]


class Job(NamedTuple):
    """A job as squeue shows it, ended ones too; -1 for a start that is not known."""

    id: str
    state: str
    reason: str
    start: int
    nodes: str
    priority: int
    reservation: str
    submit: int
    end: int


class SmallSlurm:
    """``nodes`` of ``cores`` each in partition batch; ``site``: further lines of slurm.conf; ``munge``: the
    socket of a munged that runs already.
    """

    def __init__(
        self,
        work: Path,
        nodes: int = 16,
        cores: int = 4,
        site: str = QUICK,
        munge: Path | None = None,
    ) -> None:
        self._work = work
        self._processes = Processes()
        self.hosts = tuple(f"n{k:03d}" for k in range(1, nodes + 1))
        for part in ("etc", "state", "spool", "log", "pid"):
            (work / part).mkdir(parents=True, exist_ok=True)
        self.conf = work / "etc/slurm.conf"
        user = getpass.getuser()
        try:
            self._start(work, nodes, cores, site, user, munge)
        except BaseException:
            self._processes.end()
            raise

    def _start(
        self, work: Path, nodes: int, cores: int, site: str, user: str, munge: Path | None
    ) -> None:
        port = free_ports(nodes + 1)
        self.conf.write_text(
            named("small", munge or start_munge(work, self._processes))
            + on_loopback(work, port, user)
            + "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSchedulerType=sched/backfill\n"
            + ("" if "PriorityType" in site else "PriorityType=priority/multifactor\n")
            + site
            + f"NodeName=n[001-{nodes:03d}] NodeHostname=localhost NodeAddr=127.0.0.1 "
            f"Port=[{port + 1}-{port + nodes}] CPUs={cores} Boards=1 SocketsPerBoard=1 "
            f"CoresPerSocket={cores} ThreadsPerCore=1 RealMemory=64000\n"
            + (
                ""
                if "PartitionName" in site
                else "PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
            )
        )
        (work / "etc/cgroup.conf").write_text(_cgroup())
        self.environment = environment(self.conf)
        self.controller = self._start_controller("-c")
        for host in self.hosts:
            self._processes.start("slurmd", "-D", "-N", host, "-f", self.conf)
        self.wait("its nodes", self.all_idle)

    def _start_controller(self, *options: str) -> subprocess.Popen[bytes]:
        return self._processes.start("slurmctld", "-D", *options, "-f", self.conf)

    def kill_controller(self) -> None:
        """Without warning, but not before it has written down who runs. What it has not, it forgets in a
        crash, and then it drains nodes (Duplicate jobid) and holds jobs (launch failed), whoever let them
        start.
        """
        while True:
            before, moment = self._states(), time.time()
            self.told("scancel", self.submit("-H", "-N1"))  # something to write down
            self.wait("its state on disk", lambda moment=moment: self.saved_since(moment))
            after = self._states()
            if all(after.get(id) == state for id, state in before.items()):
                break
        self.controller.kill()
        self.controller.wait()

    def _states(self) -> dict[str, str]:
        return {job.id: job.state for job in self.jobs().values()}

    def start_controller(self) -> None:
        """It goes on with the state that it has saved."""
        self.controller = self._start_controller()
        self.wait("the controller", lambda: self.answers("scontrol", "ping"))

    def saved_since(self, moment: float) -> bool:
        """Whether the controller has written its jobs to disk since then: it does so every few seconds, and
        forgets in a crash what it has not.
        """
        path = self._work / "state/job_state"
        return path.exists() and path.stat().st_mtime > moment

    def told(self, *command: str) -> str:
        """What a program prints; it has to succeed."""
        return told(*command, conf=self.conf)

    def answers(self, *command: str) -> str:
        """What a program prints; nothing if it fails."""
        told_as = {**self.environment, "SLURM_TIME_FORMAT": "%s"}
        done = subprocess.run(command, capture_output=True, text=True, env=told_as, check=False)
        return "" if done.returncode or "is DOWN" in done.stdout else done.stdout

    def wait(self, what: str, ready: object, seconds: float = 120) -> None:
        """Wait until something is true."""
        assert callable(ready)
        try:
            wait_until(what, ready, seconds)
        except SystemExit as error:
            queue = self.answers("squeue", "-a", "-t", "all", "-o", "%i %T %r %V %S %N %v %n %Q")
            told = self.answers("sinfo", "-N", "-o", "%N %T %E")
            raise SystemExit(f"{error}\n{queue}\n{told}") from None

    def all_idle(self) -> bool:
        """Whether all nodes are there and nothing runs on them."""
        lines = self.answers("sinfo", "-h", "-N", "-o", "%T").split()
        return len(lines) >= len(self.hosts) and set(lines) == {"idle"}

    def submit(self, *options: str, seconds: float = 1, minutes: int = 1) -> str:
        """A job that sleeps. Returns its id."""
        said = self.told(
            *("sbatch", "--parsable", "-D", "/", "-o", "/dev/null", "-t", str(minutes), *options),
            f"--wrap=exec sleep {seconds}",
        )
        return said.strip().split(";")[0]

    def jobs(self) -> dict[str, Job]:
        """All jobs that the controller knows, by id."""
        text = self.answers(
            "squeue", "-h", "-a", "-r", "-t", "all",
            "-o", "%i|%T|%r|%S|%N|%Q|%v|%V|%e",
        )  # fmt: skip
        found = {}
        for line in text.splitlines():
            cells = line.split("|")
            if len(cells) == 9:
                numbers = [int(cells[k]) if cells[k].isdigit() else -1 for k in (3, 5, 7, 8)]
                found[cells[0]] = Job(
                    *cells[:3], numbers[0], cells[4], numbers[1], cells[6], numbers[2], numbers[3]
                )
        return found

    def ended(self) -> bool:
        """Whether nobody waits or runs."""
        states = {job.state for job in self.jobs().values()}
        return not states & {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING"}

    def packwise(self, *arguments: str, folder: Path | None = None) -> subprocess.Popen[bytes]:
        """Packwise beside it, its output in a file of ``folder``."""
        log = (folder or self._work) / "packwise.log"
        with log.open("ab") as file:
            return subprocess.Popen(
                [sys.executable, "-m", "packwise", "slurm", *arguments],
                stdout=file,
                stderr=subprocess.STDOUT,
                env=self.environment,
            )

    def clear(self) -> None:
        """No jobs, no reservations, all nodes up and idle."""
        subprocess.run(
            ["scancel", "-u", getpass.getuser()],
            env=self.environment,
            check=False,
            capture_output=True,
        )
        if os.geteuid() == 0:
            for state in ("PD", "R"):
                subprocess.run(
                    ["scancel", "-t", state], env=self.environment, check=False, capture_output=True
                )
        self.wait("the end of its jobs", self.ended)
        for line in self.answers("scontrol", "-o", "show", "reservation").splitlines():
            name = line.partition("ReservationName=")[2].split(" ")[0]
            if name:
                self.answers("scontrol", "delete", f"ReservationName={name}")
        self.answers("scontrol", "update", f"NodeName={','.join(self.hosts)}", "State=RESUME")
        self.wait("its nodes", self.all_idle)

    def end(self) -> None:
        """End everything that was started."""
        self._processes.end()


def _cgroup() -> str:
    version = told("slurmctld", "-V").split()[-1]
    return "" if version.startswith(("20.", "21.", "22.")) else "CgroupPlugin=disabled\n"
