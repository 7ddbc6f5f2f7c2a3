"""What is sent to a Slurm: the commands of steer on one in memory, and those of reset after it has vanished."""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from packwise import registry
from packwise.adapters.slurm import commands, probe
from packwise.adapters.slurm.commands import Command
from packwise.cli.app import app
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.adapters.rig import Rig, updates
from tests.record.digests import digest

POLICIES = ("easy", "cbf", "list-saf", "saf-easy", "packwise")
BANDS = (7, 1000)
#: For how long it steers, and how often it looks.
_SECONDS, _INTERVAL = 300, 15


class Steered(NamedTuple):
    """A policy that steers, asking Slurm in one of its forms, in its band; ``seed``: of the jobs."""

    policy: str
    band: int
    form: str
    seed: int

    @property
    def about(self) -> str:
        return f"steer policy={self.policy} band={self.band} read={self.form} jobs={self.seed}"

    def lines(self) -> list[str]:
        given_back, started = self._given_back()
        vanished, reset = self._vanished()
        return [
            f"{self.about} end -> {_sent(given_back)} started={digest(started)}",
            f"{self.about} reset -> {_sent(reset)} before={digest(_lines(vanished))}",
        ]

    def _given_back(self) -> tuple[list[Command], list[str]]:
        """Steer for a while, and end as one should."""
        fake = _slurm(self.seed)
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            self._rig(fake, Path(folder), patch).run(_SECONDS)
        return updates(fake), fake.started

    def _vanished(self) -> tuple[list[Command], list[Command]]:
        """Steer for a while, and vanish; then reset."""
        fake = _slurm(self.seed)
        with tempfile.TemporaryDirectory() as folder:
            with pytest.MonkeyPatch.context() as patch:
                self._rig(fake, Path(folder), patch).go(_SECONDS // 3)
            before = updates(fake)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(commands, "subprocess", fake.as_subprocess())
                patch.setattr(probe.os, "geteuid", lambda: 0)
                arguments = ["slurm", "reset", "--state", folder]
                done = CliRunner().invoke(app, arguments, prog_name="packwise")
                assert done.exit_code == 0, done.output
        return before, updates(fake)[len(before) :]

    def _rig(self, fake: FakeSlurm, folder: Path, patch: pytest.MonkeyPatch) -> Rig:
        policy = registry.policy(self.policy)
        return Rig(
            fake, folder, patch, "steer", policy, band=self.band, form=self.form, interval=_INTERVAL
        )


STEERED = (
    *(Steered(policy, band, "text", 1) for policy, band in product(POLICIES, BANDS)),
    *(Steered("easy", 1000, "json", seed) for seed in (1, 2)),
)


def _slurm(seed: int) -> FakeSlurm:
    """Four nodes of eight cores, and jobs of several sizes that users have in other orders than policies."""
    dice = Random(seed)
    fake = FakeSlurm(nodes=4, cpus=8)
    for number in range(1, 25):
        nodes = dice.choice((1, 1, 1, 2, 3))
        minutes = dice.choice((1, 2, 5, 10, 30))
        job = FakeJob(
            str(number),
            nodes=nodes,
            cpus=nodes * dice.choice((1, 2, 4, 8)),
            runtime=minutes * dice.randint(20, 60),
            limit=minutes,
            base=dice.choice((900, 1000, 1000, 1005, 3000)),
            user=dice.choice(("ann", "ben", "cem")),
        )
        fake.submit(job)
    return fake


def _lines(sent: list[Command]) -> list[list[str]]:
    return [[*one.argv, one.stdin] for one in sent]


def _sent(sent: list[Command]) -> str:
    changes = sum(one.stdin.count("SiteFactor") for one in sent)
    return f"commands={len(sent)} factors={changes} text={digest(_lines(sent))}"
