"""A table of jobs as columns, whatever file it came from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from packwise.model.errors import FormatError
from packwise.model.workload import LARGEST, Floats, Ints

_LONGEST_QUOTE = 40


def quote(text: str) -> str:
    """Text of a file for a message: its beginning, if it is long."""
    return f"'{text}'" if len(text) <= _LONGEST_QUOTE else f"'{text[:_LONGEST_QUOTE]}...'"


class Table(ABC):
    """Columns by name. What is wrong with a cell is said with the place of the cell."""

    path: str

    @abstractmethod
    def __len__(self) -> int:
        """How many rows there are."""

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The columns there are."""

    @abstractmethod
    def texts(self, name: str) -> list[str]:
        """A column as text; an empty cell is an empty text."""

    @abstractmethod
    def refusal(self, row: int, expected: str, found: str, remedy: str = "") -> FormatError:
        """The error for one row."""

    @abstractmethod
    def loose_numbers(self, name: str) -> Floats:
        """A column as numbers; NaN for a cell that is none."""

    def coded(self, name: str) -> tuple[list[str], Ints]:
        """The distinct texts of a column in alphabetical order, without the empty one, and for each row the
        place of its text among them; -1 for an empty cell.
        """
        texts = self.texts(name)
        words = sorted(set(texts) - {""})
        number = {word: k for k, word in enumerate(words)} | {"": -1}
        return words, np.array([number[text] for text in texts], np.int64)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def numbers(self, name: str, most: float = LARGEST) -> Floats:
        """A column of finite numbers up to ``most`` in size."""
        values = self.loose_numbers(name)
        wrong = ~(np.abs(values) <= most)
        if wrong.any():
            size = " below 2^40" if most == LARGEST else ""
            raise self._wrong(int(np.argmax(wrong)), name, f"a number{size}")
        return values

    def whole(self, name: str) -> Ints:
        """A column of whole numbers."""
        values = self.numbers(name)
        wrong = values != np.floor(values)
        if wrong.any():
            raise self._wrong(int(np.argmax(wrong)), name, "a whole number")
        return values.astype(np.int64)

    def need(self, *names: str) -> None:
        """Refuse the file if a column is missing."""
        for name in names:
            if name not in self:
                raise FormatError(
                    self.path,
                    line=self.head,
                    expected=f"a column '{name}'",
                    found=f"columns {', '.join(self.names)[:200] or 'of another table'}",
                )

    @property
    def head(self) -> int | None:
        """The line that has the names of the columns, where there are lines."""
        return None

    def quoted(self, name: str, row: int) -> str:
        """A cell for a message."""
        return quote(self.texts(name)[row])

    def _wrong(self, row: int, name: str, expected: str) -> FormatError:
        return self.refusal(row, f"{expected} in column '{name}'", self.quoted(name, row))
