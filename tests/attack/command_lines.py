"""Command lines: a result that is to go where an input lies, and values that nobody expects.

Every option of every command is found in the product's own declarations; a path that is not known to be
read or written here is a fault. Judged by what is on the disk before and after, by the exit status, and by
what was printed: never a traceback, never an input changed, nothing left behind by what failed.
"""

from __future__ import annotations

import io
import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from packwise.cli.terminal.streams import run_quietly
from tests.attack.command_inputs import OTHER_PATHS, READS, WRITES, make_inputs
from tests.attack.command_tree import Command, Parameter, commands, whole

_STATUS = (0, 1, 2, 3, 4)
_LONGEST = 20_000
#: What a command needs besides its arguments, so that it gets as far as its inputs.
_NEEDED = {
    "explain": ["--at", "100"],
    "whatif": ["--load", "+20%"],
    "solve": ["--budget", "5"],
    "plan": ["--budget", "5"],
    "study run": ["--dry-run"],
    "study compare": ["--published", "published.csv"],
    "report": ["--store", "store"],
}
#: What an output is called where no other name is taken.
_ENDINGS = {
    "plot": ".png",
    "queue": ".png",
    "movable": ".png",
    "report output": ".html",
    "study init output": ".toml",
    "workload clean output": ".swf",
}
#: A network of workers; and what takes longer the more it is.
_NOT_ODD, _SIZES = ("dask",), ("jobs", "users", "budget", "nodes", "cp", "workers", "shake")
_LARGE = ("1e999", "inf", "9" * 400, "99999999999999999999", "9999-12-31T23:59:59")
_ODD = (
    "", " ", "0", "-1", "-", "--", "nan", "-inf", "0x10", "1_000", "½", "٣", "مرحبا", "a" * 5_000, "a\0b",
    "\udc80", "a\nb", "[red]x[/]", "%s%n", "{}", "(", ")", "a(b", "a(b=)", "a=b=c", "=x", "user=", ",", "a,,a",
    "exact*-1", "exact*1e400", "list(depth=99999999999)", "1d", "-1d", "1e3d", "2024-02-30", "0001-01-01",
    "my.py:", ":mine", "my.py:nothing", "log.swf:mine", "column(file=log.swf)", "column(file=no.csv)",
    "no.swf", "no/no.swf", "log.swf", "study.toml", "store", ".", "/", "../..", "/dev/null", "/dev/null/x",
    "a.csv", "a.png", "all", "None", "true", *_LARGE,
)  # fmt: skip
_OF_STORE = re.compile(r"store/(index\.|results/../)")
_NUMBERS = ("0", "-1", "1", "2", "7", "nan", "-inf", "0.5", "-0", "1e-300", *_LARGE)


class Clash(NamedTuple):
    """A result of a command, what is given for one of its inputs, and a file that is read then."""

    command: Command
    output: Parameter
    given: dict[str, str]
    taken: str


class Done(NamedTuple):
    status: int
    out: str
    err: str


def case(seed: int, folder: Path) -> list[str]:
    unknown = [
        f"{command.name}: nobody says whether {one.flag or one.name} is read or written"
        for command in commands()
        for one in command.parameters
        if one.is_path and one.name not in (*READS, *WRITES, *OTHER_PATHS)
    ]
    draw = random.Random(seed)
    make_inputs(folder)
    with _inside(folder):
        return unknown + (_clash(draw, seed // 2) if seed % 2 else _odd(draw))


@cache
def _clashes() -> list[Clash]:
    return [
        Clash(command, output, {one.name: value}, taken)
        for command in commands()
        for output in _outputs(command)
        if output.name != "figures"  # a folder
        for one in command.parameters
        for value, files in READS.get(one.name, {}).items()
        for taken in files
    ]


def _clash(draw: random.Random, number: int) -> list[str]:
    """One of the outputs is one of the inputs, by any name. Seeds that follow each other try them all."""
    command, output, given, taken = _clashes()[number % len(_clashes())]
    # The page of a study takes no options of a log.
    words = _line(draw, command, 0.0 if command.name == "report" else 0.2, given)
    words += _given(output, _another_name(draw, taken, _ending(command, output)))
    before = _disk()
    done = _run(words)
    faults = _faults(done, before)
    if done.status == 0:
        faults.append(f"wrote over {taken}, which it reads")
    return [f"{' '.join(words)}: {fault}" for fault in faults]


def _odd(draw: random.Random) -> list[str]:
    """One or two values that nobody expects."""
    command = draw.choice([one for one in commands() if one.name != "report"])
    words = _line(draw, command, 0.1, {})
    for output in _outputs(command):
        if not output.flag or draw.random() < 0.2:
            words += _given(output, f"made{_ending(command, output)}")
    options = [one for one in command.parameters if one.flag and one.name not in _NOT_ODD]
    for one in draw.sample(options, min(len(options), draw.choice((1, 1, 2)))):
        value = draw.choice(_NUMBERS if one.is_number and draw.random() < 0.8 else _ODD)
        if one.is_switch:
            words.append(one.flag)
        elif not (one.name in _SIZES and (value in _LARGE or value == "a" * 5_000)):
            words += [f"{one.flag}={value}"] if draw.random() < 0.5 else [one.flag, value]
    if draw.random() < 0.2:  # an argument, or one too many
        words.insert(draw.randint(len(command.name.split()), len(words)), draw.choice(_ODD))
    before = _disk()
    return [f"{words}: {fault}" for fault in _faults(_run(words), before)]


def _line(draw: random.Random, command: Command, more: float, given: dict[str, str]) -> list[str]:
    """What a command needs, what is given, and some more of the options that name files."""
    words = [*command.name.split(), *_NEEDED.get(command.name, ())]
    for one in command.parameters:
        if one.name in READS and (one.name in given or not one.flag or draw.random() < more):
            words += _given(one, given.get(one.name) or next(iter(READS[one.name])))
        elif one.name == "force":
            words.append(one.flag)
    return words


def _outputs(command: Command) -> list[Parameter]:
    return [one for one in command.parameters if one.name in WRITES]


def _ending(command: Command, output: Parameter) -> str:
    return _ENDINGS.get(f"{command.name} {output.name}") or _ENDINGS.get(output.name, ".csv")


def _given(one: Parameter, value: str) -> list[str]:
    return [one.flag, value] if one.flag else [value]


def _another_name(draw: random.Random, taken: str, ending: str) -> str:
    """The file as it is called, by a detour, or by a link that ends as the command wants it to."""
    path = Path(taken)
    plain = [taken, f"./{taken}", str(path.absolute()), f"store/../{taken}"]
    if not path.is_file() or (taken.endswith(ending) and draw.random() < 0.5):
        return draw.choice(plain)
    link = Path(f"link{ending}")
    if draw.random() < 0.5:
        link.symlink_to(taken)
    else:
        link.hardlink_to(taken)
    return str(link)


def _faults(done: Done, before: dict[str, str]) -> list[str]:
    after = _disk()
    faults = [
        f"{name} is not what it was" for name, sum_ in before.items() if after.get(name) != sum_
    ]
    if done.status not in _STATUS:
        faults.append(f"ended with {done.status}: {done.err[-300:]}")
    if done.status > 1:
        faults += [f"left {name} behind" for name in after.keys() - before.keys()]
        if not ("error" in done.err.lower() or "usage" in done.err.lower()):
            faults.append(f"failed with {done.status} and no word: {done.err[-300:]!r}")
    if "Traceback" in done.err + done.out:
        faults.append(f"a traceback: {done.err[-300:]}")
    if len(done.err) > _LONGEST:
        faults.append(f"a message of {len(done.err):,} characters: {done.err[:200]}")
    return faults


def _disk() -> dict[str, str]:
    """Every file with its checksum, but for what a store and Python keep up to date by themselves."""
    return {
        str(path): sha256(path.read_bytes()).hexdigest()
        for path in Path().rglob("*")
        if path.is_file() and path.suffix != ".pyc" and not _OF_STORE.match(str(path))
    }


def _run(words: list[str]) -> Done:
    """The command line in this process. An exception that nobody handles is raised, and so a fault."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    status: int | str | None = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            run_quietly(lambda: whole()(words, prog_name="packwise"))
        except SystemExit as end:
            status = end.code
    told = [stream.buffer.getvalue().decode(errors="replace") for stream in (out, err)]  # type: ignore[attr-defined]
    return Done(status if isinstance(status, int) else 0, *told)


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
