"""A record as a file: a fact a line, sorted; and what is different between two."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

KEPT = Path(__file__).parent / "kept.txt"
#: Between what was asked and what came of it.
ARROW = " -> "
_SHOWN = 40


def write(lines: Iterable[str], path: Path) -> None:
    path.write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")


def read(path: Path) -> dict[str, str]:
    """What came of each thing that was asked."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SystemExit(
            f"{path}: expected a record, found none ({error.strerror}). Write one: "
            "python -m tests.record write --to FILE."
        ) from error
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        asked, arrow, came = line.rpartition(ARROW)
        if not arrow:
            raise SystemExit(
                f"{path}, line {number}: expected 'what was asked{ARROW}what came of it', found "
                f"'{line[:60]}'. Write the record again."
            )
        found[asked] = came
    return found


class Differences(NamedTuple):
    """``changed``: what was asked, what came of it before, and now."""

    changed: list[tuple[str, str, str]]
    missing: list[str]
    new: list[str]

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.new)

    def words(self, shown: int = _SHOWN) -> list[str]:
        """Lines for people; so many of each kind."""
        lines = []
        for asked, before, now in self.changed[:shown]:
            lines += [f"changed: {asked}", *_fields(before, now)]
        lines += _more(len(self.changed), shown, "changed")
        for kind, some in (("missing", self.missing), ("new", self.new)):
            lines += [f"{kind}: {asked}" for asked in some[:shown]]
            lines += _more(len(some), shown, kind)
        count = f"{len(self.changed)} changed, {len(self.missing)} missing, {len(self.new)} new"
        return [*lines, count]


def differences(before: dict[str, str], now: dict[str, str]) -> Differences:
    both = sorted(before.keys() & now.keys())
    return Differences(
        [(asked, before[asked], now[asked]) for asked in both if before[asked] != now[asked]],
        sorted(before.keys() - now.keys()),
        sorted(now.keys() - before.keys()),
    )


def _fields(before: str, now: str) -> list[str]:
    """The fields that differ, if there are the same ones; else all of it."""
    pairs = list(zip(before.split(), now.split(), strict=False))
    names = [[word.partition("=")[0] for word in text.split()] for text in (before, now)]
    if names[0] != names[1] or "=" not in before:
        return [f"    {before}", f"    {now}"]
    told = (f"{was} became {came.partition('=')[2]}" for was, came in pairs if was != came)
    return [f"    {', '.join(told)}"]


def _more(count: int, shown: int, kind: str) -> list[str]:
    return [f"... {count - shown} more {kind}"] if count > shown else []
