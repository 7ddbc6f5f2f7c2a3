"""The live scheduler on the fake Slurm: time goes by only when it waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from packwise.adapters.slurm import live as live_module
from packwise.adapters.slurm import reader as reader_module
from packwise.adapters.slurm.commands import Command
from packwise.adapters.slurm.journal import Journal, read_journal
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.live import Live
from packwise.adapters.slurm.modes import Advise, Steer
from packwise.adapters.slurm.reader import SlurmReader
from packwise.adapters.slurm.writer import SlurmWriter
from packwise.model.decision import Decision
from packwise.model.view import View
from tests.adapters.fake_slurm import FakeSlurm


class Newest:
    """Starts the newest jobs first, each on the first nodes with room, and nobody before them."""

    name = "newest"

    def decide(self, view: View) -> Decision:
        assert view.nodes is not None
        free = view.nodes.free.copy()
        start: list[int] = []
        where: dict[int, Mapping[int, int]] = {}
        order = view.queue.tolist()[::-1]
        for job in order:
            needs, units = view.nodes.per_unit[job], int(view.nodes.units[job])
            mask = view.nodes.open[view.nodes.where[job]]
            room = [n for n in range(len(free)) if mask[n] and (free[n] >= needs).all()][:units]
            if len(room) < units:
                break
            free[room] -= needs
            start.append(job)
            where[job] = dict.fromkeys(room, 1)
        later = {job: view.now + k for k, job in enumerate(order) if job not in start}
        return Decision(np.array(start, np.int64), later, allocation=where)


class Until:
    """In place of an event: waiting lets time go by."""

    def __init__(self, rig: Rig, seconds: int, each: Callable[[], None]) -> None:
        self.rig, self.end, self.each = rig, rig.fake.now + seconds, each
        self.waits: list[float] = []

    def is_set(self) -> bool:
        return self.rig.fake.now >= self.end

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        self.rig.pass_time(max(round(seconds), 1), self.each)
        return self.is_set()


class Rig:
    """A policy, a mode and a folder."""

    def __init__(
        self,
        fake: FakeSlurm,
        folder: Path,
        patch: pytest.MonkeyPatch,
        mode: str = "steer",
        policy: object = None,
        *,
        band: int = 1000,
        dry_run: bool = False,
        interval: float = 5.0,
        form: str = "text",
        ledger: Ledger | None = None,
    ) -> None:
        told = SimpleNamespace(time=fake.clock, monotonic=fake.clock, perf_counter=fake.clock)
        patch.setattr(live_module, "time", told)
        patch.setattr(reader_module, "time", told)
        self.fake, self.folder = fake, folder
        self.reader = SlurmReader(fake.ask, form, fake.clock)
        self.writer = SlurmWriter(fake.ask, dry_run)
        self.journal = Journal(folder, fake.clock)
        self.mode = Advise() if mode == "advise" else Steer(self.reader, band)
        self.live = Live(
            self.reader, self.writer, policy or Newest(), self.mode, self.journal, folder,
            interval=interval, ledger=ledger,
        )  # fmt: skip

    def pass_time(self, seconds: int, each: Callable[[], None] = lambda: None) -> None:
        end = self.fake.now + seconds
        while self.fake.now < end:
            self.fake.advance(1)
            each()

    def run(
        self, seconds: int, each: Callable[[], None] = lambda: None, cycles: int | None = None
    ) -> Until:
        """Go round for so long, then give back. ``each``: what happens at every second."""
        stop = Until(self, seconds, each)
        self.live.run(stop, cycles=cycles)
        return stop

    def go(self, seconds: int, each: Callable[[], None] = lambda: None) -> None:
        """Go round for so long, and then vanish: nothing is given back."""
        end = self.fake.now + seconds
        while self.fake.now < end:
            self.live.cycle()
            self.pass_time(int(self.live.interval), each)

    def said(self, kind: str = "note") -> list[str]:
        return [entry["text"] for entry in read_journal(self.folder) if entry["kind"] == kind]


def updates(fake: FakeSlurm) -> list[Command]:
    """What was sent that changes something."""
    return [one for one in fake.asked if one.argv[0] == "scontrol" and "show" not in one.argv]
