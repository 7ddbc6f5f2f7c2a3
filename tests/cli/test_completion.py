"""What a shell offers when Tab is pressed."""

from __future__ import annotations

from pathlib import Path

import pytest

from packwise.cli.options import completion


def test_the_last_name_of_a_list() -> None:
    assert "recorded" in completion.policies("rec")
    assert completion.policies("easy,easy-sj") == ["easy,easy-sjbf", "easy,easy-sjf"]
    assert completion.metrics("wait,awf") == ["wait,AWF"]
    assert "last2" in completion.estimates("la")
    assert completion.policies("nothing") == []


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.swf", "b.txt", "c.exe", ".hidden.swf"):
        (tmp_path / name).touch()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "kth.swf.gz").touch()
    monkeypatch.chdir(tmp_path)
    assert completion.traces("") == ["a.swf", "b.txt", "logs/"]
    assert completion.traces("a") == ["a.swf"]
    assert completion.traces("logs/") == ["logs/kth.swf.gz"]
    assert completion.traces("logs/k") == ["logs/kth.swf.gz"]
    assert completion.traces(f"{tmp_path}/b") == [f"{tmp_path}/b.txt"]
    assert completion.traces("nowhere/") == []
