"""A real Slurm for the tests, where its packages are installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.real_slurm.small import SmallSlurm, missing


@pytest.fixture(scope="session")
def real_slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallSlurm]:
    """16 nodes of 4 cores, for all tests of this process."""
    if missing():
        pytest.skip(
            "needs a real Slurm: apt-get install slurmctld slurmd slurm-client munge "
            f"(not there: {', '.join(missing())})"
        )
    work = tmp_path_factory.mktemp("slurm")
    for folder in (work, *work.parents):  # jobs of other users, and munge, have to get there
        if folder.stat().st_uid == work.stat().st_uid and folder != Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o111)
    machine = SmallSlurm(work)
    try:
        yield machine
    finally:
        machine.end()


@pytest.fixture
def slurm(real_slurm: SmallSlurm, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallSlurm]:
    """That machine, empty."""
    monkeypatch.setenv("SLURM_CONF", str(real_slurm.conf))
    real_slurm.clear()
    yield real_slurm
    real_slurm.clear()
