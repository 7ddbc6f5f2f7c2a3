"""The page on profit and cooling says what was measured."""

from __future__ import annotations

from itertools import product

from benchmarks import profit_instances
from benchmarks.dispatchers_store import Store
from benchmarks.profit_case import PLAIN_JOBS, STORE, cases, key_of
from scripts.page import filled
from scripts.profit_case import PAGE, parts

KNOWN, OFF_LINE = Store(STORE).known, Store(profit_instances.STORE).known


def test_everything_is_measured() -> None:
    plain = {f"cp|{variant}|{jobs}" for variant, jobs in product(("pool", "nodes"), PLAIN_JOBS)}
    assert {key_of(*one) for one in cases()} | plain | {"wall"} == set(KNOWN)
    assert {profit_instances.key_of(*one) for one in profit_instances.cases()} == set(OFF_LINE)


def test_the_page_is_what_the_store_says() -> None:
    page = PAGE.read_text()
    assert filled(page, parts(KNOWN, OFF_LINE)) == page


def test_no_plan_beats_its_bound() -> None:
    for one in OFF_LINE.values():
        assert one["bound"] <= min(value for name, value in one.items() if name != "bound")
