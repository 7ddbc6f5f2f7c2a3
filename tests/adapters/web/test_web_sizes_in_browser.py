"""The page with names that attack it, on screens of all sizes, in light and dark, and with very many jobs."""

from __future__ import annotations

import pytest

from tests.adapters.web.looking import pixel, place, rows, shown
from tests.adapters.web.statuses import (
    HOSTILE,
    entry,
    hostile_status,
    large,
    make_status,
    write,
    write_journal,
)
from tests.ink import read_png
from tests.reports.browsing import eventually, until


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, make_status())
    return tmp_path


def test_names_that_would_like_to_be_more_than_names(looked_at, tmp_path):
    """Without the page's own ban on foreign scripts: putting them in as text has to do alone."""
    write(tmp_path, hostile_status())
    write_journal(tmp_path, *(entry(k, name, name) for k, name in enumerate(HOSTILE)))
    page = looked_at(tmp_path, bypass_csp=True)
    eventually(page, lambda: page.locator("#journal li").count(), len(HOSTILE))
    assert HOSTILE[0] in shown(page, "#jobs")
    assert shown(page, "#cluster") == HOSTILE[0]
    assert "bell\ufffd null\ufffd esc\ufffd[31m line\ufffd\ufffdfeed \ufffd \ufffdright" in shown(
        page, "#jobs"
    )
    page.focus("#gantt-canvas")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    for name in ("Running", "Not for room", "Waiting"):
        page.click(f"#views button:has-text('{name}')")
    page.evaluate("name => { location.hash = '#job=' + encodeURIComponent(name) }", HOSTILE[0])
    eventually(page, lambda: page.locator("#jobs tr.found").count(), 1)
    assert (
        page.locator("main :is(img, style, script, iframe, svg, [onload], [onerror])").count() == 0
    )
    assert page.evaluate("window.betrayed") is None
    assert page.faults == []


def test_the_page_obeys_its_own_rules(looked_at, tmp_path):
    write(tmp_path, hostile_status())
    assert looked_at(tmp_path).faults == []


@pytest.mark.parametrize("width", [360, 768, 1920])
@pytest.mark.parametrize("made", [make_status, hostile_status, large])
def test_no_width_is_too_small(looked_at, tmp_path, width, made):
    write(tmp_path, made())
    page = looked_at(tmp_path, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.locator("#gantt-canvas").evaluate("canvas => canvas.clientWidth")
    assert 0.85 * min(width, 1760) < wide < width


def test_on_a_phone_a_row_is_a_card(looked_at, folder):
    page = looked_at(folder, viewport={"width": 360, "height": 740}, has_touch=True)
    row = page.locator("#jobs tr[data-job='200']")
    assert row.evaluate("row => getComputedStyle(row).display") == "block"
    label = "cell => getComputedStyle(cell, '::before').content"
    assert row.locator("td").nth(5).evaluate(label) == '"Our plan"'
    small = page.locator("button:visible, select:visible, input[type=search]").evaluate_all(
        "all => all.filter((one) => one.getBoundingClientRect().height < 32).length"
    )
    assert small == 0


def test_on_a_phone_a_card_is_short_and_unfolds(looked_at, folder):
    page = looked_at(folder, viewport={"width": 390, "height": 740}, has_touch=True)
    row = page.locator("#jobs tr[data-job='201']")
    tall = "row => row.getBoundingClientRect().height"
    folded = row.evaluate(tall)
    assert folded < 130
    brief = row.locator(".brief")
    assert brief.all_inner_texts() == [
        "bobbatch",
        "2 nodes, 16 cores",
        "2 h",
    ]  # signs between are style
    assert len(set(brief.evaluate_all("all => all.map((one) => one.offsetTop)"))) == 1
    assert "others are before it" not in row.inner_text()
    button = row.locator("button")
    assert (button.inner_text(), button.get_attribute("aria-expanded")) == ("more", "false")
    button.tap()
    assert "others are before it" in row.inner_text()
    assert "30 min later" in row.inner_text()
    assert (button.inner_text(), button.get_attribute("aria-expanded")) == ("less", "true")
    write(folder, make_status(cycle=8))
    until(page, "document.documentElement.dataset.cycle === '8'")
    assert "others are before it" in row.inner_text()
    button.tap()
    assert row.evaluate(tall) == folded
    page.click("text=Not for room 1")
    assert "waits for another job" in shown(page, "#jobs tr[data-job='300']")
    page.evaluate("location.hash = '#job=202'")
    eventually(page, lambda: "waits for room" in shown(page, "#jobs"), True)
    page.set_viewport_size({"width": 1200, "height": 740})
    assert not button.is_visible()
    assert "others are before it" in row.inner_text()
    assert page.faults == []


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_light_and_dark(looked_at, folder, scheme, dark):
    page = looked_at(folder, color_scheme=scheme)
    page.select_option("#horizon", "7200")

    def is_dark():
        """The paper, and an empty place of the chart."""
        paper = sum(read_png(page.screenshot())[2, 2]) < 300
        chart = int(pixel(page, *place(page, 2700, 3, 0.25))[1:3], 16) < 100
        return paper, chart

    assert is_dark() == (dark, dark)
    page.emulate_media(color_scheme="light" if dark else "dark")
    eventually(page, is_dark, (not dark, not dark))


def test_many_jobs_and_nodes(looked_at, tmp_path):
    write(tmp_path, large())
    page = looked_at(tmp_path)
    assert len(rows(page)) == 50
    page.click("#more")
    assert len(rows(page)) == 100
    assert shown(page, "#more") == "Show more: 1,900 are left"
    box = page.locator("#gantt-scroll")
    assert box.evaluate("box => box.scrollHeight > 2 * box.clientHeight")
    assert page.locator("#gantt-canvas").evaluate("canvas => canvas.height") < 2000
    page.evaluate("location.hash = '#job=21900'")
    eventually(page, lambda: page.locator("#jobs tr.found").get_attribute("data-job"), "21900")
    page.evaluate("location.hash = '#job=20450'")
    until(page, "document.getElementById('gantt-scroll').scrollTop > 0")
    page.select_option("#rows", "all")
    fits = "box => box.scrollHeight <= box.clientHeight"
    eventually(page, lambda: box.evaluate(fits), True)
    assert page.faults == []
