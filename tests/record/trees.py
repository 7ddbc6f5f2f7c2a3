"""The record's own code over the package of another tree."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: What the record is made with, beside the package.
_OWN = ("tests", "benchmarks")


@contextmanager
def standing_before(tree: Path) -> Iterator[tuple[Path, Mapping[str, str]]]:
    """A folder and an environment in which ``packwise`` is that of a tree, and the tests are ours."""
    tree = tree.resolve()
    if not (tree / "packwise" / "__init__.py").is_file():
        raise SystemExit(
            f"{tree}: expected a checkout with a folder packwise in it, found none. Make one: "
            "git worktree add ../before COMMIT."
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for own in _OWN:
            (folder / own).symlink_to(ROOT / own, target_is_directory=True)
        path = os.pathsep.join((str(folder), str(tree)))
        yield folder, {**os.environ, "PYTHONPATH": path}


def over(tree: Path, arguments: Sequence[str]) -> int:
    """Run the record with these arguments over another tree."""
    with standing_before(tree) as (folder, environment):
        command = [sys.executable, "-m", "tests.record", *arguments]
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode
