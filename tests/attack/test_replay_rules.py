"""The rules that replays are held against notice what they are for: small cases by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.attack import replay_rules as rules
from tests.attack.slow_machine import Job, Machine, Naps, Node, Out, Ran, impossible

CORE = {"cores": 1}
#: A pool of four cores; two nodes of two cores, of which the second has a GPU and is one job's at a time.
POOL = Machine([Node({"cores": 4})], is_pool=True)
PAIR = Machine(
    [Node({"cores": 2}, features=frozenset({"old"})), Node({"cores": 2, "gpus": 1}, whole=True)],
    is_pool=False,
)


def job(submit=0, runtime=5, units=2, **more) -> Job:
    return Job(submit, runtime, 10, units, more.pop("needs", CORE), **more)


def ran(number, start, where, runtime=5, late=0) -> Ran:
    return Ran(number, start - late, start, start + runtime, where)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (ran(0, 0, {0: 2}), ran(1, 5, {0: 2}), ""),
        (ran(0, 0, {0: 2}), ran(1, 4, {0: 2}), "at 4 node 0 has 2 cores"),
        (ran(0, 0, {1: 1, 0: 1}), ran(1, 4, {1: 1, 0: 1}), "at 4 node 1 is not one job's"),
        (ran(0, 0, {0: 2}), ran(1, 4, {1: 1}), "should have 2 units"),
        (ran(0, 0, {0: 2}), ran(1, 4, {2: 2}), "should have 2 units"),
        (ran(0, 0, {0: 2}), ran(1, 4, {1: 2}, runtime=6), "should run 5 s"),
        (ran(0, 0, {0: 2}), ran(1, 2, {1: 2}), "comes before its submission"),
        (ran(0, 0, {0: 2}), ran(1, 9, {1: 2}, late=1), "waits for nodes that boot in 0 s"),
    ],
)
def test_what_no_machine_can_do(one, other, said):
    found = impossible(PAIR, [job(), job(submit=3)], [one, other])
    assert bool(found) == bool(said)
    assert all(said in fault for fault in found)


def test_features_and_partitions_and_other_resources():
    old, gpu, part = job(features="old"), job(needs={"cores": 1, "gpus": 1}), job(partition=0)
    assert impossible(PAIR, [old], [ran(0, 0, {0: 2})]) == []
    assert "not open" in impossible(PAIR, [old], [ran(0, 0, {1: 2})])[0]
    assert "not open" in impossible(PAIR, [part], [ran(0, 0, {1: 2})])[0]
    assert "has 1 gpus" in impossible(PAIR, [gpu], [ran(0, 0, {1: 2})])[0]


def test_outages():
    kills, drains = (replace(PAIR, outs=[Out((0,), 10, 20, kill)]) for kill in (True, False))
    for start, dies, stays_out in (
        (5, False, False),
        (6, True, False),
        (10, True, True),
        (20, False, False),
    ):
        one = ran(0, start, {0: 2})
        assert bool(impossible(kills, [job()], [one])) == dies
        assert bool(impossible(drains, [job()], [one])) == stays_out
    killed, again = ran(0, 6, {0: 2}, runtime=4), ran(0, 20, {0: 2})
    assert rules.kills(kills, [job()], [again], [killed]) == []
    assert "by no outage" in rules.kills(drains, [job()], [again], [killed])[0]
    assert "had ended" in rules.kills(kills, [job(runtime=4)], [again], [killed])[0]
    assert "after its last start" in rules.kills(kills, [job()], [ran(0, 0, {0: 2})], [killed])[0]


def test_nodes_boot():
    """Asleep after 10 s without a job: at 15 the node is awake, at 16 it is not."""
    sleepy = replace(PAIR, naps=Naps(10, 4, 1))
    first = ran(0, 0, {0: 2})
    assert rules.boots(sleepy, [first, ran(1, 15, {0: 2})], 0) == []
    assert rules.boots(sleepy, [first, ran(1, 20, {0: 2}, late=4)], 0) == []
    assert rules.boots(sleepy, [first, ran(1, 16, {0: 2})], 0) != []
    assert rules.boots(sleepy, [first, ran(1, 19, {0: 2}, late=4)], 0) != []
    pool = replace(POOL, naps=Naps(10, 4, 1))
    assert rules.pool_boots(pool, [first, ran(1, 15, {0: 2})], 0) == []
    assert rules.pool_boots(pool, [first, ran(1, 16, {0: 2})], 0) != []
    assert rules.pool_boots(pool, [first, ran(1, 20, {0: 2}, late=4)], 0) == []


def test_the_cap():
    """Idle cores draw 1 W; a job of two cores draws 6 W, 4 W more than they."""
    jobs = [job(watts=6.0), job(watts=6.0)]
    both = [ran(0, 0, {0: 2}), ran(1, 4, {0: 2})]
    low = replace(POOL, cap=[(0, 8.0)], idle=1.0)
    assert rules.below_cap(low, jobs, both[:1], always=True) == []
    assert "at 4 12.0 W" in rules.below_cap(low, jobs, both, always=False)[0]
    falls = replace(POOL, cap=[(0, 12.0), (2, 7.0), (5, 12.0)], idle=1.0)
    assert rules.below_cap(falls, jobs, both[:1], always=False) == []
    assert "at 2 8.0 W" in rules.below_cap(falls, jobs, both[:1], always=True)[0]


def test_promises_and_refusals():
    jobs = [job(), job(deadline=12)]
    runs = [ran(0, 3, {0: 2}), ran(1, 8, {0: 2})]
    assert rules.promises(jobs, runs, [3, 9]) == []
    assert rules.promises(jobs, runs[:1], [2, 9]) != []
    assert rules.promises(jobs, runs[:1], [-1, 9]) != []
    assert (
        "to end by 12"
        in rules.promises([job(), job(deadline=12)._replace(limit=4)], runs, [3, 8])[0]
    )
    assert rules.refusals(POOL, [job(units=5), job()], runs[1:], {0}, False) == []
    assert rules.refusals(POOL, [job(), job()], runs[1:], {0}, False) != []
    assert rules.refusals(POOL, [job(), job()], runs[1:], set(), False) != []
    assert rules.refusals(POOL, [job(units=5), job()], runs, set(), False) != []


def test_who_waits_for_nothing():
    """Two cores are free from 5 on, all four from 8 on."""
    jobs = [job(), job(runtime=8), job(submit=1), job(submit=2, units=1)]
    runs = [ran(0, 0, {0: 2}), ran(1, 0, {0: 2}, runtime=8)]
    wide = [*runs, ran(2, 8, {0: 2}), ran(3, 8, {0: 1})]
    assert "at 5 jobs [2]" in rules.nobody_fits(POOL, jobs, wide, [], "head")[0]
    assert "at 5 jobs [2, 3]" in rules.nobody_fits(POOL, jobs, wide, [], "all")[0]
    assert rules.nobody_fits(POOL, jobs, wide, [], "idle") == []
    late = [*runs, ran(2, 5, {0: 2}), ran(3, 11, {0: 1})]
    assert rules.nobody_fits(POOL, jobs, late, [], "head")[-1].startswith("at 10")
    assert rules.nobody_fits(POOL, jobs, late, [], "idle") == [
        "at 10 jobs [3] wait for nothing (idle)"
    ]


def test_order_and_reservation():
    """The head needs all four cores, which are free at 10. Who needs 10 s more would delay it."""
    jobs = [job(), job(submit=1, units=4), job(submit=2)]
    good = [ran(0, 0, {0: 2}), ran(1, 5, {0: 4}), ran(2, 10, {0: 2})]
    early = [ran(0, 0, {0: 2}), ran(1, 7, {0: 4}), ran(2, 2, {0: 2})]
    assert rules.in_order(good) == []
    assert rules.in_order(early) != []
    assert rules.head_is_not_delayed(POOL, jobs, good, [10, 10, 10]) == []
    assert rules.head_is_not_delayed(POOL, jobs, early, [10, 10, 8]) == []
    assert "at 2 the head, job 1" in rules.head_is_not_delayed(POOL, jobs, early, [10, 10, 9])[0]
