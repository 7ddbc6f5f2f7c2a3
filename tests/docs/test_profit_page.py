"""The page on profit and cooling says what was measured."""

from __future__ import annotations

from itertools import product

from benchmarks import profit_instances
from benchmarks.dispatchers_store import Store
from benchmarks.profit_case import PLAIN_JOBS, STORE, cases, key_of
from scripts.page import filled
from scripts.profit_case import PAGE, efficiency, parts

KNOWN, OFF_LINE = Store(STORE).known, Store(profit_instances.STORE).known


def test_everything_is_measured() -> None:
    plain = {f"cp|{variant}|{jobs}" for variant, jobs in product(("pool", "nodes"), PLAIN_JOBS)}
    assert {key_of(*one) for one in cases()} | plain | {"wall", "readings"} == set(KNOWN)
    assert {profit_instances.key_of(*one) for one in profit_instances.cases()} == set(OFF_LINE)


def test_the_page_is_what_the_store_says() -> None:
    page = PAGE.read_text()
    assert filled(page, parts(KNOWN, OFF_LINE)) == page


def test_a_rate_has_a_time() -> None:
    """Per cent a second until the best plan, and none where hardly any day was improved."""
    one = {"improved": 50, "days": 80, "seconds_to_best": 0.25}
    assert efficiency(-0.05, one) == "-0.20 (-0.050 % in 0.25 s)"
    assert efficiency(-0.05, {**one, "improved": 4, "seconds_to_best": 0.0}, 5) == (
        "better on 4 of 80 days"
    )


def test_no_plan_beats_its_bound() -> None:
    for one in OFF_LINE.values():
        assert one["bound"] <= min(value for name, value in one.items() if name != "bound")
