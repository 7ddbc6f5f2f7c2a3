"""The reader: asks Slurm what there is. It has no way to change anything."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable

from packwise.adapters.slurm.commands import Answer, Command, Runner, SlurmError, checked, run
from packwise.adapters.slurm.machine import machine
from packwise.adapters.slurm.queue_json import read_queue_json
from packwise.adapters.slurm.queue_text import SEPARATOR, fields, read_excluded, read_queue
from packwise.adapters.slurm.site_conf import site_conf
from packwise.adapters.slurm.site_text import (
    read_diagnosis,
    read_nodes,
    read_partitions,
    read_reservations,
    read_settings,
)
from packwise.adapters.slurm.snapshot import NOT_TOLD, Diagnosis, QueuedJob, Reservation, Snapshot
from packwise.model.errors import InputError

#: How the queue can be read.
FORMS = ("text", "json")
#: Partitions and settings change seldom: they are read anew after so many seconds.
_SETTINGS_AGE = 300.0


class SlurmReader:
    """Reads by Slurm's own programs: squeue, scontrol show, sprio, sdiag.

    ``form``: text, which costs the controller and us less; or json. ``clock`` is ours, for who tests.
    """

    def __init__(
        self, ask: Runner = run, form: str = "text", clock: Callable[[], float] = time.time
    ) -> None:
        if form not in FORMS:
            raise InputError(f"the queue can be read as {' or '.join(FORMS)}, found '{form}'.")
        self._ask = ask
        self._form = form
        self._clock = clock
        self._settings: dict[str, str] = {}
        self._partitions: list[dict[str, str]] = []
        self._read_at = float("-inf")
        self._excluded: dict[str, str] = {}
        self._known: set[str] = set()

    def _output(self, *argv: str) -> str:
        command = Command(argv)
        return checked(self._ask(command), command).out

    def settings(self) -> dict[str, str]:
        """The settings of slurm.conf as the controller has them, by name in lower case."""
        if time.monotonic() - self._read_at > _SETTINGS_AGE or not self._settings:
            self._settings = read_settings(self._output("scontrol", "show", "config"))
            self._partitions = list(
                read_partitions(self._output("scontrol", "-a", "-o", "show", "partition"))
            )
            self._read_at = time.monotonic()
        return self._settings

    def site(self, snapshot: Snapshot) -> str:
        """What was seen of the site, as a slurm.conf."""
        return site_conf(self._settings, snapshot.nodes.values(), self._partitions)

    def partitions(self) -> list[str]:
        """The names of the partitions."""
        self.settings()
        return [one["partitionname"] for one in self._partitions]

    def snapshot(self) -> Snapshot:
        """Everything, in one go: the clock first and the queue last, the one that changes most."""
        remarks: list[str] = []
        settings = self.settings()
        diagnosis = self.diagnosis()
        ours = int(self._clock())
        nodes = list(read_nodes(self._output("scontrol", "-a", "-o", "show", "node")))
        try:
            cluster = machine(settings, nodes, self._partitions, remarks)
        except InputError as error:  # a controller that starts may show half of it
            raise SlurmError(str(error)) from error
        reservations = tuple(self.reservations())
        jobs = tuple(self.queue(remarks))
        now = diagnosis.now if diagnosis.now > 0 else ours
        by_name = {node.name: node for node in nodes}
        return Snapshot(now, cluster, by_name, jobs, reservations, diagnosis, tuple(remarks))

    def queue(self, remarks: list[str]) -> Iterable[QueuedJob]:
        """The jobs that wait or have nodes."""
        if self._form == "json":
            return list(read_queue_json(self._output("squeue", "-a", "--json"), remarks))
        mark = SEPARATOR + secrets.token_hex(8)
        # Without a list of states: with one, jobs that are stopped, signalled or held are not shown.
        text = self._output("squeue", "-h", "-a", "-r", "--noconvert", "-O", fields(mark))
        jobs = list(read_queue(text, mark, remarks))
        return [job._replace(excluded=told) for job, told in self._with_excluded(jobs)]

    def _with_excluded(self, jobs: list[QueuedJob]) -> Iterable[tuple[QueuedJob, str]]:
        """Which nodes jobs do not want, which -O cannot tell: asked for when a job is new."""
        waiting = {job.id for job in jobs if job.waiting}
        if not waiting <= self._known:
            text = self._output("squeue", "-h", "-a", "-r", "-t", "PD", "-o", f"%i{SEPARATOR}%x")
            self._excluded, self._known = read_excluded(text), waiting
        return ((job, self._excluded.get(job.id, "")) for job in jobs)

    def priorities(self) -> dict[int, tuple[int, int]]:
        """Priority and site factor by raw id, of those that wait; of several partitions the highest."""
        found: dict[int, tuple[int, int]] = {}
        for line in self._output("sprio", "-h", "-o", "%i|%Y|%S").splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            try:
                raw, priority, site = (int(float(cell)) for cell in cells)
            except (ValueError, OverflowError):
                continue
            if raw not in found or priority > found[raw][0]:
                found[raw] = priority, site
        return found

    def reservations(self) -> list[Reservation]:
        """The reservations that there are."""
        answer = self._ask(Command(("scontrol", "-a", "-o", "show", "reservation")))
        if answer.code and not answer.err.strip():
            answer = Answer(0, answer.out, "", answer.seconds)  # none: some versions exit with 1
        text = checked(answer, Command(("scontrol",))).out
        return list(read_reservations(text))

    def diagnosis(self) -> Diagnosis:
        """What the controller says of itself; its clock among it."""
        answer = self._ask(Command(("sdiag",)))
        if answer.code:  # some sites keep it to administrators
            return Diagnosis(NOT_TOLD, NOT_TOLD, NOT_TOLD, NOT_TOLD, NOT_TOLD)
        return read_diagnosis(answer.out)
