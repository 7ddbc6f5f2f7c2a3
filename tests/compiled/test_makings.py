"""A compiled function is compiled again when something changes that it is made of, and for nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import packwise
from packwise.compiled import apart, compiled, inlined, makings
from packwise.compiled.makings import digest_of
from tests.lanes import broad

DIGESTS = """
from packwise.compiled.makings import digest_of
from packwise.engine.loop import run
from packwise.engine.pool.list_round import list_round
from packwise.optimise.kernels.search_round import search_round
from packwise.workloads.swf.scan import scan
for kernel in (run.py_func, list_round.python_function, search_round.python_function, scan.py_func):
    print(digest_of(kernel))
"""
NAMES = ("run", "list_round", "search_round", "scan")
EVERY = set(NAMES)


def digests(folder: Path, seed: int = 0) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-B", "-c", DIGESTS],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": str(seed), "PATH": "/usr/bin"},
    )
    return done.stdout.split()


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    source = Path(packwise.__file__).parent
    shutil.copytree(source, folder / "packwise")
    return folder


@pytest.fixture(scope="module")
def before(copy) -> list[str]:
    return digests(copy)


class Change(NamedTuple):
    """What stands in a file, and what is written there instead."""

    file: str
    old: str
    new: str


def who_changed(copy: Path, before: list[str], changes: tuple[Change, ...]) -> set[str]:
    texts = {}
    for file, old, new in changes:
        path = copy / "packwise" / file
        texts[path] = path.read_text()
        assert old in texts[path], f"{file} has no {old!r} any more: choose something that it has"
        path.write_text(texts[path].replace(old, new, 1))
    after = digests(copy, seed=1)  # a digest is the same in each process
    for path, text in texts.items():
        path.write_text(text)
    return {name for name, a, b in zip(NAMES, before, after, strict=True) if a != b}


@pytest.mark.parametrize(
    ("change", "who"),
    broad(
        [
            (
                Change("engine/pool/profile.py", "times[0] = now", "times[0] = now + 0"),
                {"list_round", "search_round"},
            ),
            (Change("workloads/swf/fields.py", '"cpu_time", "used', '"used'), {"scan"}),
            (Change("engine/slots.py", "_WORD(8", "_WORD(4 + 4"), EVERY),
            (
                Change("optimise/kernels/cost.py", "return EARLY * cost", "return 2 * cost"),
                {"search_round"},
            ),
        ],
        quick=2,
    ),
    ids=["a function", "a number", "how arrays are reached", "a function of the search"],
)
def test_a_change_counts_for_what_was_made_of_it(copy, before, change, who):
    assert who_changed(copy, before, (change,)) == who


def test_what_leaves_the_code_as_it_was_counts_for_none(copy, before):
    changes = (
        Change("engine/bisection.py", "import annotations", "import annotations\n\n# A comment."),
        Change("engine/pool/profile.py", "hi``.", "hi``, documented."),
        Change("optimise/kernels/cost.py", "FULL_PRESSURE = ", "FULL_PRESSURE = 1.0 * "),
        Change("readable.py", "return ", "return 0 or "),
        Change("policies/catalogue.py", "return ", "return 0 or "),
    )
    assert who_changed(copy, before, changes) == set()


LIMIT = 3


@inlined
def below(number):
    return number < LIMIT


@compiled
def asks(number):
    return below(number)


def test_what_a_function_names_is_followed(monkeypatch):
    before = digest_of(asks.py_func)
    monkeypatch.setitem(globals(), "LIMIT", 4)
    makings._read.cache_clear()
    assert digest_of(asks.py_func) != before
    monkeypatch.undo()
    makings._read.cache_clear()
    assert digest_of(asks.py_func) == before


def test_whether_a_function_is_a_part_of_its_callers_counts(monkeypatch):
    before = digest_of(asks.py_func)
    monkeypatch.setitem(globals(), "below", apart(below.py_func))
    makings._read.cache_clear()
    assert digest_of(asks.py_func) != before
    monkeypatch.undo()
    makings._read.cache_clear()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ((1, 2), (2, 1)),
        (np.array([1, 2]), np.array([1, 3])),
        (np.array([1, 2]), np.array([[1, 2]])),
        (np.int64(1), np.int32(1)),
        (np.add, np.subtract),
    ],
)
def test_unequal_values_give_unequal_digests(one, other):
    def function_of(value):
        def function():
            return value

        return function

    assert digest_of(function_of(one)) != digest_of(function_of(other))
    assert digest_of(function_of(one)) == digest_of(function_of(one))


def test_of_what_is_not_known_the_whole_package_counts(monkeypatch):
    """A kind of value that nobody thought of: too much is compiled again, never too little."""
    strange = type("Strange", (), {"__module__": "nowhere"})()

    def function():
        return strange

    before = digest_of(function)
    whole = makings.source_digest(Path(packwise.__file__).parent)
    monkeypatch.setattr(
        makings, "source_digest", lambda place: "another" if place.is_dir() else whole
    )
    assert digest_of(function) != before
