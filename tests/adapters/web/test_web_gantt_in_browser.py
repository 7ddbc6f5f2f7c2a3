"""The chart of the plan, in a real browser: what is drawn where, by hand; mouse and keys."""

from __future__ import annotations

import pytest

from tests.adapters.web.looking import pixel, place, shown
from tests.adapters.web.statuses import make_status, write


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, make_status())
    return tmp_path


def test_the_chart_by_hand(looked_at, folder):
    page = looked_at(folder)
    page.select_option("#horizon", "7200")
    own = page.evaluate(
        """() => {
          const names = ["run-0", "run-1", "run-2", "soon", "later-0", "later-1", "later-2", "down", "card"];
          const style = getComputedStyle(document.documentElement);
          return Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
        }"""
    )

    def kind(*where):
        found = pixel(page, *place(page, *where))
        return next((name.split("-")[0] for name, value in own.items() if value == found), found)

    assert [kind(900, node, 0.25) for node in (0, 1, 2, 3)] == ["run", "run", "down", "run"]
    assert kind(900, 3, 0.75) == "soon"  # beside the job that runs there, on the other cores
    assert kind(2700, 3, 0.25) == "card"  # it has ended
    assert [kind(4500, node, 0.75) for node in (0, 1, 3)] == ["later", "later", "card"]
    assert "202" in shown(page, "#undrawn")
    assert "200" not in shown(page, "#undrawn")


def test_pointing_at_a_job(looked_at, folder):
    page = looked_at(folder)
    page.select_option("#horizon", "7200")
    canvas = page.locator("#gantt-canvas")
    x, y = place(page, 900, 3, 0.75)
    canvas.hover(position={"x": x, "y": y})
    assert shown(page, "#gantt-tip strong") == "200 name-200: starts now"
    assert "n4" in shown(page, "#gantt-tip")
    assert "60 min earlier than Slurm's forecast" in shown(page, "#gantt-tip")
    canvas.click(position={"x": x, "y": y})
    assert page.url.endswith("#job=200")
    assert page.locator("#jobs tr.found").get_attribute("data-job") == "200"
    canvas.hover(position={"x": place(page, 900, 2)[0], "y": place(page, 900, 2)[1]})
    assert not page.locator("#gantt-tip").is_visible()


def test_walking_by_keys(looked_at, folder):
    page = looked_at(folder)
    page.focus("#gantt-canvas")
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(shown(page, "#gantt-tip strong").split()[0])
    assert seen == ["100", "101", "200", "201", "200", "100"]
    assert page.locator("#gantt-said").text_content().startswith("100 name-100: runs")
    page.keyboard.press("Enter")
    assert page.locator("#jobs tr.found").get_attribute("data-job") == "100"
    page.focus("#gantt-canvas")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    assert not page.locator("#gantt-tip").is_visible()
