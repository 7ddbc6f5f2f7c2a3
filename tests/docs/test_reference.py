"""The reference pages say what the code says."""

from __future__ import annotations

import importlib.util

import pytest

from tests.docs.snippets import ROOT


def generated() -> dict[str, str]:
    path = ROOT / "scripts" / "generate_reference.py"
    spec = importlib.util.spec_from_file_location("generate_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pages()


@pytest.mark.parametrize("name", ["metrics.md", "policies.md", "cli.md"])
def test_the_page_is_up_to_date(name):
    committed = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert committed == generated()[name], "run python scripts/generate_reference.py"


def test_every_generated_page_is_tested():
    assert set(generated()) == {"metrics.md", "policies.md", "cli.md"}


def test_the_readme_counts_right():
    from packwise.metrics import METRICS
    from packwise.registry import POLICIES

    assert f"{len(POLICIES)} policies" in " ".join(
        (ROOT / "README.md").read_text(encoding="utf-8").split()
    )
    # What is new is held to what is there; what was once released is history, and stays as it was.
    new = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## 0.1.0")[0]
    assert f"there are now {len(METRICS)} of them" in " ".join(new.split())
