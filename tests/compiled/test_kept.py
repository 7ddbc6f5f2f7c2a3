"""Where compiled code is kept, and what happens when it cannot be."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import FunctionType

import pytest

from packwise.compiled import compiled, is_on_disk
from packwise.compiled import kept as module
from packwise.compiled.kept import Kept


def twice(number):
    return 2 * number


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path / "packwise"


def of(maker: str) -> Kept:
    return Kept(twice, lambda: maker)


def test_what_is_written_is_read_by_signature_and_maker(folder):
    kept = of("this numba")
    assert not kept.is_there
    assert kept.read("(int64,)") is None
    kept.write("(int64,)", module.pickle.dumps("code"))
    assert kept.is_there
    assert kept.read("(int64,)") == "code"
    assert kept.read("(float64,)") is None
    assert of("another numba").read("(int64,)") is None


@pytest.mark.parametrize("broken", [b"", b"\x80", b"no pickle", b"cbuiltins\nno_such_name\n."])
def test_a_damaged_file_is_as_none(folder, broken):
    of("a").write("(int64,)", broken)
    assert of("a").read("(int64,)") is None


def test_few_versions_stay_and_the_one_in_use_is_among_them(folder):
    first = of("0")
    first.write("(int64,)", module.pickle.dumps("first"))
    for maker in range(1, 30):
        for path in folder.iterdir():
            seconds = path.stat().st_mtime - 2 * 86_400
            os.utime(path, (seconds, seconds))
        assert first.read("(int64,)") == "first"
        of(f"{maker}").write("(int64,)", module.pickle.dumps(maker))
    files = list(folder.iterdir())
    assert len(files) == module._VERSIONS
    assert first.is_there


def test_another_installation_of_the_account_finds_it(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "account")
    places = [tmp_path / "one" / "it.py", tmp_path / "two" / "it.py"]
    first, second = (Kept(function_in(place), lambda: "numba") for place in places)
    first.write("(int64,)", module.pickle.dumps("code"))
    shutil.rmtree(tmp_path / "one")
    assert second.is_there
    shutil.rmtree(tmp_path / "account")
    assert second.read("(int64,)") == "code"  # for others, too: it lies beside the source now


def function_in(place: Path) -> FunctionType:
    code = twice.__code__.replace(co_filename=str(place))
    return FunctionType(code, globals(), "twice")


def test_where_nothing_can_be_written_nothing_is_lost(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    of("a").write("(int64,)", b"code")
    assert of("a").read("(int64,)") is None
    assert not of("a").is_there


def test_a_users_function_is_not_kept(folder):
    doubled = compiled(twice)
    assert doubled(21) == 42
    assert not folder.exists()
    assert not is_on_disk(doubled)
