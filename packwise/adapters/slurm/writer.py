"""The writer: what is sent to Slurm, as data first.

There is no command here that holds a job, cancels one or drains a node. Ids and names are checked before they
become arguments, and nothing goes through a shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from packwise.adapters.slurm.commands import Answer, Command, Runner, Unreachable, is_silence, run
from packwise.adapters.slurm.queue_text import valid_id
from packwise.model.errors import InputError, shortened

#: Jobs in one command, where all get the same.
_TOGETHER = 500
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
#: Of a system, not of a site's taste: svc.packwise, 4711-batch.
_ACCOUNT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
#: Of a job that is gone meanwhile, or has started: nothing to worry about.
_GONE = ("invalid job id", "job/step already completing", "no longer pending", "already running")
_FLAGS = "IGNORE_JOBS,NO_HOLD_JOBS_AFTER,FLEX"


class Sent(NamedTuple):
    """A command and what came of it. ``problems``: lines that say no, without those of jobs that are gone."""

    command: Command
    answer: Answer | None
    problems: tuple[str, ...]


def site_factors(values: Mapping[int, int]) -> list[Command]:
    """Set the site factor of each job, by raw id: one program for all."""
    if not values:
        return []
    lines = [f"update jobid={_raw(raw)} SiteFactor={int(value)}" for raw, value in values.items()]
    return [Command(("scontrol",), "\n".join([*lines, "quit", ""]))]


def forget_site_factors(raw_ids: Iterable[int]) -> list[Command]:
    """Give the site factors of these jobs back."""
    ids = [_raw(raw) for raw in raw_ids]
    return [
        Command(("scontrol", "update", f"jobid={','.join(ids[k : k + _TOGETHER])}", "SiteFactor=0"))
        for k in range(0, len(ids), _TOGETHER)
    ]


def create_reservation(name: str, nodes: Sequence[str], seconds: int, kept_out: str) -> Command:
    """Keep nodes for those that are let in, for so long from now on and no longer."""
    return Command(
        (
            *("scontrol", "create", "reservation", f"ReservationName={_name(name)}"),
            f"Nodes={','.join(_host(node) for node in nodes)}",
            "StartTime=now",
            f"EndTime={_from_now(seconds)}",
            f"Users=-{_account(kept_out)}",
            f"Flags={_FLAGS}",
        )
    )


def renew_reservation(name: str, seconds: int) -> Command:
    """Keep them for so long from now on; to give them back, for a moment only."""
    return Command(
        ("scontrol", "update", f"ReservationName={_name(name)}", f"EndTime={_from_now(seconds)}")
    )


def let_in(jobs: Mapping[str, Sequence[str]], reservation: str) -> list[Command]:
    """Let jobs into a reservation, by id; each onto its nodes, if there are any."""
    lines = []
    for id, nodes in jobs.items():
        where = f" ReqNodeList={','.join(_host(node) for node in nodes)}" if nodes else ""
        lines.append(f"update jobid={_id(id)} ReservationName={_name(reservation)}{where}")
    return [Command(("scontrol",), "\n".join([*lines, "quit", ""]))] if lines else []


def turn_out(jobs: Mapping[str, bool]) -> list[Command]:
    """Take jobs out of a reservation again, by id; and their nodes from those that were given any."""
    lines = [
        f"update jobid={_id(id)} ReservationName={' ReqNodeList=' if pinned else ''}"
        for id, pinned in jobs.items()
    ]
    return [Command(("scontrol",), "\n".join([*lines, "quit", ""]))] if lines else []


class SlurmWriter:
    """Sends commands; with ``dry_run``, to nobody."""

    def __init__(self, ask: Runner = run, dry_run: bool = False) -> None:
        self._ask = ask
        self.dry_run = dry_run

    def send(self, commands: Iterable[Command]) -> list[Sent]:
        """Send them in turn. Unreachable if nobody answers; what Slurm refuses is told by each."""
        found = []
        for command in commands:
            if self.dry_run:
                found.append(Sent(command, None, ()))
                continue
            answer = self._ask(command)
            sent = Sent(command, answer, problems(answer))
            found.append(sent)
            silent = [line for line in sent.problems if is_silence(line)]
            if silent:
                raise Unreachable(f"scontrol: {shortened(silent[0])}")
        return found


def problems(answer: Answer) -> tuple[str, ...]:
    """What an answer says no to, line by line. Not that of jobs that have gone or started meanwhile."""
    # Fed by standard input, scontrol goes on after a line that was refused.
    said = [line.strip() for line in answer.err.splitlines() if line.strip()]
    if answer.code and not said:
        said = [answer.out.strip() or f"scontrol failed ({answer.code}) and does not say why"]
    return tuple(line for line in said if not any(gone in line.lower() for gone in _GONE))


def _raw(number: int) -> str:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 2**32:
        raise InputError(f"expected the number of a job, found {number!r}.")
    return str(number)


def _id(text: str) -> str:
    if not valid_id(text):
        raise InputError(f"expected the id of a job, such as 1234 or 1234_7, found {text!r}.")
    return text


def _from_now(seconds: int) -> str:
    """Not a time of the clock: that would be ambiguous in the night in which clocks are put back."""
    return f"now+{max(int(seconds), 1)}"


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise InputError(
            f"expected a name of letters, digits, _ and -, 31 at most, found '{shortened(text)}'."
        )
    return text


def _account(text: str) -> str:
    if not _ACCOUNT.fullmatch(text):
        raise InputError(f"expected the name of an account, found '{shortened(text)}'.")
    return text


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise InputError(f"expected the name of a node, found '{shortened(text)}'.")
    return text
