"""The header of an SWF file: comment lines of the form '; Name: value'."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NAME = re.compile(r"[A-Za-z][\w ]*")
_GUESS = re.compile(r"\(a guess: ([^()]*)\)")
_NUMBERED = re.compile(r"(\d{1,15})(?!\d)\s*(?:-\s+)?(.*)$", re.DOTALL)


def parse(line: str) -> tuple[str, str] | None:
    """('MaxProcs', '338') from '; MaxProcs: 338'; None for a comment of another form."""
    name, colon, value = line.strip().removeprefix(";").partition(":")
    is_field = line.lstrip().startswith(";") and colon and _NAME.fullmatch(name.strip())
    return (name.strip(), value.strip()) if is_field else None


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """Comment lines as found, and the values Packwise uses from them. Names ignore case."""

    header: tuple[str, ...] = field(repr=False)

    def field(self, name: str) -> str | None:
        """The first value under a name, or None."""
        return next(iter(self._values(name)), None)

    @property
    def max_procs(self) -> int | None:
        """Processors of the machine; '338 (batch partition)' counts as 338."""
        return self._number("MaxProcs")

    @property
    def guess(self) -> str:
        """What MaxProcs is a guess from, where we have written that it is one; else nothing."""
        match = _GUESS.search(self.field("MaxProcs") or "")
        return match[1] if match else ""

    @property
    def max_nodes(self) -> int | None:
        """Nodes of the machine."""
        return self._number("MaxNodes")

    @property
    def unix_start_time(self) -> int | None:
        """The moment that submit time 0 stands for, in Unix seconds."""
        return self._number("UnixStartTime")

    @property
    def time_zone(self) -> str | None:
        """Name of the site's time zone, such as Europe/Stockholm."""
        return self.field("TimeZoneString") or None

    @property
    def queues(self) -> dict[int, str]:
        """Names of the queues by number."""
        return self.numbered("Queue")

    @property
    def partitions(self) -> dict[int, str]:
        """Names of the partitions by number."""
        return self.numbered("Partition")

    def _values(self, name: str) -> list[str]:
        parsed = (parse(line) for line in self.header)
        return [pair[1] for pair in parsed if pair and pair[0].lower() == name.lower()]

    def _number(self, name: str) -> int | None:
        """The leading positive integer of the first value that has one."""
        for value in self._values(name):
            if match := re.match(r"\d{1,15}(?!\d)", value):
                return int(match[0]) or None
        return None

    def numbered(self, name: str) -> dict[int, str]:
        """The names under lines such as 'Queue: 3 gpu', by number."""
        found = (_NUMBERED.match(value) for value in self._values(name))
        return {int(match[1]): match[2] for match in found if match}
