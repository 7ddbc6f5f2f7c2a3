"""Descriptions: small cases by hand, local time, classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from packwise.model.errors import InputError
from packwise.model.workload import Workload
from packwise.workloads.describe import describe, size_classes
from packwise.workloads.loading import load_workload

# demand 1, 2, 3, 8; run times 10, 20, 30, 40 of limits 20, 20, 60, 400
FOUR = Workload.of([(0, 1, 10, 20), (60, 2, 20, 20), (180, 3, 30, 60), (360, 8, 40, 400)])


def test_figures() -> None:
    facts = describe(FOUR.replace(user=np.array([5, 5, 7, -1])), 10)
    assert (facts.jobs, facts.procs, facts.span, facts.users) == (4, 10, 360, 2)
    assert facts.load == pytest.approx((10 + 40 + 90 + 320) / 3600)
    assert (facts.runtime.mean, facts.runtime.median) == (25, 25)
    assert (facts.runtime.minimum, facts.runtime.maximum) == (10, 40)
    assert facts.gap.mean == 120
    assert facts.area.maximum == 320
    assert facts.accuracy.mean == pytest.approx((0.5 + 1 + 0.5 + 0.1) / 4)
    assert facts.limit.p75 == 145
    assert facts.serial_share == 0.25
    assert facts.power_of_two_share == 0.5


def test_size_classes() -> None:
    classes = size_classes(FOUR)
    assert [size.label for size in classes] == ["1", "2-4", "5-8"]
    assert [size.jobs for size in classes] == [1, 2, 1]
    assert [size.area_share for size in classes] == pytest.approx([10 / 460, 130 / 460, 320 / 460])
    assert sum(size.job_share for size in classes) == 1


def test_hours_and_weekdays_are_local() -> None:
    # 1996-09-23 12:00:31 UTC was a Monday; Stockholm had summer time, 14:00.
    facts = describe(FOUR.replace(start_time=843480031, time_zone="Europe/Stockholm"), 10)
    assert facts.by_hour[14] == 4
    assert facts.by_weekday.tolist() == [4, 0, 0, 0, 0, 0, 0]
    assert str(facts.first_submit) == "1996-09-23 14:00:31+02:00"
    assert facts.time_zone == "Europe/Stockholm"
    assert facts.notes == ()


def test_summer_time_changes_within_a_log() -> None:
    # Clocks in Stockholm went back on 1996-10-27 at 01:00 UTC: both jobs at 12:00 UTC.
    start = 846244800  # 1996-10-25 12:00 UTC
    two = Workload.of([(0, 1, 1, 1), (3 * 86400, 1, 1, 1)])
    facts = describe(two.replace(start_time=start, time_zone="Europe/Stockholm"), 10)
    assert facts.by_hour.nonzero()[0].tolist() == [13, 14]
    assert facts.by_weekday.nonzero()[0].tolist() == [0, 4]  # Friday and Monday


@pytest.mark.parametrize("zone", ["Mars/Phobos", "", "../etc", "Europe"])
def test_unknown_zone_is_utc_with_a_note(zone: str) -> None:
    facts = describe(FOUR.replace(start_time=843480031, time_zone=zone), 10)
    assert facts.time_zone == "UTC"
    assert facts.by_hour[12] == 4
    assert "UTC" in facts.notes[0]


def test_dates_beyond_the_calendar() -> None:
    facts = describe(FOUR.replace(start_time=2**39), 10)
    assert facts.first_submit is None
    assert "outside the calendar" in facts.notes[0]
    assert facts.by_hour.sum() == 4


def test_one_job() -> None:
    facts = describe(Workload.of([(5, 1, 1, 1)]), 1)
    assert facts.span == 0
    assert facts.gap.mean == 0
    assert facts.users == 0


def test_no_machine() -> None:
    with pytest.raises(InputError, match="found 0"):
        describe(FOUR, 0)


@pytest.mark.shared
def test_real_log(shared: Path) -> None:
    loaded = load_workload(shared / "traces" / "KTH-SP2.swf.gz")
    facts = describe(loaded.workload, loaded.cluster.procs)
    assert facts.jobs == 28481
    assert round(facts.load, 3) == 0.686
    assert 9 <= facts.by_hour.argmax() <= 17  # office hours
    assert facts.by_weekday[5:].max() < facts.by_weekday[:5].min()  # quiet weekends
