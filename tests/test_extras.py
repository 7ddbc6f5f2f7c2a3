"""What is said where a library that is an extra, or a library of the system under it, is missing."""

from __future__ import annotations

import importlib.abc
import sys

import pytest

from packwise.experiments.executors.dask_start import _require
from packwise.model.errors import InputError
from packwise.optimise.cp.library import cp_sat
from packwise.pictures.canvas import picture
from packwise.predict.gradient_boosting import lightgbm
from packwise.reports.page.rendering import _environment
from packwise.reports.page.writing import _plotly


def a_picture():
    with picture("a.png", (1, 1)):
        pass


NEEDED = [
    ("lightgbm", lightgbm, "estimate 'gbm' needs LightGBM", "learn"),
    ("ortools", cp_sat, "constraint programming needs OR-Tools", "cp"),
    ("matplotlib", a_picture, "pictures need matplotlib", "plot"),
    ("plotly", _plotly, "reports need plotly", "report"),
    ("jinja2", _environment.__wrapped__, "reports need jinja2", "report"),
    ("distributed", lambda: _require("local"), "--dask local needs distributed", "dask"),
    ("dask_jobqueue", lambda: _require("slurm"), "--dask slurm needs dask-jobqueue", "dask"),
]
OF_LINUX = "libgomp.so.1: cannot open shared object file: No such file or directory"
OF_MAC = (
    "dlopen(lib_lightgbm.dylib, 0x0006): Library not loaded: @rpath/libomp.dylib\n  Referenced from"
)


class Refusing(importlib.abc.MetaPathFinder):
    """Answers whoever imports a library with an error."""

    def __init__(self, library: str, error: Exception) -> None:
        self.library, self.error = library, error

    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] == self.library:
            raise self.error


@pytest.fixture
def refuse(monkeypatch):
    def refused(library: str, error: Exception) -> None:
        for name in list(sys.modules):
            if name.partition(".")[0] == library:
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [Refusing(library, error), *sys.meta_path])

    return refused


@pytest.mark.parametrize(("library", "needs", "words", "extra"), NEEDED)
def test_what_is_not_installed(library, needs, words, extra, refuse):
    if library == "dask_jobqueue":
        pytest.importorskip("distributed")
    refuse(library, ModuleNotFoundError(f"No module named '{library}'"))
    with pytest.raises(InputError) as raised:
        needs()
    assert str(raised.value) == (
        f"{words}, which is not installed (No module named '{library}'). "
        f"Run: pip install 'packwise[{extra}]'."
    )


@pytest.mark.parametrize(("library", "needs", "words", "extra"), NEEDED)
@pytest.mark.parametrize("kind", [OSError, ImportError])
def test_a_library_of_the_system_is_missing(library, needs, words, extra, kind, refuse):
    if library == "dask_jobqueue":
        pytest.importorskip("distributed")
    refuse(library, kind(OF_LINUX))
    with pytest.raises(InputError) as raised:
        needs()
    assert str(raised.value) == (
        f"{words}, which is there, but libgomp.so.1, a library of the system, is not. Install it: "
        "apt-get install libgomp1 (Debian, Ubuntu), or dnf install libgomp (Red Hat)."
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(OF_MAC), "but libomp.dylib, a library .* Install it: brew install libomp"),
        (
            ImportError("libX11.so.6: cannot open shared object file: No such file"),
            "but libX11.so.6, a library .* with the package of your system that has it",
        ),
        (
            ImportError("cannot import name 'a' from 'b'"),
            r"could not be loaded \(cannot import name 'a' from 'b'\). Run: pip install --force-r",
        ),
    ],
)
def test_other_ways_of_not_loading(error, words, refuse):
    refuse("lightgbm", error)
    with pytest.raises(InputError, match=words):
        lightgbm()
