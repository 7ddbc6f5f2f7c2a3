"""Site factors: the order that is wanted, within a band, with few changes."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packwise.adapters.slurm.steering import steer
from tests.draws import draws

BAND = 1000


def after(order, priority, found):
    """The priorities that come of it, in the order of the plan."""
    told = {
        raw: value - site + found.change[raw] if raw in found.change else value
        for raw, (value, site) in priority.items()
    }
    return [told[raw] for raw in order if priority[raw][0] > 0]


def falls(values):
    return all(before > behind for before, behind in pairwise(values))


def queue(values, sites=None):
    sites = sites or [0] * len(values)
    return list(range(1, len(values) + 1)), {
        raw: (value, site) for raw, (value, site) in enumerate(zip(values, sites, strict=True), 1)
    }


QUEUES = st.lists(
    st.tuples(st.integers(1, 3000), st.integers(-BAND, BAND)), min_size=0, max_size=12
).map(lambda both: queue([value for value, _ in both], [site for _, site in both]))


@given(QUEUES, st.integers(1, BAND))
def test_always(drawn, band):
    """Factors stay in the band, nobody gets a priority below 1, and doing it again changes nothing."""
    order, priority = drawn
    found = steer(order, priority, band)
    assert all(abs(factor) <= band for factor in found.change.values())
    values = after(order, priority, found)
    assert min(values, default=1) >= 1
    if all(priority[raw][0] - priority[raw][1] + band >= 1 for raw in order):
        assert (found.beyond == 0) == falls(values)
    assert all(found.change[raw] != priority[raw][1] for raw in found.change)
    now = {
        raw: (value - site + found.change.get(raw, site), found.change.get(raw, site))
        for raw, (value, site) in priority.items()
    }
    assert steer(order, now, band) == ({}, found.beyond)


@given(QUEUES)
def test_the_order_is_reached_if_a_band_allows_it(drawn):
    """If there are values in order within the band, they are found."""
    order, priority = drawn
    found = steer(order, priority, BAND)
    base = [priority[raw][0] - priority[raw][1] for raw in order]
    last = None
    possible = True
    for basis in base:  # each as high as it can be, below the one before it
        last = basis + BAND if last is None else min(basis + BAND, last - 1)
        possible &= last >= max(basis - BAND, 1)
    assert (found.beyond == 0) == possible


@given(st.lists(st.integers(1, 5000), unique=True, max_size=20))
def test_those_in_order_are_left_alone(values):
    order, priority = queue(sorted(values, reverse=True))
    assert steer(order, priority, BAND) == ({}, 0)


@settings(max_examples=draws(60))
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_as_few_changes_as_possible(values):
    """Where the band is no hindrance: no set of fewer jobs can be moved so that all come in order."""
    order, priority = queue(values)
    found = steer(order, priority, BAND)
    assert found.beyond == 0
    assert len(found.change) == fewest(values, BAND)


def fewest(values, band):
    """By trying: so many have to change at least."""
    places = range(len(values))
    for count in range(len(values) + 1):
        for moved in combinations(places, count):
            ranges = [
                range(max(values[k] - band, 1), min(values[k] + band, 15) + 1)
                if k in moved
                else [values[k]]
                for k in places
            ]
            if reachable(ranges):
                return count
    return None


def reachable(ranges):
    """Whether values can fall: each as high as it may be."""
    last = None
    for choice in ranges:
        there = [value for value in choice if last is None or value < last]
        if not there:
            return False
        last = max(there)
    return True


def test_trying_tells_the_truth():
    for values in product(range(1, 4), repeat=3):
        wanted = min(
            sum(a != b for a, b in zip(values, new, strict=True))
            for new in product(range(1, 9), repeat=3)
            if falls(new)
        )
        assert fewest(list(values), 100) == wanted


def test_a_job_that_is_held_stays_so():
    order, priority = queue([0, 5, 9])
    found = steer(order, priority, BAND)
    assert 1 not in found.change
    assert set(found.change) <= {2, 3}
    assert found.beyond == 0


def test_a_job_of_which_nothing_is_known():
    assert steer([7, 8], {8: (5, 0)}, BAND) == ({}, 0)
    assert steer([], {}, BAND) == ({}, 0)


def test_who_is_too_far_apart_comes_as_near_as_the_band_lets_it():
    order, priority = queue([100, 50_000])
    found = steer(order, priority, BAND)
    assert found.beyond == 1
    values = after(order, priority, found)
    assert values == [1100, 49_000]


@pytest.mark.parametrize("site", [5000, -5000])
def test_factors_of_others_beyond_the_band_come_into_it(site):
    """A factor that was set with a wider band is brought into this one, if that leaves a priority."""
    order, priority = queue([9000, 10_000], [site, 0])
    found = steer(order, priority, BAND)
    assert all(abs(factor) <= BAND for factor in found.change.values())
    assert min(after(order, priority, found)) >= 1


def test_a_job_that_would_lose_its_priority_is_left_alone():
    order, priority = queue([10, 20], [5000, 0])
    found = steer(order, priority, BAND)
    assert min(after(order, priority, found)) >= 1
    assert all(abs(factor) <= BAND for factor in found.change.values())


def test_two_thousand_jobs():
    order, priority = queue([1 + (7919 * k) % 2003 for k in range(1, 2001)])
    found = steer(order, priority, 4000)
    assert found.beyond == 0
    assert falls(after(order, priority, found))


def test_at_the_bottom_nobody_falls_below_1():
    order, priority = queue([1, 1, 1], [BAND] * 3)  # no room above, and none below
    assert steer(order, priority, BAND) == ({}, 2)
