"""Pictures: the formats, odd workloads, and refusals. How they look is for people to judge."""

from __future__ import annotations

import builtins
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from packwise.model.errors import InputError, OutputError
from packwise.model.workload import Workload
from packwise.pictures.workload import plot_workload
from packwise.workloads.lublin import generate

ONE = Workload.of([(0, 1, 1, 1)])


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_formats_are_reproducible(tmp_path: Path, suffix: str, magic: bytes) -> None:
    workload = generate(200, 64, 1, load=0.7)
    for name in ("a", "b"):
        plot_workload(workload, 64, tmp_path / f"{name}.{suffix}")
    first = (tmp_path / f"a.{suffix}").read_bytes()
    assert first.startswith(magic)
    assert first == (tmp_path / f"b.{suffix}").read_bytes()


@pytest.mark.parametrize(
    "workload",
    [
        ONE,
        Workload.of([(0, 5, 2**39, 2**40), (2**40, 2**40, 1, 1)]),
        generate(50, 1_000_000, 2),
    ],
    ids=["one job", "extremes", "wide"],
)
def test_odd_workloads(tmp_path: Path, workload: Workload) -> None:
    plot_workload(workload, 4, tmp_path / "odd.svg")
    assert (tmp_path / "odd.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", ["x.jpg", "x", "x.swf"])
def test_other_suffixes(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"\.png, \.svg or \.pdf"):
        plot_workload(ONE, 4, tmp_path / name)


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InputError, match=r"pip install 'packwise\[plot\]'"):
        plot_workload(ONE, 4, tmp_path / "x.png")


def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        plot_workload(ONE, 4, tmp_path / "x.png")
    assert list(tmp_path.iterdir()) == []
