"""Which tests reach a module, those that come closest first.

A map of imports: tests that import the module, tests of what imports it, and so on, up to the whole product.
A test file named after the module is close as well, and so is the folder of tests of its room.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from tests.teeth.draw import Drawn, room_of

#: What starts other programs takes its time: such tests come one step later.
_SLOW_TO_START = re.compile(r"\b(subprocess|browser|run_page|Popen)\b")
_SHORTEST_STEM = 4
_OF_ITS_ROOM = 2
#: Tests that compare a whole room with a second implementation of it.
_TWINS = {"engine": "properties", "policies": "properties", "predict": "properties"}


class _Module:
    """What a source imports when it runs, and where names that it passes on come from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text("utf-8")
        tree = ast.parse(self.text)
        for_types = {id(part) for block in _type_checking(tree) for part in ast.walk(block)}
        self.passed_on: dict[str, tuple[str, str]] = {}
        self.named: set[tuple[str, str]] = set()
        for node in ast.walk(tree):
            found: list[tuple[str, str]] = []
            if isinstance(node, ast.ImportFrom):
                found = [(node.module or "", alias.name) for alias in node.names]
                names = (alias.asname or alias.name for alias in node.names)
                self.passed_on |= dict(zip(names, found, strict=True))
            elif isinstance(node, ast.Import):
                found = [(alias.name, "") for alias in node.names]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found = [(node.value, "")]  # what is imported later, by its name
            if id(node) not in for_types:
                self.named.update(found)


def _type_checking(tree: ast.AST) -> Iterator[ast.If]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield node


class Reach:
    """The map of a checkout: a package and the folder ``tests`` beside it."""

    def __init__(self, checkout: Path, package: str) -> None:
        self._checkout = checkout
        self._package = package
        files = [*(checkout / package).rglob("*.py"), *(checkout / "tests").rglob("*.py")]
        self._modules = {_dotted(path.relative_to(checkout)): _Module(path) for path in files}

    def tests(self, drawn: Drawn) -> list[str]:
        """The test files that reach a function, as paths in the checkout; the closest first."""
        steps = self._steps(_dotted(Path(drawn.path)))
        ranks = {}
        for name, module in self._modules.items():
            if module.path.name.startswith("test_"):
                step = min(self._by_imports(name, steps), self._by_name(module.path, drawn))
                if step < len(self._modules):
                    named = not _mentions(module.text, drawn.name)
                    late = 2 * bool(_SLOW_TO_START.search(module.text))
                    own = len(self._imported[name])
                    path = module.path.relative_to(self._checkout).as_posix()
                    ranks[path] = (2 * step + named + late, own, path)
        return sorted(ranks, key=ranks.__getitem__)

    @cached_property
    def _imported(self) -> dict[str, set[str]]:
        """The modules that each module imports."""
        return {
            name: {home for found in module.named if (home := self._home(*found))}
            for name, module in self._modules.items()
        }

    def _home(self, module: str, name: str) -> str | None:
        """Where a name is defined that is imported from somewhere; None outside the checkout."""
        if f"{module}.{name}" in self._modules:
            return f"{module}.{name}"
        if module not in self._modules:
            return None
        further = self._modules[module].passed_on.get(name)
        return (further and further[0] != module and self._home(*further)) or module

    def _steps(self, target: str) -> dict[str, int]:
        """How many imports lead from each module of the package to one."""
        importers: dict[str, set[str]] = {}
        for name, imported in self._imported.items():
            if name.split(".")[0] == self._package:
                for home in imported:
                    importers.setdefault(home, set()).add(name)
        steps, edge = {target: 0}, [target]
        for module in edge:
            for importer in sorted(importers.get(module, ())):
                if importer not in steps:
                    steps[importer] = steps[module] + 1
                    edge.append(importer)
        return steps

    def _by_imports(self, test: str, steps: dict[str, int]) -> int:
        """The steps from a test, or from the helpers that it shares with others."""
        far = len(self._modules)
        near = min((steps.get(home, far) for home in self._imported[test]), default=far)
        helpers = {home for home in self._imported[test] if home.startswith("tests.")}
        folders = test.split(".")[:-1]
        while folders:
            helpers.add(".".join((*folders, "conftest")))
            folders.pop()
        lent = (home for helper in helpers for home in self._imported.get(helper, ()))
        return min(near, 1 + min((steps.get(home, far) for home in lent), default=far))

    def _by_name(self, test: Path, drawn: Drawn) -> int:
        """0 for a file named after the module in its room, 1 elsewhere; then come the others of the room."""
        inside = Path(drawn.path).relative_to(self._package)
        folder = test.relative_to(self._checkout / "tests").parent.as_posix()
        room = room_of(inside).partition("/")[0] or "."
        at_home = folder == room or (room != "." and folder.startswith(f"{room}/"))
        stem = inside.parent.name if inside.stem == "__init__" else inside.stem
        if len(stem) >= _SHORTEST_STEM and f"_{stem}_" in f"{test.stem}_":
            return 0 if at_home else 1
        if at_home and room != ".":
            return _OF_ITS_ROOM
        return _OF_ITS_ROOM + 1 if _TWINS.get(room) == folder else len(self._modules)


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _mentions(text: str, name: str) -> bool:
    """Whether a function, or a method or its class, is called by its name."""
    words = "|".join(re.escape(part) for part in name.split("."))
    return re.search(rf"\b(?:{words})\b", text) is not None
