"""Segments by hand: within five degrees, by day, with the mean of their time."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.model.energy.segments import segments
from packwise.model.energy.series import Series


def found(times, values, midnights=(), end=100, degrees=5.0):
    warm = Series(np.array(times), np.array(values, float), end, "°C")
    return segments(warm, np.array(midnights, np.int64), degrees)


def test_five_degrees_apart_is_within_five_degrees() -> None:
    one = found([0, 10, 20], [10, 15, 10])
    assert one.edges.tolist() == [0, 100]
    two = found([0, 10, 20], [10, 15.1, 10])
    assert two.edges.tolist() == [0, 10, 20, 100]


def test_slow_changes_add_up() -> None:
    """Two degrees a step: the fourth is six above the first."""
    parts = found([0, 10, 20, 30, 40], [10, 12, 14, 16, 18])
    assert parts.edges.tolist() == [0, 30, 100]
    assert parts.temperature.tolist() == pytest.approx([12.0, (10 * 16 + 60 * 18) / 70])


def test_a_day_ends_a_segment_even_within_a_step() -> None:
    parts = found([0], [10], midnights=[-50, 40, 90, 200])
    assert parts.edges.tolist() == [0, 40, 90, 100]


def test_no_tolerance() -> None:
    assert found([0, 10, 20], [10, 10, 11], degrees=0.0).edges.tolist() == [0, 20, 100]
