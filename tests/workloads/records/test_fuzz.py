"""Damaged records: an answer or an error that says what is wrong; never a traceback, never a job twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.draws import draws
from tests.workloads.records.fuzzing import hold
from tests.workloads.records.mutations import damaged, samples

COUNT = draws(160, few=40)


def test_whole_samples_can_be_read(tmp_path: Path) -> None:
    for name, content in samples().items():
        assert hold(tmp_path / name, content), name


@pytest.mark.draws
@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_records(tmp_path: Path, seed: int) -> None:
    read = sum(hold(tmp_path / name, content) for name, content in damaged(COUNT, seed))
    assert read > COUNT // 5  # most damage leaves something to read
