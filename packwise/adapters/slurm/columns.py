"""Columns that grow: what is known of every job by its number."""

from __future__ import annotations

import numpy as np

from packwise.model.workload import Ints

#: Those of a view, in its order.
NAMES = (
    "submit", "demand", "estimate", "limit", "user", "group", "app", "queue_number", "deadline",
)  # fmt: skip


class Columns:
    """Whole numbers by name and by job."""

    def __init__(self) -> None:
        self._table = np.zeros((len(NAMES), 64), np.int64)
        self.size = 0

    def add(self, values: dict[str, int]) -> int:
        """A new job. Returns its number."""
        if self.size == self._table.shape[1]:
            self._table = np.concatenate([self._table, np.zeros_like(self._table)], axis=1)
        self.size += 1
        self.set(self.size - 1, values)
        return self.size - 1

    def set(self, job: int, values: dict[str, int]) -> None:
        """What is known of a job now."""
        for name, value in values.items():
            self._table[NAMES.index(name), job] = value

    def of(self, name: str) -> Ints:
        """A column, for reading."""
        shown = self._table[NAMES.index(name), : self.size].copy()
        shown.setflags(write=False)
        return shown

    def value(self, name: str, job: int) -> int:
        """One value."""
        return int(self._table[NAMES.index(name), job])
