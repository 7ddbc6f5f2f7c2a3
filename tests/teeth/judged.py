"""Verdicts of people on breaks that no test noticed: ``judged.txt``, a verdict below each break."""

from __future__ import annotations

from pathlib import Path

from tests.teeth.draw import Drawn

FILE = Path(__file__).with_name("judged.txt")


def judged(path: Path = FILE) -> dict[str, str]:
    """Verdicts by break. A break begins its line, a verdict is indented, and ``#`` begins a comment."""
    verdicts: dict[str, str] = {}
    known = ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] != " ":
            known = line
            verdicts[known] = ""
        elif not known:
            raise ValueError(f"{path}:{number}: expected a break before its verdict")
        else:
            verdicts[known] = f"{verdicts[known]} {line.strip()}".strip()
    return verdicts


def key(drawn: Drawn) -> str:
    """A break as ``judged.txt`` has it: without the line, which moves."""
    return f"{drawn} | {drawn.broken.shown}"
