"""A TOML file whose mistakes are told with their lines."""

from __future__ import annotations

import math
import os
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from packwise.files.content import file_content
from packwise.files.toml_lines import Place, key_lines
from packwise.model.errors import FormatError, InputError, shortened
from packwise.model.workload import LARGEST

#: More levels than these are for no reader of ours.
_DEEPEST = 32
_MOST_DOTS = 10_000
#: Python shows no number of more than 4,300 digits.
_MOST_BITS = 10_000
_DIGITS = re.compile(r"[0-9_]{4301,}")


@dataclass(frozen=True)
class TomlDocument:
    """The values of a file, and the line of each."""

    path: str
    values: Mapping[str, Any]
    lines: Mapping[Place, int]

    def refuse(self, place: Place, expected: str, found: str, remedy: str = "") -> NoReturn:
        """Say what is wrong at a place, with its line (or that of the table it should be in)."""
        while place and place not in self.lines:
            place = place[:-1]
        line = self.lines.get(place)
        raise FormatError(self.path, line=line, expected=expected, found=found, remedy=remedy)

    def check_keys(self, place: Place, values: Mapping[str, Any], known: Sequence[str]) -> None:
        """Refuse a key that is not known."""
        for key in values:
            if key not in known:
                self.refuse((*place, key), f"one of {', '.join(known)}", f"'{shortened(key)}'")

    def text(self, place: Place, value: Any) -> str:
        if not isinstance(value, str):
            self.refuse(place, f"{place[-1]} to be a text", shortened(repr(value)))
        return value

    def number(self, place: Place, value: Any, least: float = -math.inf) -> float:
        """A finite number that is not too small."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not abs(value) <= sys.float_info.max or value < least:
            name = next(
                part for part in reversed(place) if isinstance(part, str)
            )  # not a place in a list
            limit = "" if least == -math.inf else f" of {least:g} or more"
            self.refuse(place, f"{name} to be a number{limit}", shortened(repr(value)))
        return float(value)

    def whole(self, place: Place, value: Any, least: int) -> int:
        """A whole number that is neither too small nor too large."""
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
            most = "" if not isinstance(value, int) or value < least else f" and at most {LARGEST}"
            self.refuse(
                place,
                f"{place[-1]} to be a whole number of {least} or more{most}",
                shortened(repr(value)),
            )
        return int(value)


def read_toml(path: str | os.PathLike[str], what: str, example: str) -> TomlDocument:
    """A TOML file; ``what`` it should be, and an example of it, are for who wrote something else."""
    try:
        return TomlDocument(str(path), *parse_toml(path, file_content(path).decode()))
    except UnicodeDecodeError as error:
        raise FormatError(str(path), expected="UTF-8 text", found="other bytes") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"{path}: not TOML: {shortened(str(error))}. {what} looks like this:\n{example}"
        ) from error


def parse_toml(path: str | os.PathLike[str], text: str) -> tuple[dict[str, Any], dict[Place, int]]:
    """The values of a text, and their lines. What would surprise whoever looks at the values, or shows one, is
    refused: numbers of thousands of digits, and deep nesting.
    """
    nested = FormatError(
        str(path),
        expected="a TOML file",
        found=f"lists or tables nested more than {_DEEPEST} levels deep",
    )
    if any(
        line.count(".") > _MOST_DOTS for line in text.split("\n")
    ):  # a key of so many parts takes minutes
        raise nested
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # thousands of digits
        line = 1 + text.count("\n", 0, found.start()) if (found := _DIGITS.search(text)) else None
        raise _too_large(path, line) from error
    except RecursionError as error:
        raise nested from error
    large: list[Place] = []
    left: list[tuple[Place, Any]] = [((), values)]
    while left:
        place, value = left.pop()
        if len(place) > _DEEPEST:
            raise nested
        if isinstance(value, dict):
            left += [((*place, key), one) for key, one in value.items()]
        elif isinstance(value, list):
            left += [((*place, k), one) for k, one in enumerate(value)]
        elif isinstance(value, int) and value.bit_length() > _MOST_BITS:
            large.append(place)
    lines = key_lines(text)
    if large:
        raise _too_large(path, min((lines[at] for at in large if at in lines), default=None))
    return values, lines


def _too_large(path: str | os.PathLike[str], line: int | None) -> FormatError:
    return FormatError(
        str(path), line=line, expected="a TOML file", found="a number of thousands of digits"
    )
