"""Where text goes: results to stdout, messages to stderr; tables, and JSON without NaN."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from packwise.cli.terminal.printing import printable as printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

Item = TypeVar("Item")

#: Lines in a file or a pipe are not folded to the width of a terminal that is not there.
PIPE_WIDTH = 160


def stdout() -> Console:
    """The console for results."""
    return _console(stderr=False)


def stderr() -> Console:
    """The console for messages, progress and errors."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, emoji=False)


def plain(text: str, style: str = "") -> Text:
    """Text for a cell of a table, as it is: no markup, nothing that a terminal obeys."""
    from rich.text import Text

    return Text(printable(text), style)


def note(message: str) -> None:
    """A remark on stderr."""
    stderr().print(printable(message), style="dim", soft_wrap=True, markup=False)


#: How a line begins that comes only where something takes long: how fast the machine is decides whether it
#: does, so nobody should compare it.
MEANWHILE = "... "


def meanwhile(message: str) -> None:
    """How far something is, on stderr, where there is no terminal for a bar."""
    note(f"{MEANWHILE}{message}")


def table(*columns: str, title: str = "", right: tuple[str, ...] = ()) -> Table:
    """An empty table; columns named in ``right`` hold numbers."""
    from rich import box
    from rich.text import Text

    from packwise.cli.terminal.plain_table import PlainTable

    new = PlainTable(
        box=box.SIMPLE_HEAD,
        title=Text(title) if title else None,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )
    for name in columns:
        new.add_column(
            Text(printable(name, lines=True)),
            justify="right" if name in right else "left",
            no_wrap=name in right,
            min_width=min(max(map(len, name.split("\n"))), 12),
        )
    return new


def fits(shown: Table, slack: int = 0) -> bool:
    """Whether a table can be printed on one line per row, but for ``slack`` characters."""
    from rich.measure import Measurement

    console = stdout()
    unbounded = console.options.update(max_width=100_000)
    return Measurement.get(console, unbounded, shown).maximum - slack <= console.width


def in_blocks(make: Callable[[Sequence[Item]], Table], items: Sequence[Item]) -> Iterator[Table]:
    """Tables of as many items as fit beside each other, so that none is cut off."""
    rest = list(items)
    while rest:
        size = len(rest)
        while size > 1 and not fits(make(rest[:size])):
            size -= 1
        yield make(rest[:size])
        rest = rest[size:]


def print_json(value: object) -> None:
    """One JSON object on stdout; what is not a finite number becomes null."""
    print(json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return str(value)
