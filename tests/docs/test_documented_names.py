"""What the pages call public, and what they import, is there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import packwise
from tests.docs.snippets import ROOT

REFERENCE = ROOT / "docs" / "reference" / "python.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_IMPORT = re.compile(r"^\s*from\s+(packwise[\w.]*)\s+import\s+(\([^)]*\)|[^\n#]+)", re.MULTILINE)
_DOTTED = re.compile(r"`(packwise(?:\.\w+)+)")
_NAME = re.compile(r"`([A-Za-z_]\w*)(?:\([^`]*\))?`")


def has(module: str, name: str) -> bool:
    """Whether ``from module import name`` works, in a fresh process as well as here."""
    return hasattr(import_module(module), name)


def sections(page: str) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text: str) -> list[list[str]]:
    """The cells of the tables in a text, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [line.strip("| ").split(" | ") for line in lines]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_imports_of_a_page(page: Path) -> None:
    for module, listed in _IMPORT.findall(page.read_text(encoding="utf-8")):
        for name in listed.strip("()` \n").split(","):
            plain = name.strip().partition(" as ")[0]
            if plain:
                assert has(module, plain), f"from {module} import {plain}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_dotted_names_of_a_page(page: Path) -> None:
    for dotted in set(_DOTTED.findall(page.read_text(encoding="utf-8"))):
        try:
            import_module(dotted)
        except ModuleNotFoundError:
            module, _, name = dotted.rpartition(".")
            assert has(module, name), dotted


def test_what_is_importable_from_the_package() -> None:
    found = sections(REFERENCE.read_text(encoding="utf-8"))
    listed = {
        name
        for title in ("Do", "Values", "Policies and estimates")
        for row in rows(found[title])
        for name in _NAME.findall(row[0])
    }
    assert listed | {"PackwiseError"} == set(packwise.__all__)
    for name in listed:
        assert has("packwise", name)


def test_names_of_studies() -> None:
    table = rows(sections(REFERENCE.read_text(encoding="utf-8"))["Studies"])
    assert len(table) >= 10
    for first, second, *_ in table:
        name = first.strip("`").partition("(")[0].partition(".")[0]
        module = f"packwise.experiments.{second.strip('`')}"
        assert has(module, name), f"from {module} import {name}"


def test_names_by_module() -> None:
    table = rows(sections(REFERENCE.read_text(encoding="utf-8"))["By module"])
    assert len(table) > 25
    for first, second in table:
        module, names = first.strip("`"), _NAME.findall(second.partition(":")[0])
        assert names, module
        for name in names:
            assert has(module, name), f"from {module} import {name}"


def test_the_tree_of_errors() -> None:
    """Every class of the tree, in both pages, and no class that is not in them."""
    from packwise.model import errors

    tree = sections((ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8"))[
        "The tree"
    ]
    drawn = set(re.findall(r"^[│├└─ ]*([A-Z]\w+)(?:\s{2,}|$)", tree, re.MULTILINE))
    there = {name for name, value in vars(errors).items() if isinstance(value, type)}
    there = {name for name in there if issubclass(getattr(errors, name), errors.PackwiseError)}
    assert drawn == there
    listed = dict(rows(sections(REFERENCE.read_text(encoding="utf-8"))["By module"]))
    assert set(_NAME.findall(listed["`packwise.model.errors`"])) == there - {"PackwiseError"}
