"""A real Slurm with accounting, on which programs run as accounts of the system that are not root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.real_slurm.machine import PATH, accounting, accounting_lines, told
from benchmarks.real_slurm.small import PROGRAMS, QUICK, SmallSlurm

NEEDED = (
    *PROGRAMS,
    *("slurmdbd", "sacctmgr", "sacct", "mariadbd", "mariadb", "mariadb-install-db", "setpriv"),
)
PACKAGES = (
    "slurmctld slurmd slurm-client munge slurmdbd slurm-wlm-mysql-plugin mariadb-server-core "
    "mariadb-client-core"
)
#: Packwise runs as the first; the others are users.
OPERATOR, USERS = "games", ("daemon", "mail")
_CODE = Path(__file__).resolve().parents[2]
_READS = "+dac_read_search"
#: With no right but the account's own; or it may also read what is closed to it, as a Python in root's home is.
#: To Slurm that is the same: it asks munge who somebody is.
_WAYS = ((), (f"--inh-caps={_READS}", f"--ambient-caps={_READS}"))


class Account:
    """An account of the system, with a home of its own. ``way``: see ``way_to_run``."""

    def __init__(self, name: str, homes: Path, conf: Path, way: tuple[str, ...]) -> None:
        self.home = homes / name
        self._become = _become(name, way)
        self._environment = {
            **_plain_environment(),
            "SLURM_CONF": str(conf),
            "HOME": str(self.home),
        }
        self.home.mkdir(parents=True)
        shutil.chown(self.home, name, pwd.getpwnam(name).pw_gid)

    def run(self, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """What comes of a program."""
        return subprocess.run(
            [*self._become, *command],
            input=stdin,
            capture_output=True,
            text=True,
            env=self._environment,
            cwd="/",
            check=False,
        )

    def packwise(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What comes of ``packwise slurm``."""
        return self.run(*packwise(*arguments))

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """``packwise slurm`` that goes on, its output in a file at home."""
        with (self.home / "packwise.log").open("ab") as file:
            return subprocess.Popen(
                [*self._become, *packwise(*arguments)],
                stdout=file,
                stderr=subprocess.STDOUT,
                env=self._environment,
                cwd="/",
            )


class AccountedSlurm(SmallSlurm):
    """8 nodes, an operator and users."""

    def __init__(self, work: Path, site: str, munge: Path, way: tuple[str, ...]) -> None:
        super().__init__(work, nodes=8, site=QUICK + site, munge=munge)
        self.operator, *users = (
            Account(name, work / "home", self.conf, way) for name in (OPERATOR, *USERS)
        )
        self.users = dict(zip(USERS, users, strict=True))


@contextmanager
def accounted_slurm(work: Path, way: tuple[str, ...]) -> Iterator[AccountedSlurm]:
    """That machine, with associations enforced."""
    with accounting(work) as munge:

        def add(*words: str) -> None:
            told("sacctmgr", "-i", "add", *words, conf=work / "etc/slurm.conf")

        add("cluster", "small")
        add("account", "physics", "cluster=small")
        for user in USERS:
            add("user", user, "account=physics")
        add("user", OPERATOR, "account=root", "adminlevel=Operator")
        machine = AccountedSlurm(
            work / "small",
            f"AccountingStorageEnforce=associations\nInclude {accounting_lines(work)}\n",
            munge,
            way,
        )
        try:
            yield machine
        finally:
            machine.end()


def way_to_run() -> tuple[str, ...] | None:
    """How other accounts than root can run this Python; None if they cannot."""
    for way in _WAYS if os.geteuid() == 0 else ():
        done = subprocess.run(
            [*_become(OPERATOR, way), sys.executable, "-c", "import packwise.cli, numba"],
            capture_output=True,
            env=_plain_environment(),
            cwd="/",
            check=False,
        )
        if done.returncode == 0:
            return way
    return None


def packwise(*arguments: str) -> tuple[str, ...]:
    """The words of a command of ``packwise slurm``."""
    return (sys.executable, "-m", "packwise", "slurm", *arguments)


def _become(name: str, way: tuple[str, ...]) -> tuple[str, ...]:
    """The words before those of a program. setpriv gives up the rights of root as it starts ``env``, so what
    comes next is looked for without them.
    """
    group = pwd.getpwnam(name).pw_gid
    return ("setpriv", f"--reuid={name}", f"--regid={group}", "--clear-groups", *way, "env")


def _plain_environment() -> dict[str, str]:
    """Nothing of ours but the code: no name of root's, either."""
    return {"PATH": PATH, "PYTHONPATH": str(_CODE), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
