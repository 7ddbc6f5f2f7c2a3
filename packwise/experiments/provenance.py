"""Which code made a result, and with what."""

from __future__ import annotations

import platform
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

import packwise
from packwise.experiments.declarations import installed

#: The parts of Packwise that a schedule or a metric depends on.
_PARTS = ("model", "engine", "policies", "predict", "optimise", "workloads", "metrics")
_FILES = (
    "simulation.py",
    "registry.py",
    "users_code.py",
    "users_modules.py",
    "experiments/declarations.py",
    "experiments/scenario.py",
    "experiments/work.py",
)


@cache
def code_digest() -> str:
    """The version, and a hash over the sources that decide results.

    A released version would do; the sources protect those who change them.
    """
    root = Path(packwise.__file__).parent
    found = [path for part in _PARTS for path in (root / part).rglob("*.py")]
    found += [root / name for name in _FILES]
    digest = sha256()
    for path in sorted(found):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return f"{packwise.__version__}+{digest.hexdigest()[:16]}"


@cache
def versions() -> dict[str, str]:
    """Packwise, Python, the machine's kind and the packages that compute."""
    known = {
        "packwise": packwise.__version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
    }
    for package in ("numpy", "numba", "polars", "scipy", "lightgbm", "ortools"):
        if found := installed(package):
            known[package] = found
    return known
