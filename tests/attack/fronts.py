"""Where the product is attacked, and how often each front is drawn."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

#: Front: out of how many cases it gets how many. A front is a module of that name beside this one, with
#: ``case(seed, folder)``: it draws a case from the seed, may write into the folder, which is empty, and
#: returns what was wrong with it, a sentence each; nothing if the product held.
SHARES: dict[str, int] = {
    "command_lines": 10,
    "energy": 10,
    "records": 30,
    "replays": 30,
}

Case = Callable[[int, Path], list[str]]


class Drawn(NamedTuple):
    """One case, which can be repeated: ``python -m tests.attack --repeat FRONT:SEED``."""

    front: str
    seed: int

    def __str__(self) -> str:
        return f"{self.front}:{self.seed}"

    @staticmethod
    def parse(text: str) -> Drawn:
        front, _, seed = text.partition(":")
        if front not in SHARES or not seed.isdecimal():
            raise SystemExit(
                f"expected FRONT:SEED with a front of {', '.join(SHARES)}, found '{text}'"
            )
        return Drawn(front, int(seed))


def case_of(front: str) -> Case:
    found: Case = import_module(f"tests.attack.{front}").case
    return found


def draw(cases: int, first_seed: int, only: list[str] | None = None) -> list[Drawn]:
    """That many cases, shared out among the fronts; each front counts its seeds up from the first."""
    shares = {front: share for front, share in SHARES.items() if only is None or front in only}
    whole = sum(shares.values())
    counts = {front: max(1, cases * share // whole) for front, share in shares.items()}
    return [Drawn(front, first_seed + k) for front, count in counts.items() for k in range(count)]
