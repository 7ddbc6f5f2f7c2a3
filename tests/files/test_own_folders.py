"""Where an account keeps what it has fetched; one without a home is told so."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from packwise.cli.app import app
from packwise.files.own_folders import cache_folder, state_folder
from packwise.model.errors import InputError

NO_HOME = "this account has no home.* Set HOME, or XDG_{}_HOME, to the whole path of a folder"


@pytest.mark.parametrize(("folder", "kind"), [(cache_folder, "CACHE"), (state_folder, "STATE")])
def test_where_they_are(folder, kind, tmp_path, monkeypatch):
    monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path))
    assert folder() == tmp_path / "packwise"


def nowhere(name):
    raise RuntimeError("could not determine the home directory")


@pytest.mark.parametrize("answer", [lambda name: f"~/.cache/{name}", nowhere], ids=["old", "new"])
@pytest.mark.parametrize(("folder", "kind"), [(cache_folder, "CACHE"), (state_folder, "STATE")])
def test_platformdirs_has_no_home_either_way(folder, kind, answer, monkeypatch):
    """Its releases differ: a path that begins with '~', or an error."""
    monkeypatch.setattr(f"platformdirs.user_{kind.lower()}_dir", answer)
    with pytest.raises(InputError, match=NO_HOME.format(kind)):
        folder()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("workload", "info", "nothing.swf"), "error: nothing.swf: no such file"),
        (("workload", "fetch", "KTH-SP2"), "error: this account has no home"),
        (("slurm", "serve"), "error: this account has no home"),
    ],
)
def test_an_account_that_nobody_knows(words, said, tmp_path, monkeypatch):
    """As a container may make one up: what needs no home works, the rest says what it needs."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "STATE_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, words, prog_name="packwise")
    assert done.exit_code == 2
    assert done.stderr.startswith(said)
    assert not list(tmp_path.iterdir())
