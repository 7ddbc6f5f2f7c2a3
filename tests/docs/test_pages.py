"""Every snippet of the documentation runs; every link inside it leads somewhere."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.snippets import ROOT, Shell, assert_shown, blocks, pages, run_page, shape
from tests.lanes import broad

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
README = ROOT / "README.md"
WITH_SNIPPETS = [
    page
    for page in pages()
    if any(
        block.runs and block.kind in ("python", "console", "bash")
        for block in blocks(page.read_text(encoding="utf-8"))
    )
]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def with_marks(page: Path):
    """These take most of the time, and share their commands."""
    slow = page.name in ("tutorial.md", "balanced.md", "optimising-dispatch.md", "python.md") or (
        page.parent.name == "howto" and page.name != "run-a-study.md"
    )
    return pytest.param(page, marks=pytest.mark.slow) if slow else page


@pytest.mark.parametrize(
    "page", [with_marks(page) for page in WITH_SNIPPETS if page != README], ids=name_of
)
def test_every_snippet_runs(page, tmp_path):
    run_page(page, tmp_path)


@pytest.mark.slow
def test_the_readme_in_processes_of_its_own(tmp_path):
    """As a reader would run it: nothing is left over from one command for the next."""
    run_page(README, tmp_path, apart=True)


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith(("http:", "https:")):
            # Two pages are written by scripts that need the real traces.
            generated = target.endswith(("benchmarks.md", "reproduction.md"))
            assert generated or (page.parent / target).exists(), f"{name_of(page)}: {target}"


@pytest.mark.parametrize("example", broad(EXAMPLES), ids=lambda path: path.name)
def test_every_example_runs(example, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_are_examples():
    assert len(EXAMPLES) >= 4


def test_shown_lines_are_compared_without_numbers():
    assert shape("wait   1,234.5 s  ██▌ -3 %") == shape("wait  7 s █ +12 %")
    assert shape("BSLD 7 lower") != shape("AF 7 lower")
    assert_shown(["a", "...", "d"], ["a", "b", "c", "d"], "here")
    with pytest.raises(AssertionError, match="here: shows"):
        assert_shown(["a", "...", "e"], ["a", "b", "d"], "here")
    with pytest.raises(AssertionError, match="here"):
        assert_shown(["a"], ["a", "b"], "here")


def test_lines_of_a_slow_machine_are_not_compared(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import sys\n"
        "from packwise.cli.terminal import meanwhile\n"
        "meanwhile('1 of 2 scenarios, 3.1 per minute')\n"
        "print('done', file=sys.stderr)\n"
    )
    assert Shell(tmp_path).run("python slow.py") == ["done"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_every_notebook_runs(notebook, tmp_path, monkeypatch):
    """Cell by cell, as a notebook does; what the last line of a cell gives has something to show."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    shown = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"], "stored outputs grow old"
        *before, last = ast.parse("".join(cell["source"])).body
        exec(compile(ast.Module(before, []), notebook.name, "exec"), names)
        assert isinstance(last, ast.Expr)
        value = eval(compile(ast.Expression(last.value), notebook.name, "eval"), names)
        shown.append(value._repr_html_())
    assert all(text.startswith(("<", "\n<")) for text in shown)
    assert sum("<svg" in text for text in shown) == 2


def test_every_meaning_of_a_column_is_documented():
    from packwise.workloads.records.meanings import MEANINGS

    page = (ROOT / "docs" / "reference" / "file-formats.md").read_text(encoding="utf-8")
    for name, words in MEANINGS.items():
        assert f"| `{name}` | {words} |" in page
