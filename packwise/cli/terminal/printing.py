"""Texts as a terminal can show them."""

from __future__ import annotations


def printable(text: str, *, lines: bool = False) -> str:
    """Text from files so that a terminal shows it and obeys nothing in it: ESC becomes \\x1b.

    With ``lines`` it may have several.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or (lines and c == "\n") else ascii(c)[1:-1] for c in text)
