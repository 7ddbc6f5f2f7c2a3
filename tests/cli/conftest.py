"""A small workload, and the command line in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from typer.testing import CliRunner

from packwise.cli.app import app
from packwise.workloads.lublin import generate
from packwise.workloads.swf import write_swf
from tests.at_home import working_at_home


@pytest.fixture(scope="module", autouse=True)
def at_home() -> Iterator[None]:
    """Studies are run here; what workers of their own do is tested with the executors."""
    with working_at_home():
        yield


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 jobs on 32 processors, enough load to make a queue."""
    path = tmp_path_factory.mktemp("log") / "small.swf.gz"
    write_swf(path, generate(300, 32, 5, load=1.2), procs=32)
    return path


class Answer:
    """What a command did."""

    def __init__(self, status: int, stdout: str, stderr: str) -> None:
        self.status, self.stdout, self.stderr = status, stdout, stderr

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


Command = Callable[..., Answer]


@pytest.fixture
def packwise() -> Command:
    """Runs the command line in this process; an exception that is not handled is raised."""

    def run(*arguments: object) -> Answer:
        result = CliRunner().invoke(app, [str(a) for a in arguments], prog_name="packwise")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is a file of its kind, and not drawn: how pictures look is tested where they are made."""
    begins = {"png": b"\x89PNG", "svg": b"<svg"}

    def sketch(figure: Any, stream: IO[bytes], format: str, **others: Any) -> None:
        stream.write(begins[format])

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", sketch)


SITE = """
name = "site"
[[group]]
name = "cpu"
count = {cpu}
cores = 4
memory = "8 GB"
[[group]]
name = "gpu"
count = {gpu}
cores = 4
memory = "8 GB"
gpus = 2
"""


@pytest.fixture
def nodes(tmp_path: Path, packwise: Command) -> Callable[..., tuple[Path, Path]]:
    """Writes a cluster of nodes with and without GPUs, and jobs for them."""

    def write(cpu: int, gpu: int, jobs: int, load: float) -> tuple[Path, Path]:
        site, log = tmp_path / "site.toml", tmp_path / "jobs.csv"
        site.write_text(SITE.format(cpu=cpu, gpu=gpu))
        given = "--cluster", site, "--jobs", jobs, "--load", load
        done = packwise("workload", "generate", log, *given)
        assert done.status == 0, done.stderr
        return site, log

    return write
