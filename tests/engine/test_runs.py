"""Where the first runs of each length say that a search may begin, against a search of everything."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from packwise.engine.pool.profile import bring_forward, earlier
from packwise.engine.pool.runs import CLASSES, STEPS, WIDTH, add_runs, forget_runs, search_from
from packwise.engine.state import SCRATCH, new_state
from tests.draws import draws

ROOM = 600


@njit
def told(times, free, hi, top, demand, duration, runs):
    return search_from(times, free, 0, hi, top, demand, duration, runs)


@njit
def first_place(times, free, top, demand, duration, start):
    return earlier(times, free, 0, top, demand, duration, start)


@njit
def move(times, free, hi, i, start, duration, demand, runs):
    """A job moves from its place to step ``i``."""
    begin = max(times[i] + duration, start)
    hi = bring_forward(times, free, hi, i, start, duration, demand)
    add_runs(times, free, 0, hi, begin, start + duration, demand, runs)
    return hi


@njit
def forgotten():
    runs = np.zeros(CLASSES * WIDTH, np.int64)
    forget_runs(runs)
    return runs


def _profile(times: list[int], free: list[int]) -> tuple[np.ndarray, np.ndarray, int]:
    arrays = np.zeros(ROOM, np.int64), np.zeros(ROOM, np.int64)
    for array, values in zip(arrays, (times, free), strict=True):
        array[: len(values)] = values
    return (*arrays, len(times))


@pytest.mark.draws
@pytest.mark.parametrize("seed", range(draws(60)))
def test_nobody_is_told_to_search_too_late(seed: int) -> None:
    rng = np.random.default_rng(seed)
    procs, steps = int(rng.choice([3, 8, 100])), int(rng.integers(2, 120))
    levels = rng.integers(0, procs, steps)
    gaps = np.arange(1, steps + 1) if seed % 3 == 0 else rng.integers(1, 30, steps)
    held = []  # where jobs are planned: that is taken out of the profile
    levels[-1] = procs
    times, free, hi = _profile([0, *np.cumsum(gaps)[:-1].tolist()], levels.tolist())
    for _ in range(25):
        i = int(rng.integers(1, hi - 1)) if hi > 2 else 1
        least = int(free[i : i + 3].min()) if i + 3 < hi else 0
        if least and i + 3 < hi:
            demand = int(rng.integers(1, least + 1))
            free[i : i + 3] -= demand
            held.append((int(times[i]), int(times[i + 3] - times[i]), demand))
    runs, moved, searched = forgotten(), 0, 0
    for start, duration, demand in held:
        top = int(np.searchsorted(times[:hi], start))
        place = int(first_place(times, free, top, demand, duration, start))
        begin = int(told(times, free, hi, top, demand, duration, runs))
        assert begin <= (top if place < 0 else place)
        searched += begin < top
        if place >= 0:
            hi = move(times, free, hi, place, start, duration, demand, runs)
            moved += 1
    assert searched >= moved


def test_a_search_of_longer_and_longer_runs_begins_at_the_first_that_is_long_enough() -> None:
    times, free, hi = _longer_and_longer(STEPS)
    runs, top = forgotten(), hi - 1
    for length in range(1, STEPS + 1):
        assert told(times, free, hi, top, 1, length, runs) == 2 * length - 1
    assert told(times, free, hi, top, 1, STEPS + 1, runs) == top


def test_more_runs_than_there_is_room_for() -> None:
    times, free, hi = _longer_and_longer(2 * STEPS)
    runs, top = forgotten(), hi - 1
    for length in range(1, 2 * STEPS + 1):
        assert told(times, free, hi, top, 1, length, runs) == 2 * min(length, STEPS) - 1
    assert told(times, free, hi, top, 1, 2 * STEPS + 1, runs) == top


def _longer_and_longer(most: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Runs of one processor, from 1 s to so many; then none is free, and so it is left."""
    times, free = [0], [0]
    for length in range(1, most + 1):
        times += [times[-1] + 1, times[-1] + 1 + length]
        free += [1, 0]
    return _profile([*times, times[-1] + 1], [*free, 0])


def test_all_staircases_fit_into_what_a_state_has_for_them() -> None:
    assert len(new_state(1, 1, 1)[SCRATCH].memo) >= CLASSES * WIDTH
