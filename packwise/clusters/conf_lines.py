"""The lines of a ``slurm.conf`` as Slurm itself reads them.

A comment ends a line. One that then ends in a backslash goes on with the next as it stands: nothing comes
between them, and blanks at the beginning of the next one stay. A line is pairs of key=value, a value with
blanks in double quotes. Slurm refuses a line with anything else, and so do we: what is cut off would be lost.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from packwise.files.content import file_content
from packwise.files.table import quote
from packwise.model.errors import FormatError

#: The lines that are looked at.
_OURS = re.compile(
    r"(?:^|\s)(?:NodeName|PartitionName|ClusterName|SelectTypeParameters|Scheduler\w+|Priority\w+|FairShare\w+)"
    r"\s*=",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*#")
_GOES_ON = re.compile(r"(?<!\\)(?:\\\\)*\\\s*$")
_PAIR = re.compile(r'\s*([\w.]+)\s*[-*+/]?=\s*(?:"([^"]*)"|(\S+))(?!\S)')
_INCLUDE = re.compile(r"\s*include\s+(\S+)", re.IGNORECASE)
#: Files that a file includes, inside one another and in all.
_DEEPEST, _MOST_FILES = 5, 1_000


def conf_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The settings of each line that tells of nodes, partitions or the scheduler, by name in lower case; files
    that are included stand where they are named.
    """
    yield from _Conf().lines(Path(path), ())


class _Conf:
    def __init__(self) -> None:
        self.files = 0

    def lines(self, path: Path, outer: tuple[Path, ...]) -> Iterator[tuple[int, dict[str, str]]]:
        """Those of a file that the files ``outer`` include, one the other."""
        self.files += 1
        for number, line in _whole_lines(file_content(path).decode(errors="replace")):
            if included := _INCLUDE.match(line):
                other = path.parent / included[1]
                self._check(path, number, other, (*outer, path))
                yield from self.lines(other, (*outer, path))
            elif _OURS.search(line):
                yield number, _pairs(path, number, line)

    def _check(self, path: Path, line: int, other: Path, chain: tuple[Path, ...]) -> None:
        """Refuse a file that is not there, that includes itself, or that is one too many."""
        expected = f"an included file that is where it says, {quote(str(other))}"
        found, remedy = (
            "none",
            "Put it there, or its NodeName and PartitionName lines into this file.",
        )
        if other.is_file():
            expected, found = "a file that does not include itself", ""
            circle = [one.resolve() for one in chain]
            if other.resolve() in circle:
                names = (*chain[circle.index(other.resolve()) :], other)
                found = " includes ".join(quote(one.name) for one in names)
                remedy = "Remove one of these lines."
            elif len(chain) > _DEEPEST or self.files >= _MOST_FILES:
                expected = f"files inside one another up to {_DEEPEST} deep, {_MOST_FILES:,} in all"
                found = quote(str(other)) + " besides"
                remedy = "Put what they say into fewer files."
        if found:
            raise FormatError(str(path), line=line, expected=expected, found=found, remedy=remedy)


def _whole_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without comments, put together where they go on, and where each begins."""
    held, begin = "", 1
    for number, raw in enumerate(text.split("\n"), 1):
        comment = _COMMENT.search(raw)
        line = raw[: comment.end() - 1] if comment else raw
        if goes_on := _GOES_ON.search(line):
            held += line[: goes_on.start()] + "\\" * (goes_on[0].count("\\") - 1)
            continue
        yield begin, held + line
        held, begin = "", number + 1
    if held:
        yield begin, held


def _pairs(path: Path, number: int, line: str) -> dict[str, str]:
    """The settings of a line, all of it."""
    text = re.sub(r"\\(.)", r"\1", line.rstrip())
    settings = {}
    at = 0
    while at < len(text):
        found = _PAIR.match(text, at)
        if found is None:
            raise FormatError(
                str(path),
                line=number,
                expected="key=value pairs",
                found=quote(text[at:].strip()),
                remedy="A line that goes on ends in a backslash; the next must not begin with a blank inside a "
                "value.",
            )
        settings[found[1].lower()] = found[3] if found[2] is None else found[2]
        at = found.end()
    return settings
