"""The fenced blocks of a page, and how each is run.

In one page, all in one temporary folder:

* ```python blocks run one after the other in one namespace; an ```output block after one is what
  it prints;
* ```console and ```bash blocks: each line '$ packwise ...' or '$ python ...' is run; lines below it
  are what it prints, compared without regard to numbers, and without lines that come only on a slow
  machine; '...' stands for any lines; '$ echo $?' shows the exit status, which is otherwise 0;
* a block with title="name" is a file of that name;
* a block after '<!-- not run: reason -->', and any other block, is only shown.

``python -m tests.docs.snippets --refresh`` writes what the commands print now into the pages.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir
from typer.testing import CliRunner, Result

from packwise.cli.terminal import MEANWHILE
from tests.at_home import working_at_home

ROOT = Path(__file__).resolve().parents[2]
GENERATED = (
    "cli.md",
    "metrics.md",
    "policies.md",
    "benchmarks.md",
    "reproduction.md",
    "benchmarks-studies.md",
    "benchmarks-records.md",
    "benchmarks-large.md",
    "benchmarks-slurm.md",
    "benchmarks-compile.md",
    "benchmarks-forecast.md",
)
ELIDED = "..."

_FENCE = re.compile(
    r"^(?P<before><!-- not run: [^\n]+ -->\n\n?)?(?P<indent>[ ]*)```(?P<info>[^\n`]+)\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """One fenced block: where its text stands, what it is, and whether it is to be run."""

    line: int
    span: tuple[int, int]
    kind: str
    title: str | None
    text: str
    runs: bool


def pages() -> list[Path]:
    """All pages with snippets."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if page.name not in GENERATED]


def blocks(page: str) -> Iterator[Block]:
    for match in _FENCE.finditer(page):
        title = _TITLE.search(match["info"])
        yield Block(
            line=page.count("\n", 0, match.start("text")),
            span=match.span("text"),
            kind=match["info"].split()[0],
            title=title[1] if title else None,
            text=match["text"],
            runs=not match["before"],
        )


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block and the lines shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0][:-1] + line.strip(), [])
        elif found:
            found[-1][1].append(line)
    yield from found


class Shell:
    """Runs the commands of a page in its folder; ``packwise`` in this process, or each command ``apart``."""

    def __init__(self, folder: Path, *, apart: bool = False) -> None:
        self.folder = folder
        self.apart = apart
        self.status = 0
        self.caches = {  # nothing is left in the user's, but Matplotlib keeps its fonts
            "XDG_CACHE_HOME": str(folder / ".cache"),
            "MPLCONFIGDIR": user_cache_dir("matplotlib"),
        }

    def run(self, command: str) -> list[str]:
        """What the command prints, without trailing blanks."""
        if command == "echo $?":
            return [str(self.status)]
        program, *arguments = shlex.split(command, comments=True)
        if program == "packwise" and not self.apart:
            lines = self._in_this_process(arguments)
        else:
            lines = self._in_a_process(program, arguments)
        shown = [line.rstrip() for line in lines]
        return [line for line in shown if not line.startswith(MEANWHILE)]

    def _in_this_process(self, arguments: list[str]) -> list[str]:
        result = self.invoke(arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        self.status = result.exit_code
        return result.output.splitlines()

    def invoke(self, arguments: list[str]) -> Result:
        """Command and workers in this process: starting Python and loading compiled code takes seconds."""
        from packwise.cli.app import app

        with contextlib.chdir(self.folder), working_at_home():
            runner = CliRunner(env={"NO_COLOR": "1", **self.caches})
            return runner.invoke(app, arguments, prog_name="packwise")

    def _in_a_process(self, program: str, arguments: list[str]) -> list[str]:
        if program == "packwise":
            program, arguments = sys.executable, ["-m", "packwise", *arguments]
        elif program == "python":
            program = sys.executable
        else:
            raise AssertionError(f"'{program}' is not a command that pages may run")
        done = subprocess.run(
            [program, *arguments],
            cwd=self.folder,
            env={**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(ROOT), **self.caches},
            text=True,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self.status = done.returncode
        return done.stdout.splitlines()


def run_page(path: Path, folder: Path, *, apart: bool = False) -> None:
    """Run everything that a page says can be run."""
    page = path.read_text(encoding="utf-8")
    shell = Shell(folder, apart=apart)
    names: dict[str, Any] = {"__name__": path.stem}
    printed = ""
    with contextlib.chdir(folder):
        for block in blocks(page):
            where = f"{path.relative_to(ROOT)}, line {block.line}"
            if not block.runs:
                continue
            if block.title is not None:
                Path(block.title).write_text(block.text, encoding="utf-8")
            elif block.kind == "python":
                output = io.StringIO()
                source = "\n" * block.line + block.text
                with contextlib.redirect_stdout(output):
                    exec(compile(source, str(path), "exec"), names)
                printed = output.getvalue()
            elif block.kind == "output":
                assert_shown(block.text.split("\n"), printed.split("\n"), where, exact=True)
            elif block.kind in ("console", "bash"):
                _run_commands(shell, block, where)


def _run_commands(shell: Shell, block: Block, where: str) -> None:
    every = list(commands(block.text))
    assert every, f"{where}: a block without a command; mark it as text"
    following = [command for command, _ in every[1:]] + [""]
    for (command, shown), after in zip(every, following, strict=True):
        printed = shell.run(command)
        if "echo $?" not in (command, after):
            assert shell.status == 0, f"{where}: `{command}` ended with {shell.status}: {printed}"
        if any(shown):
            assert_shown(shown, printed, f"{where}: `{command}`")


def assert_shown(shown: list[str], printed: list[str], where: str, *, exact: bool = False) -> None:
    """What a page shows is what was printed; ELIDED lines stand for any number of lines."""
    key = str.rstrip if exact else shape
    expected = [key(line) for line in shown if line.strip()]
    found = [key(line) for line in printed if line.strip()]
    parts: list[list[str]] = [[]]
    for line in expected:
        if line.strip() == ELIDED:
            parts.append([])
        else:
            parts[-1].append(line)
    place = 0
    for i, part in enumerate(parts):
        first, last = i == 0, i == len(parts) - 1
        choices = range(place, len(found) - len(part) + 1)
        if first:
            choices = range(0, 1)
        if last and not first:
            choices = range(len(found) - len(part), len(found) - len(part) + 1)
        for at in choices:
            if at >= place and found[at : at + len(part)] == part:
                place = at + len(part)
                break
        else:
            wanted, got = "\n".join(part), "\n".join(found)
            raise AssertionError(f"{where}: shows\n{wanted}\nbut the command prints\n{got}")
    assert len(parts) > 1 or place == len(found), f"{where}: prints more: {found[place:]}"


def shape(line: str) -> str:
    """A line without its numbers: machines differ in the last digit, and in speed."""
    line = re.sub(r"[-+−]?\d[\d.,]*(e-?\d+)?", "0", line)
    line = re.sub(r"\b0 (s|min|h|d)\b", "0 t", line)
    return " ".join(re.sub(r"[─█▏▎▍▌▋▊▉]+", "", line).split())


def refresh(path: Path) -> None:
    """Write what the commands print now into a page; blocks with elided lines are left alone."""
    page = path.read_text(encoding="utf-8")
    new, copied = "", 0
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        shell = Shell(Path(name))
        names: dict[str, Any] = {"__name__": path.stem}
        printed = ""
        for block in blocks(page):
            text = block.text
            if not block.runs:
                pass
            elif block.title is not None:
                Path(block.title).write_text(text, encoding="utf-8")
            elif block.kind == "python":
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(compile(text, str(path), "exec"), names)
                printed = output.getvalue()
            elif block.kind == "output":
                text = printed
            elif block.kind in ("console", "bash"):
                lines = []
                for command, shown in commands(text):
                    now = shell.run(command)
                    if shell.status and f"$ {command}\n" in text and "$ echo $?" not in text:
                        print(f"{path}: `{command}` ended with {shell.status}: {now}")
                    elided = any(line.strip() == ELIDED for line in shown)
                    now = shown if elided else now if any(shown) else []
                    lines += [f"$ {command}", *now]
                text = "\n".join(lines) + "\n" if "\\\n" not in text else text
            new += page[copied : block.span[0]] + text
            copied = block.span[1]
    path.write_text(new + page[copied:], encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--refresh"]:
        sys.exit(__doc__)
    for one in [Path(name).resolve() for name in sys.argv[2:]] or pages():
        refresh(one)
