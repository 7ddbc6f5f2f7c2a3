"""A real Slurm on one machine: many small nodes on loopback, with its accounting, no systemd and no cgroups.

Needs root (in a container) and the packages slurmctld, slurmd, slurm-client, munge, slurmdbd,
slurm-wlm-mysql-plugin and mariadb-server. Only processes that it has started are ended again.
"""

from __future__ import annotations

import os
import socket as sockets
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

#: Daemons are there, which are not in everybody's PATH.
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


class Processes:
    """What has been started, to be ended in the opposite order."""

    def __init__(self) -> None:
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *command: str | Path, conf: Path | None = None) -> subprocess.Popen[bytes]:
        """A process that stays in the foreground."""
        process = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(conf),
            start_new_session=True,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """Ask all to end, the last first; kill those that do not."""
        for process in reversed(self._started):
            process.terminate()
        for process in reversed(self._started):
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._started.clear()


def environment(conf: Path | None = None) -> dict[str, str]:
    """Of programs that belong to the cluster of a slurm.conf."""
    return {**os.environ, "PATH": PATH, **({} if conf is None else {"SLURM_CONF": str(conf)})}


def asked(*command: str, conf: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command that may fail."""
    return subprocess.run(
        command, capture_output=True, text=True, env=environment(conf), check=False
    )


def told(*command: str, conf: Path | None = None) -> str:
    """What a command prints; it has to succeed."""
    done = asked(*command, conf=conf)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def wait_until(what: str, ready: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something is true; it has to become so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if ready():
            return
        time.sleep(0.2)
    raise SystemExit(f"{what} did not get ready within {seconds:.0f} s")


def free_ports(count: int) -> int:
    """The first of so many ports in a row that nobody uses."""
    begin = 20000 + (os.getpid() * 131 + int(time.monotonic() * 1000)) % 20000
    for base in [*range(begin, 45000, count), *range(20000, begin, count)]:
        if all(_is_free(port) for port in range(base, base + count)):
            return base
    raise SystemExit("there are no free ports")


def _is_free(port: int) -> bool:
    with sockets.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def start_munge(work: Path, processes: Processes) -> Path:
    """munged with a key of its own. Gives its socket."""
    (work / "munge").mkdir(parents=True, exist_ok=True)
    os.chmod(work, 0o755)
    os.chmod(work / "munge", 0o711)
    key, socket = work / "munge/key", work / "munge/sock"
    key.unlink(missing_ok=True)
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    for leaf in ("pid", "seed", "log"):
        (work / "munge" / leaf).unlink(missing_ok=True)
    processes.start(
        *("munged", "--foreground", f"--key-file={key}", f"--socket={socket}"),
        *(f"--{leaf}-file={work / 'munge' / leaf}" for leaf in ("pid", "seed", "log")),
    )
    wait_until("munged", socket.exists)
    return socket


@contextmanager
def accounting(work: Path) -> Iterator[Path]:
    """munged, a database and slurmdbd. Gives the socket of munged."""
    processes = Processes()
    database_port = free_ports(2)
    dbd_port = database_port + 1
    for part in ("etc", "db"):
        (work / part).mkdir(parents=True, exist_ok=True)
    try:
        socket = start_munge(work, processes)
        database = work / "db"
        sql = database / "sock"
        told(
            *("mariadb-install-db", "--no-defaults", f"--datadir={database}/data"),
            *("--auth-root-authentication-method=normal", "--skip-test-db", "--user=root"),
        )
        processes.start(
            *("mariadbd", "--no-defaults", "--user=root", f"--datadir={database}/data"),
            *(f"--socket={sql}", f"--port={database_port}", "--bind-address=127.0.0.1"),
            *("--innodb-lock-wait-timeout=900", f"--pid-file={database}/pid"),
        )
        client = ("mariadb", "--no-defaults", f"--socket={sql}", "-e")
        wait_until("mariadbd", lambda: not asked(*client, "select 1").returncode)
        told(
            *client,
            "create database if not exists slurm_acct_db; "
            "create user if not exists 'slurm'@'127.0.0.1' identified by 'slurm'; "
            "create user if not exists 'slurm'@'localhost' identified by 'slurm'; "
            "grant all on slurm_acct_db.* to 'slurm'@'127.0.0.1'; "
            "grant all on slurm_acct_db.* to 'slurm'@'localhost';",
        )
        conf = work / "etc/slurmdbd.conf"
        conf.write_text(
            f"AuthType=auth/munge\nAuthInfo=socket={socket}\nDbdHost=localhost\nDbdAddr=127.0.0.1\n"
            f"DbdPort={dbd_port}\nSlurmUser=root\nLogFile={work}/dbd.log\nPidFile={work}/dbd.pid\n"
            "StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\n"
            f"StoragePort={database_port}\nStorageUser=slurm\nStoragePass=slurm\n"
            "StorageLoc=slurm_acct_db\nCommunicationParameters=NoInAddrAny\n"
        )
        conf.chmod(0o600)
        accounting_lines(work).write_text(
            "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=localhost\n"
            f"AccountingStoragePort={dbd_port}\nAccountingStoragePass={socket}\n"
        )
        none = work / "etc/slurm.conf"
        none.write_text(named("none", socket) + f"Include {accounting_lines(work)}\n")
        processes.start("slurmdbd", "-D", conf=none)
        wait_until(
            "slurmdbd", lambda: not asked("sacctmgr", "-n", "show", "cluster", conf=none).returncode
        )
        yield socket
    finally:
        processes.end()


def accounting_lines(work: Path) -> Path:
    """A file with what a slurm.conf has to say of that accounting, to be included."""
    return work / "etc/accounting.conf"


def named(name: str, socket: Path) -> str:
    """The first lines of a slurm.conf: what the cluster is called, and whom it trusts."""
    return (
        f"ClusterName={name}\nSlurmctldHost=localhost(127.0.0.1)\nAuthType=auth/munge\n"
        f"AuthInfo=socket={socket}\n"
    )


def on_loopback(here: Path, port: int, user: str) -> str:
    """The lines of slurm.conf that every cluster on one machine needs."""
    return (
        f"SlurmctldPort={port}\nCommunicationParameters=NoCtldInAddrAny,NoInAddrAny\n"
        f"SlurmUser={user}\nSlurmdUser={user}\nStateSaveLocation={here}/state\n"
        f"SlurmdSpoolDir={here}/spool/%n\nSlurmctldPidFile={here}/pid/slurmctld\n"
        f"SlurmdPidFile={here}/pid/%n\nSlurmctldLogFile={here}/log/slurmctld.log\n"
        f"SlurmdLogFile={here}/log/%n.log\nSlurmdParameters=config_overrides\n"
        "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
        "JobAcctGatherType=jobacct_gather/none\nMpiDefault=none\nPropagateResourceLimits=NONE\n"
        "ReturnToService=2\nKillWait=1\n"
    )


@contextmanager
def cluster(
    work: Path, socket: Path, name: str, site: str, hosts: Sequence[str], port: int
) -> Iterator[Path]:
    """A cluster whose slurm.conf has the lines ``site`` besides those that are needed here. Gives the file."""
    processes = Processes()
    here = work / name
    for part in ("etc", "state", "spool", "log", "pid"):
        (here / part).mkdir(parents=True, exist_ok=True)
    conf = here / "etc/slurm.conf"
    conf.write_text(
        named(name, socket)
        + f"Include {accounting_lines(work)}\n"
        + on_loopback(here, port, "root")
        + site
    )
    try:
        told("sacctmgr", "-i", "add", "cluster", name, conf=conf)
        processes.start("slurmctld", "-D", "-c", "-f", conf)
        for host in hosts:
            processes.start("slurmd", "-D", "-N", host, "-f", conf)

        def idle() -> bool:
            done = asked("sinfo", "-h", "-N", "-o", "%N %T", conf=conf)
            states = dict(line.split() for line in done.stdout.splitlines())
            return sum(state == "idle" for state in states.values()) == len(hosts)

        wait_until(f"the nodes of {name}", idle)
        yield conf
    finally:
        processes.end()
