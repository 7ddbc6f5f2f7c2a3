"""The data sets that are recognised by the columns of their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from packwise.files.table import Table
from packwise.workloads.datasets import alibaba, eurora, philly, supercloud
from packwise.workloads.datasets.jobs import Found

_DATASETS: Mapping[frozenset[str], Callable[[Table], Found]] = {
    eurora.COLUMNS: eurora.read,
    philly.COLUMNS: philly.read,
    alibaba.COLUMNS: alibaba.read,
    supercloud.COLUMNS: supercloud.read,
}


def dataset_reader(names: Iterable[str]) -> Callable[[Table], Found] | None:
    """Who reads a table with these columns; None if it is of no data set that is known here."""
    there = set(names)
    return next((read for columns, read in _DATASETS.items() if columns <= there), None)
