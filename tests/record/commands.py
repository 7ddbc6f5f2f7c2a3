"""What commands print for other programs: those of the documentation that have --json, page by page."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import typer

from packwise.cli.app import app
from tests.docs.snippets import ROOT, Block, Shell, blocks, commands, pages
from tests.record.digests import digest

#: Pages on which studies are run; elsewhere these would take most of the time.
STUDY_PAGES = ("run-a-study.md",)
UNRECORDED_PAGES = {"run-on-a-cluster.md": "its studies need Dask, and are those of another page"}
#: By a part of the command.
UNRECORDED_COMMANDS = {"measured": "a dispatch time by the clock of the machine"}
#: Generated workloads have no more jobs than that.
MOST_JOBS = 150
#: Words in keys of what is not the same each time. The history of a search is told by the clock.
_VARYING = (
    "seconds",
    "per_minute",
    "version",
    "versions",
    "path",
    "machine",
    "bytes",
    "created",
    "key",
    "history",
)

_JOBS = re.compile(r"--jobs (\d+)")


class Page(NamedTuple):
    """A page of the documentation, whose commands are run in its order in a folder of their own."""

    path: Path

    @property
    def about(self) -> str:
        return f"command {self.path.relative_to(ROOT)}"

    def lines(self) -> list[str]:
        found: dict[str, str] = {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            shell = Shell(Path(folder))
            for block in _blocks(self.path):
                if block.title is not None:
                    Path(block.title).write_text(block.text, encoding="utf-8")
                    continue
                for command in _commands(block, self.path):
                    came = _run(shell, command)
                    if came is not None:
                        again = sum(asked.startswith(f"{command} #") for asked in found)
                        found[f"{command} #{again + 1}"] = came
        return [f"{self.about} $ {asked} -> {came}" for asked, came in found.items()]


def documented() -> Iterator[Page]:
    """The pages on which there is something to run."""
    for page in pages():
        runs = any(block.kind in ("console", "bash") for block in _blocks(page))
        if runs and page.name not in UNRECORDED_PAGES:
            yield Page(page)


def _blocks(page: Path) -> Iterator[Block]:
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.runs and (block.title is not None or block.kind in ("console", "bash")):
            yield block


def _commands(block: Block, page: Path) -> Iterator[str]:
    """The commands of a block, on fewer jobs than there."""
    for command, _ in commands(block.text):
        if command.startswith("packwise study") and page.name not in STUDY_PAGES:
            continue
        if "workload generate" in command:
            command = _JOBS.sub(lambda told: f"--jobs {min(int(told[1]), MOST_JOBS)}", command)
        yield command


def _run(shell: Shell, command: str) -> str | None:
    """Run a command; what it printed as JSON, if it can."""
    program, *arguments = shlex.split(command, comments=True) or [""]
    if program != "packwise":
        if program != "echo":
            shell.run(command)
        return None
    if not has_json(arguments) or any(part in arguments for part in UNRECORDED_COMMANDS):
        shell.invoke(arguments)
        return None
    result = shell.invoke([*arguments, "--json"])
    try:
        told = json.loads(result.stdout)
    except json.JSONDecodeError:
        return f"status={result.exit_code} no JSON"
    return f"status={result.exit_code} keys={_keys(told)} values={digest(settled(told))}"


def has_json(arguments: list[str]) -> bool:
    """Whether a command, its arguments behind it, can print JSON."""
    found: Any = typer.main.get_command(app)
    for argument in arguments:
        below = getattr(found, "commands", {})
        if argument not in below:
            break
        found = below[argument]
    return any("--json" in option.opts for option in found.params)


def settled(told: Any) -> Any:
    """Without what is not the same each time."""
    if isinstance(told, dict):
        return {key: settled(value) for key, value in told.items() if not _varies(key)}
    if isinstance(told, list):
        return [settled(value) for value in told]
    return told.replace(str(Path.cwd()), "here") if isinstance(told, str) else told


def _varies(key: str) -> bool:
    return any(word in _VARYING for word in key.lower().split("_"))


def _keys(told: Any) -> int:
    """How many keys there are in all."""
    if isinstance(told, dict):
        return len(told) + sum(map(_keys, told.values()))
    return sum(map(_keys, told)) if isinstance(told, list) else 0
