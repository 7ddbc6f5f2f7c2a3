"""A real Slurm for the tests, where its packages are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from benchmarks.real_slurm.small import SmallSlurm, missing
from tests.adapters.accounted import (
    NEEDED,
    PACKAGES,
    AccountedSlurm,
    accounted_slurm,
    way_to_run,
)
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.adapters.rig import Rig


@pytest.fixture(scope="session")
def real_slurm() -> Iterator[SmallSlurm]:
    """16 nodes of 4 cores, for all tests of this process."""
    if missing():
        pytest.skip(
            "needs a real Slurm: apt-get install slurmctld slurmd slurm-client munge "
            f"(not there: {', '.join(missing())})"
        )
    with _open_folder() as work:
        machine = SmallSlurm(work)
        try:
            yield machine
        finally:
            machine.end()


@pytest.fixture(scope="session")
def real_accounts() -> Iterator[AccountedSlurm]:
    """8 nodes with accounting, on which Packwise runs as an operator who is not root."""
    absent = missing(NEEDED)
    if absent:
        pytest.skip(
            f"needs a real Slurm with accounting: apt-get install {PACKAGES} (not there: "
            f"{', '.join(absent)})"
        )
    way = way_to_run()
    if way is None:
        pytest.skip("needs root, and a Python that other accounts can be let run, too")
    with _open_folder() as work, accounted_slurm(work, way) as machine:
        yield machine


@contextmanager
def _open_folder() -> Iterator[Path]:
    """Where jobs of other users, and munge, can get. Each run of pytest closes the folders of all its runs."""
    with TemporaryDirectory(prefix="slurm-") as work:
        Path(work).chmod(0o711)
        yield Path(work)


@pytest.fixture
def slurm(real_slurm: SmallSlurm, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallSlurm]:
    """That machine, empty."""
    with _empty(real_slurm, monkeypatch):
        yield real_slurm


@pytest.fixture
def accounts(
    real_accounts: AccountedSlurm, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AccountedSlurm]:
    """That with accounting, empty."""
    with _empty(real_accounts, monkeypatch):
        yield real_accounts


@contextmanager
def _empty(machine: SmallSlurm, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SLURM_CONF", str(machine.conf))
    machine.clear()
    yield
    machine.clear()


@pytest.fixture
def fake() -> FakeSlurm:
    """A Slurm in memory: two nodes of four cores, on each of which one job has room, and five jobs."""
    found = FakeSlurm()
    found.submit(*(FakeJob(str(k), base=1000 - k) for k in range(1, 6)))
    return found


@pytest.fixture
def rig(fake: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Rig]:
    """The live scheduler on it."""
    return lambda *given, **told: Rig(fake, tmp_path, monkeypatch, *given, **told)
