"""Where waiting jobs would be: by hand, and that no node ever holds more than it has."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from packwise.adapters.slurm.places import NEVER, Holding, Room, Wanted, places


def room(*cores, since=None, whole=None):
    count = len(cores)
    return Room(
        np.array(cores, np.int64).reshape(count, 1),
        np.array(since or [0] * count, np.int64),
        np.array(whole or [0] * count, np.int64),
    )


def wanted(start, run, units, each, nodes, closed=(), fixed=None):
    mask = np.ones(nodes, np.int64)
    mask[list(closed)] = 0
    return Wanted(start, start + run, units, [each], mask, fixed)


def test_first_fit_by_hand():
    # Node 0: 4 cores, all taken until 100. Node 1: 4 cores, 2 of them taken until 50. Node 2: 4 free.
    running = [Holding({0: 4}, [1], 100), Holding({1: 2}, [1], 50)]
    waiting = [
        wanted(0, 60, 4, 1, 3),  # 2 on node 1, 2 on node 2
        wanted(0, 10, 1, 3, 3),  # 3 cores in one piece: nowhere now
        wanted(50, 100, 1, 2, 3),  # node 1: 2 of 4 are free again
        wanted(60, 10, 2, 2, 3),  # node 1 has 2 left, node 2 has 4
        wanted(100, 5, 1, 4, 3),  # node 0 is free at last
    ]
    found = places(room(0, 2, 4), running, waiting)
    assert found == [{1: 2, 2: 2}, {}, {1: 1}, {1: 1, 2: 1}, {0: 1}]


def test_starts_decide_not_the_order_of_the_list():
    waiting = [wanted(10, 10, 1, 2, 1), wanted(0, 15, 1, 2, 1)]
    assert places(room(2), [], waiting) == [{}, {0: 1}]


def test_a_job_that_ends_makes_room_at_once():
    assert places(room(0), [Holding({0: 1}, [2], 30)], [wanted(30, 5, 1, 2, 1)]) == [{0: 1}]
    assert places(room(0), [Holding({0: 1}, [2], 31)], [wanted(30, 5, 1, 2, 1)]) == [{}]


def test_closed_down_and_reserved_nodes_are_passed_over():
    nodes = room(8, 8, 8, 8, since=[0, NEVER, 100, 0])
    assert places(nodes, [], [wanted(0, 9, 1, 8, 4, closed=[0])]) == [{3: 1}]
    assert places(nodes, [], [wanted(0, 9, 3, 8, 4)]) == [{}]
    assert places(nodes, [], [wanted(100, 9, 3, 8, 4)]) == [{0: 1, 2: 1, 3: 1}]


def test_a_node_for_one_job_takes_no_second():
    nodes = room(8, 8, whole=[1, 0])
    waiting = [wanted(0, 10, 1, 2, 2), wanted(0, 10, 1, 2, 2), wanted(10, 10, 1, 2, 2)]
    assert places(nodes, [], waiting) == [{0: 1}, {1: 1}, {0: 1}]


def test_what_is_settled_stays_unless_somebody_is_there():
    assert places(room(4, 4), [], [wanted(0, 9, 2, 2, 2, fixed={1: 2})]) == [{1: 2}]
    assert places(room(4, 2), [], [wanted(0, 9, 2, 2, 2, fixed={1: 2})]) == [{}]


def test_every_resource_counts():
    nodes = Room(np.array([[8, 0], [8, 2]]), np.zeros(2, np.int64), np.zeros(2, np.int64))
    job = Wanted(0, 10, 2, [1, 1], np.ones(2, np.int64))
    assert places(nodes, [], [job, job]) == [{1: 2}, {}]


def test_nothing_to_place():
    assert places(room(), [], []) == []
    assert places(room(), [], [wanted(0, 1, 1, 1, 0)]) == [{}]
    assert places(room(4), [], [wanted(0, 1, 0, 1, 1), wanted(0, 1, 1, 0, 1)]) == [{}, {}]


jobs = st.tuples(
    st.integers(0, 30), st.integers(1, 30), st.integers(1, 6), st.integers(1, 4), st.booleans()
)


@given(
    st.lists(st.integers(1, 8), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 8), st.integers(1, 40)), max_size=6),
    st.lists(jobs, max_size=25),
)
def test_no_node_ever_holds_more_than_it_has(capacity, runs, asked):
    count = len(capacity)
    free = list(capacity)
    running = []
    for node, cores, end in runs:
        if node < count and cores <= free[node]:
            free[node] -= cores
            running.append(Holding({node: cores}, [1], end))
    waiting = [
        wanted(start, run, units, each, count, closed=[0] if closed else [])
        for start, run, units, each, closed in asked
    ]
    found = places(room(*free), running, waiting)
    for job, part in zip(waiting, found, strict=True):
        assert sum(part.values()) in (0, job.units)
        assert all(job.open[node] and units > 0 for node, units in part.items())
    for moment in range(75):
        used = [0] * count
        for holding in running:
            for node, units in holding.units.items():
                used[node] += units * (moment < holding.end)
        for job, part in zip(waiting, found, strict=True):
            for node, units in part.items():
                used[node] += units * job.per_unit[0] * (job.start <= moment < job.end)
        assert all(there <= most for there, most in zip(used, capacity, strict=True))
