"""Who listens hears of each compilation, nested ones too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import packwise

CODE = """
from packwise.compiled import apart, compiled
from packwise.compiled.told import listen
listen(lambda f: print("begins", f.__name__), lambda f: print("ends", f.__name__))

@apart
def one_more(x):
    return x + 1

@compiled
def twice_one_more(x):
    return 2 * one_more(x)

print(twice_one_more(3), twice_one_more(4))
"""


def test_a_function_begins_and_ends_once(tmp_path):
    """In a process of its own: who listens does so to its end."""
    script = tmp_path / "listens.py"
    script.write_text(CODE, "utf-8")
    done = subprocess.run(
        [sys.executable, script],
        env={"PYTHONPATH": str(Path(packwise.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "begins twice_one_more",
        "begins one_more",
        "ends one_more",
        "ends twice_one_more",
        "8 10",
    ]
