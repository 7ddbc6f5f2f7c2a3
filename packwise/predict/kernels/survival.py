"""All but a small share of a group's past work ended by this time: Goponenko et al., SBAC-PAD 2022.

A group's history is a list of points (run time, weight), ascending: an artificial one at the limit that weighs
a tenth of it, and the completed run times, each weighing its own length. Each completion takes a tenth off
all older weights (the first one not off the artificial point). The answer is the smallest point with less
than the threshold's share of all weight above it.

The published schedules were made with running sums that are off: the sum of the weights up to the answer
began at 1 instead of the artificial point's weight. So it and the sum of all weights carry a drift of
1 - limit / 10, which decays like the weights and vanishes once the answer is the smallest point.
"""

from __future__ import annotations

from packwise.engine.bisection import position
from packwise.predict.kernels.kernel import (
    FINISHED,
    OUTLIVED,
    inlined,
    kernel,
    real_numbers,
    whole_numbers,
)

LIMIT, RUNTIME, GROUP, FIRST, SIZE, ANSWER, POINT, WEIGHT, THRESHOLD, DRIFT = range(10)

DECAY = 0.9
ARTIFICIAL = 0.1


@kernel
def survival(event, job, time, state):
    limit = whole_numbers(state, LIMIT)[job]
    group = whole_numbers(state, GROUP)[job]
    size = whole_numbers(state, SIZE)
    answer = whole_numbers(state, ANSWER)
    threshold = real_numbers(state, THRESHOLD)[0]
    if event in (FINISHED, OUTLIVED):
        first = whole_numbers(state, FIRST)
        points = whole_numbers(state, POINT)[first[group] : first[group + 1]]
        weights = real_numbers(state, WEIGHT)[first[group] : first[group + 1]]
        if event == OUTLIVED:
            known = position(points, 0, size[group], time + 1)
            return float(smallest(points, weights, known, size[group], threshold, limit, 0.0))
        runtime = whole_numbers(state, RUNTIME)[job]
        drift = real_numbers(state, DRIFT)
        if drift.size > 0:
            drift[group] = drift[group] * DECAY if size[group] > 0 else DECAY - ARTIFICIAL * limit
        size[group] = add_point(points, weights, size[group], runtime, limit)
        off = drift[group] if drift.size > 0 else 0.0
        answer[group] = smallest(points, weights, 0, size[group], threshold, limit, off)
        if drift.size > 0 and answer[group] == points[0]:
            drift[group] = 0.0
    elif size[group] > 0:
        return float(answer[group])
    return float(limit)


@inlined
def add_point(points, weights, size, runtime, limit):
    """Decay the history of a group and add a run time. Returns how many points there are."""
    if size == 0:
        points[0] = limit
        weights[0] = ARTIFICIAL * limit
        size = 1
    else:
        for i in range(size):
            weights[i] *= DECAY
    place = position(points, 0, size, runtime)
    if place == size or points[place] != runtime:
        for i in range(size, place, -1):
            points[i] = points[i - 1]
            weights[i] = weights[i - 1]
        points[place] = runtime
        weights[place] = 0.0
        size += 1
    weights[place] += runtime
    return size


@inlined
def smallest(points, weights, first, size, threshold, limit, drift):
    """The smallest point from ``first`` on with less than the threshold's share of weight above it.

    ``drift`` is what the sum of all weights is off by.
    """
    whole = drift
    for i in range(first, size):
        whole += weights[i]
    if first == size:
        return limit
    i = size - 1
    below = whole
    while i > first and (below - weights[i]) / whole > 1.0 - threshold:
        below -= weights[i]
        i -= 1
    return points[i]
