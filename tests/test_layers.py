"""Imports point one way: model <- engine <- policies, and so on up to the command line."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "packwise"

#: Which parts of the package each part may import.
ALLOWED = {
    "readable": {"model"},
    "model": {"model"},
    "files": {"files", "model"},
    "engine": {"engine", "model"},
    "policies": {"policies", "engine", "model"},
    "optimise": {"optimise", "policies", "engine", "model"},
    "predict": {"predict", "engine", "model"},
    "workloads": {"workloads", "files", "model", "readable"},
    "metrics": {"metrics", "engine", "model", "readable"},
    "feasibility": {"metrics", "model"},
    "simulation": {"engine", "model", "policies", "predict"},
    "contract": {"simulation", "feasibility", "model", "predict"},
    "users_code": {"model"},
    "registry": {"model", "optimise", "policies", "predict", "users_code"},
    "pictures": {"pictures", "files", "model", "metrics", "workloads"},
    "warm_up": {"model", "optimise", "policies", "predict", "simulation", "metrics", "workloads"},
    "experiments": {
        "experiments",
        "warm_up",
        "simulation",
        "registry",
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
        "pictures",
        "metrics",
        "workloads",
        "files",
        "model",
        "readable",
    },
}
FILES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0].removesuffix(".py") in ALLOWED
)


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path):
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for module in imports(path):
        if module.startswith("packwise."):
            assert module.split(".")[1] in ALLOWED[part], f"{path} imports {module}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "model").glob("*.py")), ids=lambda p: p.name)
def test_the_model_needs_numpy_only(path):
    import sys

    outside = {m.split(".")[0] for m in imports(path)} - {"packwise", "numpy"}
    assert outside <= set(sys.stdlib_module_names)


def test_every_part_is_listed():
    parts = {p.relative_to(PACKAGE).parts[0].removesuffix(".py") for p in PACKAGE.rglob("*.py")}
    assert parts - set(ALLOWED) <= {"__init__", "__main__", "cli"}
