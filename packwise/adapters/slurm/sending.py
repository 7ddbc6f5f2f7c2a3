"""Sending: a command, and what Slurm says no to. Only the writer sends, and what gives back what an earlier
version has left.
"""

from __future__ import annotations

from typing import NamedTuple

from packwise.adapters.slurm.commands import Answer, Command, Runner, Unreachable, is_silence
from packwise.model.errors import shortened

#: Of a job that is gone meanwhile, or has started: nothing to worry about.
_GONE = ("invalid job id", "job/step already completing", "no longer pending", "already running")


class Sent(NamedTuple):
    """A command and what came of it. ``problems``: lines that say no, without those of jobs that are gone."""

    command: Command
    answer: Answer | None
    problems: tuple[str, ...]


def told_slurm(lines: list[str]) -> Command:
    """One program for all lines. It goes on after one that is refused."""
    return Command(("scontrol",), "\n".join([*lines, "quit", ""]))


def send(command: Command, ask: Runner, dry_run: bool) -> Sent:
    """Send it; with ``dry_run``, to nobody. Unreachable if nobody answers; what Slurm refuses is told."""
    if dry_run:
        return Sent(command, None, ())
    answer = ask(command)
    sent = Sent(command, answer, problems(answer))
    silent = [line for line in sent.problems if is_silence(line)]
    if silent:
        raise Unreachable(f"scontrol: {shortened(silent[0])}")
    return sent


def problems(answer: Answer) -> tuple[str, ...]:
    """What an answer says no to, line by line. Not that of jobs that have gone or started meanwhile."""
    said = [line.strip() for line in answer.err.splitlines() if line.strip()]
    if answer.code and not said:
        said = [answer.out.strip() or f"scontrol failed ({answer.code}) and does not say why"]
    return tuple(line for line in said if not any(gone in line.lower() for gone in _GONE))
