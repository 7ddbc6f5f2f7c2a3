"""Deadline rules: read from text, and computed by hand."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.model.errors import InputError, PackwiseError, UnknownName
from packwise.model.workload import NO_DEADLINE, Workload
from packwise.workloads.deadlines import assign_deadlines, parse_rules
from packwise.workloads.deadlines.column import Column
from packwise.workloads.deadlines.rules import Clock, Slack
from packwise.workloads.window import Window
from tests.lanes import broad

HOUR, DAY = 3600, 86400

# submit 0, 100, 200, 300; limits 60 s, 1 h, 3 h, 10 h; queues 1 1 2 3; users 7 8 8 9
FOUR = Workload.of(
    [(0, 1, 5, 60), (100, 1, 5, HOUR), (200, 1, 5, 3 * HOUR), (300, 1, 5, 10 * HOUR)], "four"
).replace(queue=np.array([1, 1, 2, 3]), user=np.array([7, 8, 8, 9]))


def deadlines(workload: Workload, *texts: str) -> list[int]:
    """With -1 for regular jobs."""
    given = assign_deadlines(workload, parse_rules(texts), 8)
    assert given.deadline is not None
    return [-1 if time == NO_DEADLINE else time for time in given.deadline.tolist()]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("slack", Slack()),
        ("slack()", Slack(least=DAY, factor=10.0, share=None, seed=1)),
        (" Slack ( Share = 20 % , SEED=3 ) ", Slack(share=Fraction(1, 5), seed=3)),
        ("slack(share=0.2)", Slack(share=Fraction(1, 5))),
        ("slack(share=.5)", Slack(share=Fraction(1, 2))),
        ("slack(share=100%)", Slack(share=Fraction(1))),
        ("slack(share=0)", Slack(share=Fraction(0))),
        ("slack(least=90m,factor=2.5)", Slack(least=5400, factor=2.5)),
        ("morning(queue=5+3+5,user=-1)", Clock(queues=(3, 5), users=(-1,))),
        ("morning(hour=0)", Clock(hour=0)),
        ("week", Clock(day=0)),
        ("week(day=Friday,hour=17)", Clock(day=4, hour=17)),
        ("column", Column()),
        ("column()", Column()),
        ("column(file=My (1), old.csv)", Column("My (1), old.csv")),
        (f"column(sha256={'a' * 64},file=/x/d.csv)", Column("/x/d.csv", "a" * 64)),
    ],
)
def test_text(text, rule):
    assert parse_rules([text]) == parse_rules(text) == (rule,)
    assert parse_rules([rule.text]) == (rule,)


def test_names_are_short():
    texts = [
        "slack(factor=10,share=20.5%,least=24h)",
        "week(day=mon)",
        "column(file=/far/away.csv)",
    ]
    names = ["slack(share=20.5%)", "week", "column(file=away.csv)"]
    assert [str(rule) for rule in parse_rules(texts)] == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slak", "unknown deadline rule 'slak'. Did you mean slack?"),
        (
            "",
            "unknown deadline rule ''. Known: slack, morning, week, column. Quote it: 'slack(share=20%)'.",
        ),
        ("slack(share=20%", "a parenthesis is missing. Quote it: 'slack(share=20%)'."),
        ("slack(shar=20%)", "unknown parameter of slack 'shar'. Did you mean share?"),
        (
            "morning(factor=2)",
            "unknown parameter of morning 'factor'. Known: share, seed, queue, user, hour",
        ),
        ("column(share=20%)", "unknown parameter of column 'share'."),
        ("slack(20%)", "expected parameter=value, found '20%'. Parameters of slack: share, seed"),
        ("slack(seed,share=1)", "expected parameter=value, found 'seed'."),
        ("slack(seed=1,)", "expected a parameter after the last comma."),
        ("slack(share=20%,share=30%)", "parameter 'share' is given twice. Keep one."),
        (
            "slack(share=101%)",
            "share should be between 0 and 1 or between 0% and 100%, found '101%'.",
        ),
        ("slack(share=20)", "found '20'. For 20 per cent write share=20%."),
        ("slack(share=-1%)", "found '-1%'. Write share=20% or share=0.2."),
        ("slack(share=nan)", "found 'nan'. Write share=20% or share=0.2."),
        ("slack(share=.)", "found '.'."),
        ("slack(share=1e-1)", "found '1e-1'."),
        ("slack(seed=-1)", "seed should be a whole number of 0 or more, found '-1'."),
        ("morning(hour=24)", "hour should be a whole number from 0 to 23, found '24'."),
        ("week(hour=8.5)", "hour should be a whole number from 0 to 23, found '8.5'."),
        ("week(day=mond)", "unknown day 'mond'. Did you mean mon?"),
        (
            "slack(factor=0)",
            "factor should be a number above 0 and up to 2^40, such as 10, found '0'.",
        ),
        (
            "slack(factor=nan)",
            "factor should be a number above 0 and up to 2^40, such as 10, found 'nan'.",
        ),
        (
            "slack(factor=inf)",
            "factor should be a number above 0 and up to 2^40, such as 10, found 'inf'.",
        ),
        (
            "slack(factor=1_0)",
            "factor should be a number above 0 and up to 2^40, such as 10, found '1_0'.",
        ),
        ("slack(least=0)", "least should be a duration above 0, such as 24h, found '0'."),
        ("slack(least=nan)", "least: expected seconds or a number with a unit (90m, 12h, 7d, 2w)"),
        ("slack(least=inf)", "found 'inf'."),
        ("slack(queue=3,5)", "expected parameter=value, found '5'."),
        ("slack(queue=a)", "queue should be numbers joined by +, such as 3 or 3+5, found 'a'."),
        (
            "column(file=)",
            "expected parameter=value, found 'file='. Parameters of column: file, sha256.",
        ),
        ("column(sha256=abc,file=x)", "sha256 should be 64 hexadecimal digits"),
        (f"column(sha256={'a' * 64})", "sha256 is that of a file. Add file=deadlines.csv."),
    ],
)
def test_mistakes_in_the_text(text, message):
    with pytest.raises(InputError) as caught:
        parse_rules([text])
    assert message in str(caught.value)


def test_unknown_names_are_unknown_names():
    for text in ("slak", "slack(shar=1)", "week(day=someday)"):
        with pytest.raises(UnknownName):
            parse_rules([text])


PIECES = [
    "slack",
    "morning",
    "week",
    "column",
    "(",
    ")",
    ",",
    "=",
    "+",
    "%",
    "share",
    "seed",
    "file",
]
PIECES += [
    "queue",
    "user",
    "hour",
    "day",
    "least",
    "factor",
    "mon",
    "20",
    "1e400",
    "nan",
    "-1",
    " ",
    "٣",
]


@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_is_a_rule_or_an_error_of_ours(text):
    try:
        (rule,) = parse_rules([text])
    except PackwiseError:
        return
    assert parse_rules([rule.text]) == (rule,)
    if not (isinstance(rule, Column) and rule.file):
        try:
            assign_deadlines(FOUR, [rule], 8, "count")
        except PackwiseError:
            return


def test_slack_by_hand():
    # max(24 h, 10 limits): 24 h, 24 h, 30 h, 100 h
    expected = [DAY, 100 + DAY, 200 + 30 * HOUR, 300 + 100 * HOUR]
    assert deadlines(FOUR, "slack") == expected
    assert deadlines(FOUR, "slack(least=1,factor=1.5)") == [
        90, 100 + 5400, 200 + 4 * HOUR + 1800, 300 + 15 * HOUR,
    ]  # fmt: skip
    assert deadlines(FOUR, "slack(queue=1+3)") == [DAY, 100 + DAY, -1, 300 + 100 * HOUR]
    assert deadlines(FOUR, "slack(user=8)") == [-1, 100 + DAY, 200 + 30 * HOUR, -1]
    assert deadlines(FOUR, "slack(user=8,queue=2)") == [-1, -1, 200 + 30 * HOUR, -1]
    assert deadlines(FOUR, "slack(share=0)") == [-1, -1, -1, -1]


def test_several_rules_for_jobs_that_differ():
    found = deadlines(FOUR, "slack(queue=1)", "slack(queue=2,factor=20)", "morning(queue=3)")
    # queue 3: 300 s + 10 h is 10:05 on 1 January 1970, so 8:00 on the 2nd
    assert found == [DAY, 100 + DAY, 200 + 60 * HOUR, DAY + 8 * HOUR]


def local(zone: str, *when: int) -> int:
    return int(datetime(*when, tzinfo=ZoneInfo(zone)).timestamp())  # type: ignore[misc]


def at(zone: str, start: int, *limits: int) -> Workload:
    """Jobs submitted at once, with these limits, at a moment of Unix time."""
    return Workload.of([(0, 1, 1, limit) for limit in limits]).replace(
        start_time=start, time_zone=zone
    )


def test_morning_in_local_time():
    # Thursday, 15 January 2026, 7:00 in Stockholm
    start = local("Europe/Stockholm", 2026, 1, 15, 7)
    jobs = at("Europe/Stockholm", start, HOUR, HOUR + 1, 25 * HOUR, 25 * HOUR + 1)
    assert deadlines(jobs, "morning") == [HOUR, 25 * HOUR, 25 * HOUR, 49 * HOUR]
    assert deadlines(jobs, "morning(hour=23)") == [16 * HOUR, 16 * HOUR, 40 * HOUR, 40 * HOUR]
    # the same moment is 22:00 of the 14th in Los Angeles
    there = jobs.replace(time_zone="US/Pacific")
    assert deadlines(there, "morning") == [10 * HOUR, 10 * HOUR, 34 * HOUR, 34 * HOUR]


def test_a_morning_after_the_clock_changed():
    """Stockholm, 29 March 2026: 2:00 becomes 3:00; 25 October 2026: 3:00 becomes 2:00."""
    spring = at("Europe/Stockholm", local("Europe/Stockholm", 2026, 3, 28, 8), 60)
    assert deadlines(spring, "morning") == [23 * HOUR]
    assert deadlines(spring, "morning(hour=2)") == [
        18 * HOUR
    ]  # left out: when the clock jumps to 3
    assert deadlines(spring, "morning(hour=3)") == [18 * HOUR]
    autumn = at("Europe/Stockholm", local("Europe/Stockholm", 2026, 10, 24, 8), 60, 18 * HOUR + 1)
    assert deadlines(autumn, "morning") == [25 * HOUR, 25 * HOUR]
    # 2 o'clock comes twice, 18 h and 19 h later: the first counts, and then that of the next day
    assert deadlines(autumn, "morning(hour=2)") == [18 * HOUR, 43 * HOUR]


def test_week_in_local_time():
    # Thursday, 15 January 2026, 7:00; the Monday after is the 19th: 4 days and 1 hour
    jobs = at(
        "Europe/Stockholm", local("Europe/Stockholm", 2026, 1, 15, 7), 60, 97 * HOUR, 98 * HOUR
    )
    assert deadlines(jobs, "week") == [97 * HOUR, 97 * HOUR, 97 * HOUR + 7 * DAY]
    assert deadlines(jobs, "week(day=thu,hour=7)") == [7 * DAY, 7 * DAY, 7 * DAY]
    assert deadlines(jobs, "week(day=sun,hour=18)") == [83 * HOUR, 251 * HOUR, 251 * HOUR]
    # over the change of 29 March: an hour less
    march = at("Europe/Stockholm", local("Europe/Stockholm", 2026, 3, 27, 8), 60)
    assert deadlines(march, "week") == [71 * HOUR]


def test_a_day_that_was_left_out():
    """Samoa had no 30 December 2011: the Friday's 8 o'clock is the Saturday's."""
    start = local("Pacific/Apia", 2011, 12, 29, 8)
    assert deadlines(at("Pacific/Apia", start, HOUR), "morning") == [DAY]
    assert deadlines(at("Pacific/Apia", start, HOUR), "week(day=fri)") == [DAY]


@given(
    st.sampled_from(["UTC", "Europe/Stockholm", "US/Pacific", "Asia/Kathmandu", "Pacific/Apia"]),
    st.integers(0, 2_000_000_000),
    st.integers(1, 10 * DAY),
    st.integers(0, 23),
    st.sampled_from([None, "mon", "sun"]),
)
def test_clock_deadlines_are_the_first_that_can_be_met(zone, start, limit, hour, day):
    jobs = at(zone, start, limit)
    text = f"morning(hour={hour})" if day is None else f"week(day={day},hour={hour})"
    (found,) = deadlines(jobs, text)
    longest = 2 * DAY if day is None else 9 * DAY
    assert limit <= found < limit + longest
    moment = datetime.fromtimestamp(start + found, ZoneInfo(zone))
    assert (moment.minute, moment.second) == (0, 0) or moment.hour != hour
    # hour by hour, no such time lies between
    for earlier in range(start + limit, start + found, 900):
        then = datetime.fromtimestamp(earlier // 900 * 900, ZoneInfo(zone))
        right = day is None or then.strftime("%a").lower() == day
        strikes = (
            then.hour == hour and then.minute == 0 and right and then.timestamp() >= start + limit
        )
        assert not strikes or then.fold


def test_dates_outside_the_calendar():
    far = at("UTC", 10**12, 60)
    with pytest.raises(InputError, match=r"need dates inside the calendar.*use slack"):
        deadlines(far, "morning")


def test_clock_notes_say_what_was_assumed():
    from packwise.workloads.deadlines import deadline_remarks

    jobs = assign_deadlines(at("Mars/Base", 0, 60), parse_rules("morning"), 8)
    zone, date = deadline_remarks(jobs, parse_rules("morning"), 8)[1:]
    assert zone.startswith("time zone 'Mars/Base' is not known here")
    assert "UnixStartTime" in date


sizes = st.integers(1, 400)
percents = st.integers(0, 100)


@given(sizes, percents, st.integers(0, 50))
def test_the_share_is_exact(size, percent, seed):
    many = Workload.of([(i, 1, 1, 9) for i in range(size)])
    first, second = (
        assign_deadlines(many, parse_rules(f"slack(share={text},seed={seed})"), 4)
        for text in (f"{percent}%", f"{percent / 100:.2f}")
    )
    assert int(first.deadline_driven.sum()) == percent * size // 100
    assert (first.deadline == second.deadline).all()


def test_floating_point_would_be_one_less():
    assert int(0.29 * 100) == 28
    many = Workload.of([(i, 1, 1, 9) for i in range(100)])
    assert assign_deadlines(many, parse_rules("slack(share=0.29)"), 4).deadline_driven.sum() == 29


def test_the_seed_decides_who():
    many = Workload.of([(10 * i, 1, 1, 9) for i in range(200)])

    def ids(seed: int, window: Window | None = None) -> list[int]:
        texts = (f"slack(share=20%,seed={seed})",)
        jobs = (window or Window()).apply(many, 4)
        found = Window(deadlines=texts).apply(jobs, 4)
        return sorted(found.id[found.deadline_driven].tolist())

    assert ids(1) == ids(1)
    assert ids(1) != ids(2)
    assert len(ids(1)) == 40
    assert ids(1, Window(seed=5)) == ids(1)  # a shaken copy has the same deadline-driven jobs


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)), min_size=1, max_size=30),
    st.floats(1, 100),
    st.integers(1, 10**6),
)
def test_slack_is_never_before_the_limit(jobs, factor, least):
    workload = Workload.of([(submit, 1, 1, limit) for submit, limit in jobs])
    found = assign_deadlines(workload, parse_rules(f"slack(factor={factor!r},least={least})"), 1)
    assert found.deadline is not None
    assert (found.deadline >= workload.submit + workload.requested_time).all()
    assert (found.deadline >= workload.submit + least).all()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("slack(queue=4)",), "'four' has no job of queue 4. It has: 1, 2, 3."),
        (("slack(queue=1+4)",), "deadline rule 'slack(queue=1+4)': 'four' has no job of queue 4."),
        (("morning(user=1)",), "'four' has no job of user 1. It has: 7, 8, 9."),
        (
            ("slack(queue=3,user=7)",),
            "no job of 'four' is of these queues and of these users at once.",
        ),
        (
            ("slack(share=10%)", "morning(share=10%,queue=2)"),
            "deadline rules 'slack(share=10%)' and 'morning(share=10%,queue=2)' contradict each other: "
            "job 3 of 'four' is eligible for both. Give each rule jobs of its own by queue or user",
        ),
        (("slack(queue=1)", "week(user=8)"), "job 2 of 'four' is eligible for both."),
        (("slack", "slack"), "deadline rules 'slack' and 'slack' contradict each other: job 1"),
        (("column",), "'four' has no deadlines of its own; a CSV or Parquet table"),
        (
            ("slack(factor=1e12)",),
            "the deadline of job 1, with a limit of 60 s, would lie beyond 2^40",
        ),
        (
            ("slack(least=1,factor=0.5)",),
            "30 s is before its submission at 0 s plus its limit of 60 s",
        ),
    ],
)
def test_rules_that_do_not_fit_the_workload(texts, message):
    with pytest.raises(InputError) as caught:
        deadlines(FOUR, *texts)
    assert message in str(caught.value)


def test_own_deadlines():
    own = FOUR.replace(deadline=np.array([DAY, NO_DEADLINE, NO_DEADLINE, 2 * DAY]))
    assert assign_deadlines(own, (), 8) is not None
    assert deadlines(own, "column") == [DAY, -1, -1, 2 * DAY]
    assert deadlines(own, "column", "slack(queue=2)") == [DAY, -1, 200 + 30 * HOUR, 2 * DAY]
    assert deadlines(own, "slack(queue=2)") == [-1, -1, 200 + 30 * HOUR, -1]
    with pytest.raises(InputError, match=r"rules 'column' and 'slack' contradict .* job 1 of"):
        deadlines(own, "slack", "column")


def test_nothing_changes_without_rules():
    assert assign_deadlines(FOUR, (), 8).deadline is None
    assert Window().apply(FOUR, 8).deadline is None


PAPER = [
    (
        "SDSC-DS-2004-2.1-cln",
        Window(drop_partitions=(1, 3)),
        64_715,
        (51_772, 38_829, 25_886, 12_943),
    ),
    (
        "SDSC-BLUE-2000-4.2-cln",
        Window(drop_queues=(0,), drop_unallocated=True),
        157_604,
        (126_084, 94_564, 63_043, 31_522),
    ),
    ("HPC2N-2002-2.2-cln", Window(), 202_871, (162_297, 121_723, 81_150, 40_576)),
]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "window", "total", "regular"), broad(PAPER, lane="papers"), ids=[p[0] for p in PAPER]
)
def test_table_2_of_the_paper(shared: Path, name, window, total, regular):
    """N'Takpé and Suter, JSSPP 2017. Their split of some logs differs from the floor by one job."""
    from packwise.workloads.trace import load_trace

    trace = load_trace(shared / "traces" / f"{name}.swf.gz", None, window)
    assert len(trace.workload) == total
    for percent, expected in zip((20, 40, 60, 80), regular, strict=True):
        rules = parse_rules(f"slack(share={percent}%)")
        found = assign_deadlines(trace.workload, rules, trace.cluster.procs)
        assert abs(int((~found.deadline_driven).sum()) - expected) <= 1
        assert int(found.deadline_driven.sum()) == percent * total // 100
