"""Slurm's ways to write settings."""

from __future__ import annotations

import pytest

from packwise.model.slurm_settings import SETTINGS, SlurmSettings, check_setting


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 1800),
        ("30:15", 1815),
        ("2:30:15", 9015),
        ("7-0", 604800),
        ("1-12:30", 131400),
        ("1-0:0:5", 86405),
        ("UNLIMITED", 60 * (2**32 - 1)),
    ],
)
def test_durations(text: str, seconds: int) -> None:
    assert SlurmSettings({"prioritymaxage": text}).number("PriorityMaxAge") == seconds


def test_units_and_defaults() -> None:
    settings = SlurmSettings({"bf_window": "60", "bf_continue": ""})
    assert settings.number("bf_window") == 3600
    assert settings.number("bf_interval") == 30
    assert SlurmSettings({}).number("bf_window") == 86400
    assert SlurmSettings({}).number("PriorityDecayHalfLife") == 604800
    assert SlurmSettings({"qos": "a:1/b:20"}).amounts("qos") == {"a": 1, "b": 20}
    assert settings.changed({"bf_window": "2"}).number("bf_window") == 120


def test_every_default_is_a_value() -> None:
    for setting in SETTINGS.values():
        if isinstance(setting.default, str):
            check_setting(setting.name, setting.default)
        else:
            assert SlurmSettings({}).number(setting.name) >= setting.least
