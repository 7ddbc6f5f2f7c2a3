"""Imports point one way: model <- engine <- policies, and so on up to the command line."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import packwise

PACKAGE = Path(__file__).resolve().parents[1] / "packwise"

#: Which parts of the package each part may import.
ALLOWED = {
    "readable": {"model"},
    "model": {"model"},
    "compiled": {"compiled", "files", "model"},
    "extras": {"model"},
    "files": {"files", "model"},
    "energy": {"energy", "files", "model", "readable"},
    "clusters": {"clusters", "files", "model", "readable"},
    "engine": {"engine", "compiled", "model"},
    "policies": {"policies", "engine", "model"},
    "optimise": {"optimise", "policies", "engine", "compiled", "extras", "model", "readable"},
    "predict": {"predict", "engine", "compiled", "extras", "model"},
    "workloads": {
        "workloads",
        "clusters",
        "compiled",
        "files",
        "model",
        "readable",
        "warm_up",
    },
    "metrics": {
        "metrics",
        "simulation",
        "policies",
        "engine",
        "model",
        "readable",
        "users_code",
        "users_modules",
        "warm_up",
    },
    "node_feasibility": {"model"},
    "feasibility": {"metrics", "model", "node_feasibility"},
    "power_cap": {"model", "readable"},
    "simulation": {
        "engine",
        "model",
        "policies",
        "power_cap",
        "predict",
        "registry",
        "warm_up",
    },
    "side_by_side": {
        "metrics",
        "model",
        "policies",
        "predict",
        "readable",
        "registry",
        "simulation",
        "warm_up",
        "workloads",
    },
    "frames": {"model", "side_by_side"},
    "notebook": {"metrics", "model", "pictures", "readable", "side_by_side", "workloads"},
    "planning": {"model", "optimise", "policies", "predict", "simulation"},
    "contract": {"simulation", "feasibility", "model", "predict"},
    "users_modules": {"files", "model"},
    "users_code": {"files", "model", "users_modules"},
    "registry": {"model", "optimise", "policies", "predict", "users_code"},
    "whatif": {"metrics", "model", "readable"},
    "adapters": {
        "adapters",
        "clusters",
        "files",
        "forecasting",
        "model",
        "optimise",
        "readable",
        "workloads",
    },
    "sooner": {"model"},
    "forecasting": {"forecasting", "model", "predict", "simulation", "sooner"},
    "pictures": {
        "pictures",
        "extras",
        "files",
        "model",
        "metrics",
        "readable",
        "whatif",
        "workloads",
    },
    "warm_up": {"warm_up", "compiled", "model", "optimise"},
    "experiments": {
        "compiled",
        "experiments",
        "clusters",
        "energy",
        "extras",
        "warm_up",
        "simulation",
        "registry",
        "users_code",
        "users_modules",
        "metrics",
        "workloads",
        "files",
        "model",
        "policies",
        "predict",
        "readable",
    },
    "reports": {
        "reports",
        "experiments",
        "extras",
        "pictures",
        "metrics",
        "workloads",
        "files",
        "model",
        "readable",
    },
}
MODULES = {
    ".".join(("packwise", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


@cache  # each module is looked at by two tests
def imports(text: str) -> set[str]:
    """The modules that a source imports, whichever way; a public name of the package as its home."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports should say where from: no dots"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if node.module == "packwise":
                    homes = [home for home, names in packwise._HOMES.items() if alias.name in names]
                    found.add(homes[0] if homes else name)
                else:
                    found.add(name if name in MODULES else str(node.module))
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@pytest.mark.parametrize("part", ALLOWED)
def test_imports_point_down(part):
    files = {name: path for name, path in MODULES.items() if part_of(name) == part}
    assert files
    for path in files.values():
        for module in imports(path.read_text()):
            if module.startswith("packwise.") and module != "packwise.__version__":
                assert part_of(module) in ALLOWED[part], f"{path} imports {module}"


@pytest.mark.parametrize(
    "text",
    [
        "from packwise import registry",
        "from packwise import simulate",
        "import packwise.registry",
        "from packwise.registry import policy",
        "def f():\n    from packwise import registry as r",
    ],
)
def test_no_way_of_importing_escapes(text):
    assert {part_of(module) for module in imports(text)} <= {"registry", "simulation"}


def test_no_circles():
    """No module imports itself, through others, not even inside functions."""
    ways = {
        name: {m for m in imports(path.read_text()) if m in MODULES and m != name}
        for name, path in MODULES.items()
    }
    left = dict(ways)
    while free := [name for name, needed in left.items() if not needed & left.keys()]:
        for name in free:
            del left[name]
    circles = {name for name in left if _reaches(name, name, ways)}
    assert not circles


def _reaches(begin: str, end: str, ways: dict[str, set[str]]) -> bool:
    seen: set[str] = set()
    ahead = [begin]
    while ahead:
        for module in ways[ahead.pop()]:
            if module == end:
                return True
            if module not in seen:
                seen.add(module)
                ahead.append(module)
    return False


@pytest.mark.parametrize("path", sorted((PACKAGE / "model").glob("*.py")), ids=lambda p: p.name)
def test_the_model_needs_numpy_only(path):
    import sys

    outside = {m.split(".")[0] for m in imports(path.read_text())} - {"packwise", "numpy"}
    assert outside <= set(sys.stdlib_module_names)


def test_every_part_is_listed():
    parts = {p.relative_to(PACKAGE).parts[0].removesuffix(".py") for p in PACKAGE.rglob("*.py")}
    assert parts - set(ALLOWED) <= {"__init__", "__main__", "cli"}
