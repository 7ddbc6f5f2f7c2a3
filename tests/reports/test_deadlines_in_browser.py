"""Deadlines and promises as a reader meets them, in a real browser."""

from __future__ import annotations

import pytest

from packwise.reports.material import DeadlineShare
from tests.ink import colour, read_png
from tests.reports.browsing import eventually, until
from tests.reports.deadline_materials import drawn_case, hand_case, jobs
from tests.reports.materials import make_case, make_material
from tests.reports.test_page import HOSTILE

#: Pages in a browser as such: test_page_in_browser.py.

LINES = (
    "deadline-regular-wait",
    "deadline-all-wait",
    "deadline-waits",
    "deadline-regular-stretch",
    "deadline-usage",
)


@pytest.fixture(scope="module")
def material():
    swept = [drawn_case(percent, of, seed) for seed, of in enumerate("ab") for percent in (20, 60)]
    return make_material(*swept, make_case(("easy", "list-reg"), jobs=60))


@pytest.fixture(scope="module")
def page(opened, material):
    return opened(material)


def traces(page, chart):
    return page.locator(f"#{chart} .plot .scatterlayer .trace").count()


def test_everything_is_drawn(page):
    for name in LINES:
        assert traces(page, name) >= 2 * 3, name
    assert page.locator("#deadline-misses .plot .barlayer .trace").count() == 2 * 3 * 2
    assert page.locator("#promised-waits .plot .scatterlayer .trace").count() == 4 * 2
    for name in (*LINES, "deadline-misses", "promised-waits"):
        assert colour(read_png(page.locator(f"#{name} .plot").screenshot())) > 0.002, name
    assert page.faults == []


def test_a_policy_goes_from_these_charts_too(page):
    before = [traces(page, name) for name in LINES]
    button = page.locator("#policies button", has_text="dbf")
    button.click()

    def fewer():
        after = [traces(page, name) for name in LINES]
        return all(now < then for now, then in zip(after, before, strict=True))

    eventually(page, fewer, True)
    button.click()
    eventually(page, lambda: [traces(page, name) for name in LINES], before)


def test_promises_follow_the_case(page):
    page.select_option("#case", index=4)
    page.wait_for_selector("#promised-waits .plot.nothing")
    assert page.locator("#policies button:visible").count() == 4  # lines over all cases stay
    page.select_option("#case", index=0)
    page.wait_for_selector("#promised-waits .plot .scatterlayer")
    assert page.faults == []


def test_numbers_unfold(page):
    numbers = page.locator("#deadline-usage .numbers")
    assert not numbers.locator("table").is_visible()
    numbers.locator("summary").click()
    assert numbers.locator("table").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone(opened, material, scheme):
    page = opened(
        material,
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        color_scheme=scheme,
    )
    for summary in page.locator(".numbers summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.faults == []


def test_paper(page):
    page.emulate_media(media="print")
    until(page, "packwise.theme.printing")
    assert page.locator("#deadline-waits .legend").count() >= 1
    page.emulate_media(media="screen")
    until(page, "!packwise.theme.printing")
    assert page.faults == []


def test_one_case_and_degenerate_ones(opened):
    two = jobs((0, 10, 100), (0, 10, None))
    for case in (
        hand_case(two, {HOSTILE: [0, 0], "b": [0, 0]}, promised={HOSTILE: [0, 0]}),
        hand_case(jobs((0, 10, 100), (0, 10, 5)), {"a": [9, 7]}, promised={"a": [3, 10**9]}),
        drawn_case(30),
    ):
        page = opened(make_material(case))
        assert page.locator("#deadlines table").count() == 1
        assert page.faults == []


def test_a_sweep_without_regular_jobs(opened):
    cases = [
        hand_case(
            jobs((0, 10, 100), (0, 10, 100)),
            {"a": [0, 5], "b": [0, 0]},
            share=DeadlineShare("w", percent),
        )
        for percent in (50.0, 100.0)
    ]
    page = opened(make_material(*cases))
    assert "no such jobs" in page.locator("#deadline-regular-wait .plot").inner_text()
    assert page.faults == []


def test_without_decompression_words_and_numbers_remain(opened, material):
    page = opened(material, script="delete globalThis.DecompressionStream")
    page.wait_for_selector("#notice:visible")
    assert page.locator("#deadlines h2").is_visible()
    assert page.locator("#deadline-usage .numbers").is_visible()
    assert not page.locator("#deadline-usage .plot").is_visible()
    assert not page.locator("#policies").is_visible()
    assert page.locator("#promises .prose").is_visible()
