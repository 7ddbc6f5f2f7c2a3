"""``name(key=value, ...)``: how policies, estimates and deadline rules are written.

One parser for all of them, so that the same mistake gives the same message everywhere. Values are text; what
they mean is for those who are named.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from packwise.model.errors import InputError, UnknownName, shortened


class Specification(NamedTuple):
    """A text taken apart: the name, and what its parentheses hold; None where it has none.

    ``kind`` says what is named, for messages; ``text`` is all of it, as it was written.
    """

    kind: str
    text: str
    name: str
    inside: str | None

    def parameters(
        self, known: Iterable[str], *, owner: str = "", last: str | None = None
    ) -> dict[str, str]:
        """Parameters and values: each a known one, given once. Keys are in lower case.

        A comma inside parentheses belongs to a value. What follows ``last=`` is the value of that one, commas,
        parentheses and all. ``owner`` is whose parameters they are, for messages.
        """
        known = tuple(known)
        found: dict[str, str] = {}
        rest: str | None = self.inside if self.inside and self.inside.strip() else None
        while rest is not None:
            if not rest.strip():
                raise self.refusal("expected a parameter after the last comma.")
            is_last = rest.partition("=")[0].strip().lower() == last
            part, rest = (rest, None) if is_last else _first(rest)
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or not key or not value:
                whose = f" of {owner}" if owner else ""
                raise self.refusal(
                    f"expected parameter=value, found '{shortened(part.strip())}'. "
                    f"Parameters{whose}: {', '.join(known)}."
                )
            if key.lower() not in known:
                raise UnknownName(f"parameter of {owner}" if owner else "parameter", key, known)
            if key.lower() in found:
                raise self.refusal(f"parameter '{key.lower()}' is given twice. Keep one.")
            if not is_last and not _is_balanced(value):
                raise self.refusal(f"'{shortened(part.strip())}': a parenthesis is missing.")
            found[key.lower()] = value
        return found

    def refuse_parameters(self, owner: str) -> None:
        """For what takes none."""
        if self.inside is not None and self.inside.strip():
            raise self.refusal(f"'{owner}' takes no parameters.")

    def refusal(self, reason: str) -> InputError:
        """The error for a text that is wrong in itself."""
        return InputError(f"{self.kind} '{shortened(self.text)}': {reason}")


def specification(kind: str, text: str, example: str) -> Specification:
    """Take a text apart; ``kind`` is what it names, and ``example`` how such a text looks."""
    name, opened, behind = text.strip().partition("(")
    found = Specification(kind, text, name.strip(), None)
    if not opened:
        if ")" in name:
            raise found.refusal(f"a parenthesis is missing. Quote it: '{example}'.")
        return found
    inside, closed, after = behind.rpartition(")")
    if not closed:
        raise found.refusal(f"a parenthesis is missing. Quote it: '{example}'.")
    if after:
        raise found.refusal(
            f"expected nothing behind the last parenthesis, found '{shortened(after)}'."
        )
    return found._replace(inside=inside)


def split_names(text: str) -> list[str]:
    """Split a list of names at commas, leaving those inside parentheses alone."""
    names: list[str] = []
    rest: str | None = text
    while rest is not None:
        name, rest = _first(rest)
        names.append(name.strip())
    return [name for name in names if name]


def _is_balanced(text: str) -> bool:
    """Whether every parenthesis has its other half."""
    level = 0
    for letter in text:
        level += (letter == "(") - (letter == ")")
        if level < 0:
            return False
    return level == 0


def _first(text: str) -> tuple[str, str | None]:
    """What stands before the first comma outside parentheses, and what behind it; None if there is none."""
    level = 0
    for place, letter in enumerate(text):
        level += (letter == "(") - (letter == ")")
        if letter == "," and level == 0:
            return text[:place], text[place + 1 :]
    return text, None
