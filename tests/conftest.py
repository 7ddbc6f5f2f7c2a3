"""What all tests share: the real traces, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from packwise.metrics import own

# No test fails for being slow: the first draws of a fresh checkout, and compiled code, take their time.
settings.register_profile("packwise", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("packwise")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a metric of the user's own is called depends on those loaded before: each test begins with none."""
    monkeypatch.setattr(own, "_known", {})


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real traces and reference schedules, beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("needs the shared traces in ../shared")
    return folder
