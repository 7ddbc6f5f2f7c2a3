"""Pages with parts that a script writes, between markers; and tables for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from packwise.model.errors import InputError


def filled(page: str, parts: Mapping[str, str]) -> str:
    """The page with new text between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``."""
    for name, text in parts.items():
        marked = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if not marked.search(page):
            raise InputError(
                f"the page has no place for '{name}': <!-- begin {name} --> is missing."
            )
        page = marked.sub(lambda found, text=text: f"{found[1]}\n{text}\n\n{found[2]}", page)
    return page


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as Markdown has it."""
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
