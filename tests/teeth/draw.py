"""Functions drawn by a seed, over all rooms of a package.

A room is a top-level folder, the kernels in one, or all top-level modules together. Each gets one function, and
what is left goes by their sizes. A function keeps its place in the draw whatever is written beside it.
"""

from __future__ import annotations

import ast
import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.teeth.breaks import Break, Function, computes, pick

_KERNELS = "kernels"
#: What only shows a value; ``__init__`` and the like compute.
_TRIVIA = {"__repr__", "__str__", "__len__", "__iter__", "__hash__", "__dir__", "__getattr__"}


@dataclass(frozen=True)
class Drawn:
    """A function to be broken, and how. Its ``path`` begins with the name of the package."""

    room: str
    path: str
    name: str
    broken: Break

    def __str__(self) -> str:
        return f"{self.path}::{self.name}"


def draw(package: Path, seed: int, count: int) -> list[Drawn]:
    """As many functions of a package, room by room."""
    rooms = _rooms(package)
    shares = _shares({room: len(found) for room, found in rooms.items()}, seed, count)
    drawn = []
    for room, share in shares.items():
        found = sorted(rooms[room], key=lambda one: _lot(seed, f"{one[0]}::{one[1]}"))
        for path, name, function in found[:share]:
            text = (package.parent / path).read_bytes()
            if broken := pick(text, function, f"{seed} {path}::{name}"):
                drawn.append(Drawn(room, path, name, broken))
    return drawn


def _lot(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()


def _rooms(package: Path) -> dict[str, list[tuple[str, str, Function]]]:
    """All functions that compute something: file, name and syntax tree, by room."""
    rooms = defaultdict(list)
    for file in sorted(package.rglob("*.py")):
        text = file.read_bytes()
        inside = file.relative_to(package)
        for name, function in _functions(ast.parse(text)):
            if computes(text, function):
                path = inside.as_posix()
                rooms[room_of(inside)].append((f"{package.name}/{path}", name, function))
    return dict(rooms)


def room_of(inside: Path) -> str:
    """The room of a file, given by its path inside the package; top-level modules share one without a name."""
    folders = inside.parent.parts
    return "/".join(folders[: folders.index(_KERNELS) + 1] if _KERNELS in folders else folders[:1])


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Functions and methods; those inside a function belong to it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            if node.name not in _TRIVIA:
                yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions(node, prefix)


def _shares(sizes: dict[str, int], seed: int, count: int) -> dict[str, int]:
    """One for each room, and the rest by size, the largest remainders first. With fewer functions than rooms,
    the seed says which rooms go without.
    """
    rooms = sorted(sorted(sizes, key=lambda room: _lot(seed, room))[:count])
    rest = max(0, count - len(rooms))
    exact = {room: rest * sizes[room] / sum(sizes.values()) for room in rooms}
    shares = {room: 1 + int(exact[room]) for room in rooms}
    by_remainder = sorted(rooms, key=lambda room: int(exact[room]) - exact[room])
    for room in by_remainder[: count - sum(shares.values())]:
        shares[room] += 1
    return shares
