"""What all tests share: lanes, how much is drawn, the real traces and a browser, where they are at hand."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

from packwise.metrics import own
from packwise.workloads.tables import parquet_file
from tests import draws, lanes

# The tree of commands is built once a process, not once a command: that takes longer than most commands.
typer.testing._get_command = functools.cache(typer.testing._get_command)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--draws",
        choices=draws.ASKED,
        default=draws.ASKED[0],
        help="how many random cases are tried: few, all (as in CI), or ten times as many",
    )


def pytest_configure(config: pytest.Config) -> None:
    draws.ask(config.getoption("--draws"))
    # No test fails for being slow: the first draws of a fresh checkout, and compiled code, take their time.
    settings.register_profile(
        "packwise",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=draws.draws(100),
    )
    settings.load_profile("packwise")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lanes.sort(items)


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a metric of the user's own is called depends on those loaded before: each test begins with none."""
    monkeypatch.setattr(own, "_known", {})


@pytest.fixture(scope="module")
def untried() -> Iterator[None]:
    """Parquet files are sound, or not worse than wrong: no process of its own reads each for a trial."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_file, "trial", lambda *_: None)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real traces and reference schedules, beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("needs the shared traces in ../shared")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser for the tests that look at pages, where one is installed."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"needs a browser: none of {', '.join(names)} is installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield made
        made.close()
