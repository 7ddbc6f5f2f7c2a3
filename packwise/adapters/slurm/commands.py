"""Slurm's programs: a command is data, and runs without a shell, with a time-out."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

from packwise.model.errors import PackwiseError, shortened

#: Of programs that read or write.
TIMEOUT = 30.0
#: Variables with which people change what Slurm's programs show them.
_HABITS = ("SQUEUE_", "SPRIO_", "SINFO_", "SACCT_", "SCONTROL_")
#: What a controller that does not answer is called, in the messages of Slurm's programs.
_SILENT = (
    "unable to contact slurm controller",
    "connection refused",
    "connect failure",
    "timed out",
    "zero bytes were transmitted",
    "communication connection failure",
    "communication shutdown failure",
    "message receive failure",
    "in standby mode",
)
#: The same, of a host that is in no cluster.
_NO_SITE = (
    "resolve_ctls_from_dns_srv",
    "fetch_config",
    "could not establish a configuration source",
)


class SlurmError(PackwiseError):
    """A program of Slurm that is missing, does not answer or says no."""


class Unreachable(SlurmError):
    """The controller does not answer: it may be back in a moment."""


class Command(NamedTuple):
    """A program with its arguments, and what it is told on its standard input."""

    argv: tuple[str, ...]
    stdin: str = ""

    def line(self) -> str:
        """In one line, for a journal."""
        lines = [line for line in self.stdin.splitlines() if line != "quit"]
        return shlex.join(self.argv) + (f": {'; '.join(lines)}" if lines else "")

    def words(self) -> str:
        """As somebody would type it, for people: it is never run like that."""
        line = shlex.join(self.argv)
        if not self.stdin:
            return line
        return "\n".join([f"{line} <<'END'", *self.stdin.splitlines(), "END"])


class Answer(NamedTuple):
    """What a program printed, and how long it took."""

    code: int
    out: str
    err: str
    seconds: float


Runner = Callable[[Command], Answer]


def run(command: Command, timeout: float = TIMEOUT) -> Answer:
    """Run a program. SlurmError if it is missing; Unreachable if it takes too long."""
    environment = {key: text for key, text in os.environ.items() if not key.startswith(_HABITS)}
    # Times as seconds since 1970, whatever the zone; lists of tasks in full.
    environment |= {"SLURM_TIME_FORMAT": "%s", "SLURM_BITSTR_LEN": "0", "LC_ALL": "C.UTF-8"}
    conf = os.environ.get("SLURM_CONF", "")
    if conf and not os.path.isfile(conf):  # Slurm's programs would try for half a minute
        raise SlurmError(f"SLURM_CONF names {conf}, and there is no such file.")
    begin = time.monotonic()
    try:
        done = subprocess.run(
            command.argv,
            input=command.stdin.encode() if command.stdin else b"",
            capture_output=True,
            timeout=timeout,
            env=environment,
            check=False,
            start_new_session=True,  # Ctrl-C is for us, not for what gives everything back
        )
    except FileNotFoundError:
        raise SlurmError(
            f"the program '{command.argv[0]}' was not found. Packwise asks Slurm by its own programs: run it "
            "where squeue and scontrol work, and see to it that they are in the PATH."
        ) from None
    except subprocess.TimeoutExpired:
        raise Unreachable(
            f"{command.argv[0]} did not answer within {timeout:.0f} s: the controller is busy or down."
        ) from None
    except OSError as error:
        raise SlurmError(f"{command.argv[0]} could not be run ({error.strerror}).") from None
    seconds = time.monotonic() - begin
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return Answer(done.returncode, out, err, seconds)


def is_silence(said: str) -> bool:
    """Whether a message says that the controller does not answer."""
    return any(words in said.lower() for words in _SILENT)


def checked(answer: Answer, command: Command) -> Answer:
    """The answer, if the program has succeeded; else SlurmError, or Unreachable if nobody answered it."""
    if answer.code == 0:
        return answer
    said = " ".join(answer.err.split()) or " ".join(answer.out.split())
    message = (
        f"{command.argv[0]} failed ({answer.code}): {shortened(said) or 'it does not say why'}."
    )
    if any(words in said.lower() for words in _NO_SITE):
        raise SlurmError(
            "Slurm's programs find no slurm.conf here. Run this on a host of the cluster, or name the file: "
            "export SLURM_CONF=/etc/slurm/slurm.conf"
        )
    if is_silence(said):
        raise Unreachable(f"{message} Is slurmctld running?")
    raise SlurmError(message)
