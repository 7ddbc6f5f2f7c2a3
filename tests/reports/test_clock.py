"""The calendar of a log: dates where it tells its start, by its own clock."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from packwise.model.workload import Workload
from packwise.pictures.canvas import DAY
from packwise.pictures.clock import Clock
from packwise.pictures.date_axis import date_places
from packwise.reports.figures import compute
from packwise.reports.static_figures import write_figures
from tests.reports.materials import make_case, make_material

#: 26 October 1996, noon in Stockholm: the day before the clock went back at three.
NOON = int(datetime(1996, 10, 26, 12, tzinfo=ZoneInfo("Europe/Stockholm")).timestamp())


def log(submit=(0, 3600, 20 * 3600), **changes):
    jobs = Workload.of([(at, 1, 600, 900) for at in submit], "dated")
    return jobs.replace(**({"start_time": NOON, "time_zone": "Europe/Stockholm"} | changes))


def shown(clock, seconds):
    return datetime.fromtimestamp(int(clock.local(np.array([seconds]))[0]), UTC).replace(
        tzinfo=None
    )


def test_the_clock_goes_back():
    """At 15 hours after noon it is 3 o'clock, and becomes 2."""
    clock = Clock.of(log(), 30 * 3600)
    assert clock.shifts == ((0, 7200), (15 * 3600, 3600))
    assert shown(clock, 0) == datetime(1996, 10, 26, 12)
    assert shown(clock, 15 * 3600 - 1) == datetime(1996, 10, 27, 2, 59, 59)
    assert shown(clock, 15 * 3600) == datetime(1996, 10, 27, 2)
    assert shown(clock, 30 * 3600) == datetime(1996, 10, 27, 17)


def test_it_is_right_all_year_round():
    clock = Clock.of(log((100, 500)), 3 * 365 * DAY)
    assert len(clock.shifts) == 1 + 6
    zone = ZoneInfo("Europe/Stockholm")
    for seconds in range(0, 3 * 365 * DAY, 86400 * 3 + 1234):
        expected = datetime.fromtimestamp(NOON + 100 + seconds, zone).replace(tzinfo=None)
        assert shown(clock, seconds) == expected


def test_a_log_without_a_date_has_no_clock():
    assert Clock.of(log(start_time=0), 10**6) is None


def test_an_unknown_zone_is_utc_and_named_so():
    clock = Clock.of(log(time_zone="</script>Nowhere"), 10**6)
    assert (clock.zone, clock.shifts) == ("UTC", ((0, 0),))


@pytest.mark.parametrize("changes", [{"start_time": 10**12}, {"start_time": -(10**13)}])
def test_dates_out_of_the_calendar_are_none(changes):
    assert Clock.of(log(**changes), 10**6) is None


def test_an_endless_schedule_has_no_dates():
    assert Clock.of(log(), 2**40) is None
    assert Clock.of(log(), 10**10) is None


def test_charts_over_time_have_dates():
    (found,) = compute(make_material(make_case(("easy",), jobs=50))).cases
    assert found.gantt.clock.zone == "UTC"
    dated = [chart.name for chart in found.charts if chart.panels[0].x.clock]
    assert dated == ["queue", "utilization"]
    assert found.charts[2].panels[0].x.title == "date (UTC)"
    (found,) = compute(make_material(make_case(("easy",), workload=log(start_time=0)))).cases
    assert found.gantt.clock is None
    assert found.charts[2].panels[0].x.title == "days since the first submission"


def test_places_on_an_axis_are_days_since_1970():
    clock = Clock.of(log(), 30 * 3600)
    assert date_places(clock, np.array([0.5])) == pytest.approx((NOON + 7200 + DAY / 2) / DAY)
    assert date_places(None, np.array([0.5])).tolist() == [0.5]


@pytest.mark.slow
def test_still_pictures_have_dates(tmp_path, drawing_only):
    material = make_material(make_case(("easy", "list-reg"), workload=log()))
    names = ("queue", "utilization", "gantt-easy")
    drawing_only(*names)
    write_figures(material, tmp_path, ("svg",))
    for name in names:
        words = (tmp_path / f"{name}.svg").read_text()
        assert "date (Europe/Stockholm)" in words, name
        assert "1996-Oct-2" in words, name
