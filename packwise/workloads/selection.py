"""Jobs picked by what they are called: --only partition=gpu, --without user=alice,bob."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from packwise.model.errors import InputError, UnknownName, shortened
from packwise.model.workload import Ints, Workload

#: By which jobs can be picked, and the column that it is in.
COLUMNS: Mapping[str, str] = {
    "user": "user",
    "group": "group",
    "account": "account",
    "partition": "partition",
    "queue": "queue",
    "qos": "qos",
    "name": "app",
    "state": "state",
    "features": "features",
    "cluster": "cluster",
}
_LONGEST_LIST = 10


class Selection(NamedTuple):
    """A column, and the names of some of what is in it."""

    by: str
    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, option: str) -> Selection:
        """From ``partition=gpu,debug``."""
        by, equals, names = text.partition("=")
        by = by.strip().lower()
        if not equals or not names.strip():
            raise InputError(
                f"{option}: expected such as partition=gpu,debug, found '{shortened(text)}'."
            )
        if by not in COLUMNS:
            raise UnknownName(f"kind of jobs ({option})", by, COLUMNS)
        return cls(by, tuple(name.strip() for name in names.split(",") if name.strip()))

    def of(self, workload: Workload) -> NDArray[np.bool_]:
        """The jobs of a workload that have one of the names. A name that no job has is refused."""
        column = workload.numbers(COLUMNS[self.by])
        if column is None or (column < 0).all():
            raise InputError(f"'{workload.name}' does not tell the {self.by} of its jobs.")
        words = workload.names.get(COLUMNS[self.by], ())
        there = {
            workload.name_of(COLUMNS[self.by], number) for number in np.unique(column).tolist()
        }
        for name in self.names:
            if name not in there:
                shown = sorted(there)[:_LONGEST_LIST]
                more = ", ..." if len(there) > _LONGEST_LIST else ""
                raise InputError(
                    f"'{workload.name}' has no job of {self.by} '{shortened(name)}'; it has "
                    f"{', '.join(shown)}{more}."
                )
        return named(column, words, self.names)


def named(column: Ints, words: Sequence[str], names: Sequence[str]) -> NDArray[np.bool_]:
    """Which numbers stand for one of the names; a number without a name stands for itself."""
    wanted = set(names)
    numbers = [k for k, word in enumerate(words) if word in wanted]
    numbers += [
        int(name)
        for name in wanted
        if name.isascii() and name.isdigit() and not _has_name(words, int(name))
    ]
    found: NDArray[np.bool_] = np.isin(column, numbers)
    return found


def _has_name(words: Sequence[str], number: int) -> bool:
    return number < len(words) and bool(words[number])
