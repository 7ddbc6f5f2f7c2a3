"""Compiled code never leaves its arrays: the same tests with bounds checking on.

Compiled without checks, an index beyond the end would read or write foreign memory unnoticed. A process of its
own compiles with checks, into a folder of its own of the account's, so that only what has changed is compiled
again; and with little optimisation, which would take longer than these short replays gain by it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from packwise.files.own_folders import cache_folder

ROOT = Path(__file__).resolve().parents[2]
REPLAYS = "tests/engine/replays_within_bounds.py"
VIEWS = "tests/properties/test_any_view.py"


def run_checked(*arguments: str) -> None:
    environment = os.environ | {
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_OPT": "1",
        "NUMBA_CACHE_DIR": str(cache_folder() / "bounds"),
        "PYTEST_ADDOPTS": "",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert done.stderr == ""  # where an exception inside a C function would be told


@pytest.mark.bounds
@pytest.mark.smoke
def test_checking_is_on():
    """An index beyond the end of an array, and one below 0, are noticed."""
    code = (
        "import numpy as np\n"
        "from numba import njit\n"
        "from packwise.engine.slots import borrow\n"
        "@njit\n"
        "def read(array, i):\n"
        "    return borrow(array)[i]\n"
        "three = np.arange(3)\n"
        "assert read(three, 2) == 2\n"
        "for i in (-1, 3):\n"
        "    try:\n"
        "        read(three, i)\n"
        "    except IndexError:\n"
        "        print('noticed')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["noticed", "noticed"]


@pytest.mark.bounds
def test_everything(request):
    run_checked(REPLAYS, VIEWS, "--draws", request.config.getoption("--draws"))
