"""A table of a study file, read key by key; what is wrong is collected with its line."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple, TypeVar

from packwise.files.toml_lines import Place
from packwise.model.errors import InputError, UnknownName
from packwise.model.workload import LARGEST
from packwise.readable import parse_duration
from packwise.workloads.calendar import parse_when

_MOST_PROBLEMS = 20
_LONGEST_TEXT = 1000

Default = TypeVar("Default")


@dataclass
class Problems:
    """What is wrong with a study: all of it in one error, sorted by line.

    ``file`` is None for a study that was made in memory; then there are no lines.
    """

    file: str | None
    lines: Mapping[Place, int] = field(default_factory=dict)
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, problem: str | InputError) -> None:
        entry = (line, " ".join(str(problem).split()))
        if entry not in self.found:
            self.found.append(entry)

    def check(self) -> None:
        """Raise InputError if anything is wrong."""
        if not self.found:
            return
        shown = sorted(self.found, key=lambda entry: entry[0])[:_MOST_PROBLEMS]
        if self.file is None:
            raise InputError("\n".join(text for _, text in shown))
        if len(self.found) == 1:
            line, text = shown[0]
            raise InputError(f"{self.file}, line {line}: {text}")
        rows = [f"  line {line}: {text}" for line, text in shown]
        if len(self.found) > len(shown):
            rows.append(f"  ... and {len(self.found) - len(shown)} more.")
        raise InputError("\n".join([f"{self.file}: {len(self.found)} problems.", *rows]))


class Item(NamedTuple):
    """A value and its line."""

    value: Any
    line: int


class Table:
    """Keys and values at a place of the file. A wrong value is noted, and the default returned."""

    def __init__(self, values: Mapping[str, Any], place: Place, problems: Problems) -> None:
        self.values = values
        self.place = place
        self.problems = problems

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def line(self, *keys: str | int) -> int:
        """The line of a key of this table, or of the nearest thing around it."""
        place = (*self.place, *keys)
        while place:
            if place in self.problems.lines:
                return self.problems.lines[place]
            place = place[:-1]
        return 1

    def wrong(self, problem: str | InputError, *keys: str | int) -> None:
        self.problems.add(self.line(*keys), problem)

    def refuse_unknown(
        self, known: Collection[str], elsewhere: Mapping[str, str] | None = None
    ) -> None:
        """Note every key that is not ``known``; ``elsewhere`` has advice for some of them."""
        for key in self.values:
            if key in known:
                continue
            if elsewhere and key in elsewhere:
                self.wrong(f"unknown key '{key}' here. {elsewhere[key]}", key)
            else:
                self.wrong(UnknownName("key", short(key), known), key)

    def whole(
        self, key: str, default: Default, *, least: int = 0, most: int = LARGEST
    ) -> int | Default:
        """A whole number."""
        if key not in self.values:
            return default
        found = self._whole(key, Item(self.values[key], self.line(key)), least, most)
        return default if found is None else found

    def wholes(self, key: str, *, least: int = 0, most: int = LARGEST) -> list[int]:
        """A list of whole numbers."""
        items = self._list(key, "whole numbers", "[1, 2, 3]")
        found = [self._whole(f"each of {key}", item, least, most) for item in items]
        return [value for value in found if value is not None]

    def _whole(self, key: str, item: Item, least: int, most: int) -> int | None:
        value = item.value
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        limits = f"of {least} or more" if most == LARGEST else f"from {least:,} to {most:,}"
        self.problems.add(
            item.line,
            f"{key} should be a whole number {limits}, found {shown(value)}.{_unquote(value)}",
        )
        return None

    def number(
        self,
        key: str,
        default: Default,
        limits: str,
        fits: Callable[[float], bool],
        remedy: str = "",
    ) -> float | Default:
        """A number for which ``fits`` holds; ``limits`` says the same in words."""
        if key not in self.values:
            return default
        found = self.number_of(key, Item(self.values[key], self.line(key)), limits, fits, remedy)
        return default if found is None else found

    def number_of(
        self, key: str, item: Item, limits: str, fits: Callable[[float], bool], remedy: str = ""
    ) -> float | None:
        """The same for one element of a list."""
        value = _as_float(item.value)
        if value is not None and math.isfinite(value) and fits(value):
            return value
        hint = _unquote(item.value) or (f" {remedy}" if remedy and value is not None else "")
        self.problems.add(
            item.line, f"{key} should be a number {limits}, found {shown(item.value)}.{hint}"
        )
        return None

    def text(self, key: str, default: Default, *, lines: bool = False) -> str | Default:
        """A string that is not empty; of one line unless ``lines``."""
        if key not in self.values:
            return default
        value = self.values[key]
        if isinstance(value, str) and value.strip() and (lines or _is_one_line(value)):
            return value if lines else value.strip()
        self.wrong(f"{key} should be {_TEXT}, found {shown(value)}.", key)
        return default

    def flag(self, key: str) -> bool:
        """true or false; false if the key is not there."""
        value = self.values.get(key, False)
        if isinstance(value, bool):
            return value
        self.wrong(f"{key} should be true or false, without quotes; found {shown(value)}.", key)
        return False

    def one_of(self, key: str, default: str, options: Collection[str]) -> str:
        value = self.values.get(key, default)
        if isinstance(value, str) and value in options:
            return value
        self.wrong(f"{key} should be one of {', '.join(options)}; found {shown(value)}.", key)
        return default

    def seconds(self, key: str, default: Default, *, least: int = 0) -> int | Default:
        """A duration: whole seconds, or a string with a unit."""
        if key not in self.values:
            return default
        value = self.values[key]
        expected = "seconds, or a string such as '90m', '12h', '30d' or '2w'"
        try:
            if isinstance(value, str):
                found = parse_duration(value, key)
                if found >= least:
                    return found
            elif (
                isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST
            ):
                return value
        except InputError:
            pass
        limits = f" of {least} s or more" if least else ""
        self.wrong(f"{key} should be a duration{limits}: {expected}; found {shown(value)}.", key)
        return default

    def when(self, key: str, *, least: int = 0) -> int | str | None:
        """A duration, or a date: as TOML has it, or as text."""
        value = self.values.get(key)
        if isinstance(value, date | datetime):
            value = value.isoformat()
        if isinstance(value, str) and value[:4].isdigit() and value[4:5] == "-":
            try:
                return parse_when(value, key)
            except InputError as error:
                self.wrong(str(error), key)
                return None
        return self.seconds(key, None, least=least)

    def names(self, key: str, example: str) -> list[Item]:
        """A list of one or more strings; an empty one if the key is not there."""
        return [
            item
            for item in self._list(key, "names", example)
            if self._is_name(f"each of {key}", item)
        ]

    def patterns(self, key: str) -> list[Item]:
        """A string or a list of them; empty if the key is not there."""
        if isinstance(self.values.get(key), list):
            return self.names(key, '["AWF", "P?SF"]')
        value = self.text(key, None)
        return [] if value is None else [Item(value, self.line(key))]

    def one_or_more(self, key: str) -> list[Item]:
        """The values of a sweep: one, or a list of them."""
        value = self.values[key]
        if isinstance(value, list):
            return self._list(key, "values", "[1, 2]")
        return [Item(value, self.line(key))]

    def _is_name(self, what: str, item: Item) -> bool:
        good = isinstance(item.value, str) and bool(item.value.strip()) and _is_one_line(item.value)
        if not good:
            self.problems.add(item.line, f"{what} should be {_TEXT}, found {shown(item.value)}.")
        return good

    def _list(self, key: str, of: str, example: str) -> list[Item]:
        if key not in self.values:
            return []
        value = self.values[key]
        if not isinstance(value, list):
            self.wrong(
                f"{key} should be a list of {of}, as in {example}; found {shown(value)}.", key
            )
            return []
        if not value:
            self.wrong(f"{key} should have one element or more, found an empty list.", key)
        return [Item(element, self.line(key, i)) for i, element in enumerate(value)]

    def table(self, key: str) -> Table | None:
        """A table by name."""
        if key not in self.values:
            return None
        value = self.values[key]
        if isinstance(value, dict):
            return Table(value, (*self.place, key), self.problems)
        remedy = f" Write [{key}], with one bracket." if _is_tables(value) else ""
        self.wrong(f"{key} should be a table, found {shown(value)}.{remedy}", key)
        return None

    def tables(self, key: str) -> Iterator[Table]:
        """The repeated tables of a name, in order."""
        value = self.values.get(key, [])
        title = ".".join(str(part) for part in (*self.place, key))
        if isinstance(value, list) and (_is_tables(value) or key not in self.values):
            for i, one in enumerate(value):
                yield Table(one, (*self.place, key, i), self.problems)
            return
        self.wrong(
            f"{key} should be a repeated table, found {shown(value)}. Write [[{title}]], with two "
            "brackets, once for each.",
            key,
        )


_TEXT = f"text of one line that is not empty (at most {_LONGEST_TEXT} letters)"


def shown(value: Any) -> str:
    """A value as the user wrote it, roughly and shortly."""
    if isinstance(value, str):
        return f"'{short(value)}'" if value else "an empty string"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, int) and abs(value) >= 10**18:
        return "a number of 19 digits or more"
    return str(value) if isinstance(value, int | float) else f"the time {value}"


def short(text: str, most: int = 60) -> str:
    """The beginning of a text, control characters escaped."""
    printable = text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
    return printable if len(printable) <= most else f"{printable[: most - 3]}..."


def _is_one_line(text: str) -> bool:
    return text.isprintable() and len(text) <= _LONGEST_TEXT


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _as_float(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _unquote(value: Any) -> str:
    """Advice for a number in quotes."""
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return ""
        return " Write it without quotes."
    return ""
