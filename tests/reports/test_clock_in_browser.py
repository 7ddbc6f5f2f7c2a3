"""Dates and clock times as a reader meets them, in a real browser."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from packwise.pictures.canvas import DAY
from packwise.workloads.lublin import generate
from tests.reports.materials import make_case, make_material

#: Pages in a browser as such: test_page_in_browser.py.

ZONE = ZoneInfo("Europe/Stockholm")
#: A week before the clock goes back.
START = int(datetime(1996, 10, 20, 14, 0, 31, tzinfo=ZONE).timestamp())


def log(**changes):
    jobs = generate(800, 64, 1, load=0.5)
    return jobs.replace(**({"start_time": START, "time_zone": "Europe/Stockholm"} | changes))


@pytest.fixture(scope="module")
def page(opened):
    return opened(make_material(make_case(("easy", "list-reg"), workload=log())))


def told(jobs, seconds):
    moment = datetime.fromtimestamp(START + int(jobs.submit[0]) + seconds, ZONE)
    return f"{moment.day} {moment:%b %Y, %H:%M:%S}"


def test_moments_are_those_of_the_logs_clock(page):
    jobs = log()
    last = int(jobs.submit[-1] - jobs.submit[0])
    assert last > 8 * DAY
    for seconds in range(0, last, last // 40):
        assert page.evaluate(f"packwise.gantt.times.moment({seconds})") == told(jobs, seconds)


def test_pointing_at_a_job_tells_its_date(page):
    jobs = log()
    page.evaluate("packwise.gantt.describe(700)")
    submitted = page.locator("#gantt-tip dd").nth(1).text_content()
    assert submitted == told(jobs, int(jobs.submit[700] - jobs.submit[0]))


def test_what_is_shown_is_told_with_the_zone(page):
    text = page.locator("#gantt-range").text_content()
    assert f"Shown: {told(log(), 0)} to " in text
    assert "(Europe/Stockholm)" in text


@pytest.mark.parametrize(
    "span", [30, 600, 3600, 6 * 3600, DAY, 3 * DAY, 9 * DAY, 40 * DAY, 400 * DAY, 4000 * DAY]
)
def test_ticks_stand_where_their_text_says(page, span):
    """Also over the night in which an hour comes twice, six and a half days after the start."""
    jobs = log()
    first = int(jobs.submit[0])
    middle = int(datetime(1996, 10, 27, 1, tzinfo=ZONE).timestamp()) - START - first
    begin = middle - span // 2
    ticks = page.evaluate(f"packwise.gantt.times.ticks({begin}, {begin + span}, 10)")
    assert 1 <= len(ticks) <= 11
    places = [at for at, _ in ticks]
    assert places == sorted(places)
    assert begin - 1 <= places[0]
    assert places[-1] <= begin + span + 1
    assert any(text.endswith(("1996", "1995", "1991")) or "1996," in text for _, text in ticks)
    for at, text in ticks:
        clock = page.evaluate(f"packwise.gantt.times.moment({at})")
        day, time = clock.rsplit(" ", 2)[0], clock.rpartition(", ")[2]
        if ":" in text:
            assert time.startswith(text.rpartition(", ")[2]), (clock, text)
        else:
            assert time == "00:00:00", (clock, text)
            assert day.startswith(text.removesuffix(" 1996")) or clock.startswith(text), (
                clock,
                text,
            )


def test_charts_over_time_have_dates(page):
    for name in ("queue", "utilization"):
        assert (
            page.evaluate(f"document.querySelector('#{name} .plot')._fullLayout.xaxis.type")
            == "date"
        )
        words = page.locator(f"#{name} .xtick").all_text_contents()
        assert any("Oct" in word for word in words), words
        assert any("1996" in word for word in words), words
        assert "Europe/Stockholm" in page.locator(f"#{name} .xtitle").text_content()
    first = page.evaluate("document.querySelector('#queue .plot').data[0].text[0]")
    assert "20 Oct 1996" in first
    assert page.faults == []


def test_without_a_date_days_are_counted(opened):
    page = opened(make_material(make_case(("easy",), workload=log(start_time=0))))
    assert "Shown: day 0, 00:00:00 to day" in page.locator("#gantt-range").text_content()
    assert page.evaluate("packwise.gantt.times.ticks(0, 345600, 5).map((tick) => tick[1])") == [
        "day 0",
        "day 1",
        "day 2",
        "day 3",
        "day 4",
    ]
    title = page.locator("#queue .xtitle").text_content()
    assert title == "days since the first submission"
    assert page.faults == []
