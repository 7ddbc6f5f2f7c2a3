"""The public surface is a list, and short."""

from __future__ import annotations

import subprocess
import sys

import packwise


def test_public_names():
    assert len(packwise.__all__) <= 22
    for name in packwise.__all__:
        assert getattr(packwise, name) is not None
    assert callable(packwise.simulate)


def test_simulate_stays_a_function_whatever_was_imported_first():
    code = "import packwise.simulation, packwise.contract, packwise; assert callable(packwise.simulate)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_package_is_light():
    code = (
        "import sys, packwise.cli; "
        "heavy = {'numba', 'polars', 'matplotlib', 'numpy'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
