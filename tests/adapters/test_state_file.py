"""What outlasts a restart, and what is not believed."""

from __future__ import annotations

import os
import pickle
import stat

import pytest

from packwise.adapters.slurm import state_file
from packwise.adapters.slurm.ledger import Ledger
from packwise.model.errors import InputError, OutputError
from tests.adapters.samples import NOW, job, runs, snapshot


def filled():
    ledger = Ledger()
    ledger.show(snapshot([job("5"), job("6"), runs("7", "n1")]))
    ledger.memory = {"plan": [1, 2]}
    return ledger


def test_a_ledger_goes_on(tmp_path):
    ledger = filled()
    state_file.save(tmp_path, ledger, "easy")
    after = Ledger()
    assert "known from before" in state_file.load(tmp_path, "easy", after)
    assert after.memory == {"plan": [1, 2]}
    later = snapshot([job("9"), job("6"), job("5"), job("7")], now=NOW + 60)
    expected = {one.id: k for k, one in ledger.show(later).job.items()}
    assert {one.id: k for k, one in after.show(later).job.items()} == expected
    assert after.kept()["number"]["7"] not in (0, 1, 2)  # it ran, and waits again


def test_the_memory_of_another_policy_is_left(tmp_path):
    state_file.save(tmp_path, filled(), "easy")
    after = Ledger()
    assert "'easy'" in state_file.load(tmp_path, "cbf", after)
    assert after.memory is None
    assert after.kept()["number"].get("5") is not None


def test_only_we_can_read_it(tmp_path):
    state_file.save(tmp_path, filled(), "easy")
    assert stat.S_IMODE((tmp_path / state_file.NAME).stat().st_mode) == 0o600


def test_nothing_is_remembered(tmp_path):
    assert "begins anew" in state_file.load(tmp_path, "easy", Ledger())


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_what_others_can_write_is_not_read(tmp_path, mode):
    state_file.save(tmp_path, filled(), "easy")
    (tmp_path / state_file.NAME).chmod(mode)
    after = Ledger()
    assert "not read" in state_file.load(tmp_path, "easy", after)
    assert after.kept()["number"].get("5") is None


def test_what_belongs_to_others_is_not_read(tmp_path, monkeypatch):
    state_file.save(tmp_path, filled(), "easy")
    us = os.geteuid()
    monkeypatch.setattr(state_file.os, "geteuid", lambda: us + 1)
    after = Ledger()
    assert "not read" in state_file.load(tmp_path, "easy", after)
    assert after.kept()["number"].get("5") is None


class Bomb:
    """Something that acts when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_what_others_can_write_is_not_even_unpickled(tmp_path):
    path = tmp_path / state_file.NAME
    path.write_bytes(pickle.dumps(Bomb(tmp_path / "went off")))
    path.chmod(0o666)
    state_file.load(tmp_path, "easy", Ledger())
    assert not (tmp_path / "went off").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        pickle.dumps(3),
        pickle.dumps({}),
        pickle.dumps({"shape": 3, "policy": "easy"}),
        pickle.dumps({"shape": 3, "policy": "easy", "ledger": {"columns": 1, "number": {"5": 0}}}),
        pickle.dumps({"shape": 99, "policy": "easy", "ledger": {}}),
        pickle.dumps({"shape": 3, "policy": "easy", "ledger": filled().kept()})[:-9],
    ],
)
def test_a_file_that_is_broken_or_of_another_version(tmp_path, content):
    path = tmp_path / state_file.NAME
    path.write_bytes(content)
    path.chmod(0o600)
    after = Ledger()
    assert "anew" in state_file.load(tmp_path, "easy", after)
    assert after.kept()["number"].get("5") is None
    after.show(snapshot([job("5")]))  # and it works


def test_a_memory_that_cannot_be_pickled_is_forgotten(tmp_path):
    ledger = filled()
    ledger.memory = lambda: None
    state_file.save(tmp_path, ledger, "easy")
    after = Ledger()
    state_file.load(tmp_path, "easy", after)
    assert after.memory is None
    assert after.kept()["number"].get("5") == ledger.kept()["number"].get("5")


def test_a_folder_that_cannot_be_written_to(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(OutputError):
        state_file.save(blocked, filled(), "easy")
    with pytest.raises(OutputError), state_file.alone(blocked):
        pass
    with pytest.raises(OutputError), state_file.alone(blocked / "below"):
        pass


def test_two_do_not_work_with_one_folder(tmp_path):
    twice = pytest.raises(InputError, match="another Packwise")
    with state_file.alone(tmp_path), twice, state_file.alone(tmp_path):
        pass
    with state_file.alone(tmp_path):
        pass


def test_a_folder_that_is_there_keeps_its_mode(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    theirs.chmod(0o1777)
    with state_file.alone(theirs):
        assert stat.S_IMODE(theirs.stat().st_mode) == 0o1777
    with state_file.alone(tmp_path / "ours"):
        assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == 0o750
