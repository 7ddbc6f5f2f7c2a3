"""On which line each key of a TOML document is. The standard library parses, but keeps no positions."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right

#: Keys and list positions from the root of a document: ("workload", 1, "procs").
Place = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]*")


def key_lines(text: str) -> dict[Place, int]:
    """The line, counted from 1, of every key, table and list element of a text that tomllib accepts.

    ("workload", 1) is the second ``[[workload]]``, ("policies", 2) the third element of that list.
    """
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Place, int] = {}
        self.repeats: dict[Place, int] = {}  # how many [[tables]] of a name there are so far
        self.breaks = [found.start() for found in re.finditer("\n", text)]

    def scan(self) -> dict[Place, int]:
        table: Place = ()
        self._skip(_GAP)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_GAP)
        return self.lines

    def _header(self) -> Place:
        """``[a.b]`` or ``[[a.b]]``; names on the way lead into the last of repeated tables."""
        line = self._line()
        repeated = self.text.startswith("[[", self.at)
        self.at += 1 + repeated
        *outer, last = self._dotted_key()
        self.at += 1 + repeated
        place: Place = ()
        for key in outer:
            place = (*place, key)
            self.lines.setdefault(place, line)
            if place in self.repeats:
                place = (*place, self.repeats[place] - 1)
        place = (*place, last)
        if not repeated:
            self.lines[place] = line
            return place
        self.lines.setdefault(place, line)
        index = self.repeats.get(place, 0)
        self.repeats[place] = index + 1
        place = (*place, index)
        self.lines[place] = line
        return place

    def _pair(self, table: Place) -> None:
        line = self._line()
        *outer, last = self._dotted_key()
        place = table
        for key in outer:
            place = (*place, key)
            self.lines.setdefault(place, line)
        place = (*place, last)
        self.lines[place] = line
        self.at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(place)

    def _dotted_key(self) -> list[str]:
        """The parts of a key, and the cursor behind it and the spaces that follow."""
        parts = []
        while True:
            self._skip(_SPACE)
            parts.append(_plain(self._skip(_KEY)))
            self._skip(_SPACE)
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def _value(self, place: Place) -> None:
        first = self.text[self.at]
        if first in "\"'":
            self._skip(_STRING)
        elif first == "[":
            self._list(place)
        elif first == "{":
            self._inline_table(place)
        else:
            self._skip(_SCALAR)

    def _list(self, place: Place) -> None:
        self.at += 1
        index = 0
        while not self._closed("]"):
            element = (*place, index)
            self.lines[element] = self._line()
            self._value(element)
            index += 1

    def _inline_table(self, place: Place) -> None:
        self.at += 1
        while not self._closed("}"):
            self._pair(place)

    def _closed(self, bracket: str) -> bool:
        """Go to the next element, or behind the closing bracket."""
        self._skip(_GAP)
        if self.text[self.at] == ",":
            self.at += 1
            self._skip(_GAP)
        if self.text[self.at] == bracket:
            self.at += 1
            return True
        return False

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        assert found is not None, "not a text that tomllib accepts"
        self.at = found.end()
        return found[0]

    def _line(self) -> int:
        return bisect_right(self.breaks, self.at) + 1


def _plain(key: str) -> str:
    """A key without its quotes and escapes."""
    if key[0] == '"' and "\\" in key:
        return next(iter(tomllib.loads(f"{key} = 0")))
    return key[1:-1] if key[0] in "\"'" else key
