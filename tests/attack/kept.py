"""Cases that broke the product once. They are tried for ever."""

from __future__ import annotations

from pathlib import Path

from tests.attack.fronts import Drawn

FILE = Path(__file__).with_name("kept_seeds.txt")


def kept() -> list[Drawn]:
    """One case a line; what stands behind ``#`` says what was wrong."""
    lines = (line.partition("#")[0].strip() for line in FILE.read_text().splitlines())
    return [Drawn.parse(line) for line in lines if line]


def keep(drawn: Drawn, fault: str) -> None:
    if drawn not in kept():
        with FILE.open("a") as file:
            file.write(f"{drawn}  # {fault.strip().splitlines()[-1][:100]}\n")
