"""Groups of like jobs, as numbers: what templates and histories are kept by."""

from __future__ import annotations

import numpy as np

from packwise.model.workload import Ints


def grouped(*columns: Ints) -> tuple[Ints, int]:
    """The group of each job, numbered from 0, and how many there are; a group is equal in all columns."""
    code = np.zeros(len(columns[0]), np.int64)
    count = 1
    for column in columns:
        _, place = np.unique(column, return_inverse=True)
        # Renumbered after each column, so that the product stays small.
        _, code = np.unique(code * (int(place.max()) + 1) + place, return_inverse=True)
        count = int(code.max()) + 1
    return code.astype(np.int64), count


def grouped_by_subsets(*columns: Ints) -> tuple[Ints, int]:
    """Groups of each job under every non-empty subset of the columns, all first, the last column alone
    last: one row per job, one column per subset, and how many groups there are in all.
    """
    same, count = grouped(*columns)
    first = np.empty(count, np.int64)
    first[same[::-1]] = np.arange(len(same))[::-1]
    kinds = [column[first] for column in columns]
    m = len(columns)
    rows = []
    total = 0
    for subset in range(2**m - 1, 0, -1):
        chosen = [kinds[b] for b in range(m) if subset >> (m - 1 - b) & 1]
        code, groups = grouped(*chosen)
        rows.append(code + total)
        total += groups
    return np.ascontiguousarray(np.array(rows).T[same]), total
