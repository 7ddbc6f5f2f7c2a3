"""Columns are shared where nobody can write to them, and copied where somebody can."""

from __future__ import annotations

import numpy as np

from packwise.model import Schedule, Workload
from packwise.model.columns import frozen


def settled(values: list[int]) -> np.ndarray:
    column = np.array(values)
    column.setflags(write=False)
    return column


def test_shared_or_copied():
    fixed = settled([1, 2, 3])
    assert frozen(fixed) is fixed
    assert np.shares_memory(frozen(fixed[1:]), fixed)
    assert frozen(fixed, np.float64).dtype == np.float64
    open_to_all = np.array([1, 2, 3])
    shown = open_to_all.view()
    shown.setflags(write=False)
    for column in (open_to_all, shown, fixed[::2]):
        copy = frozen(column)
        assert not np.shares_memory(copy, column)
        assert not copy.flags.writeable
        assert copy.flags.c_contiguous
        assert copy.tolist() == column.tolist()


def test_a_workload_does_not_change_with_what_it_was_made_of():
    runtime = np.array([3, 4])
    jobs = Workload(
        "w", settled([1, 2]), settled([0, 5]), runtime, settled([9, 9]), settled([1, 1])
    )
    runtime[0] = 8
    assert jobs.runtime.tolist() == [3, 4]
    start = np.array([0, 5])
    schedule = Schedule(start, start + 1)
    start[:] = 7
    assert schedule.start.tolist() == [0, 5]


def test_a_changed_workload_shares_the_rest():
    jobs = Workload.of([(0, 1, 3, 3), (5, 1, 4, 4)])
    later = jobs.replace(extra={"wait": np.array([0, 1])})
    assert later.submit is jobs.submit
    assert later.user is later.queue is jobs.user
