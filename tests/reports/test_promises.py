"""The section about promises: who was told a start, and what became of it."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from packwise.model.cluster import Cluster
from packwise.model.schedule import Schedule
from packwise.reports.figures import compute
from packwise.reports.material import Replayed
from packwise.reports.page.payload import payload
from packwise.reports.page.writing import write_report
from packwise.reports.promises.kept import promises_of
from packwise.reports.promises.words import promise_words
from packwise.workloads.lublin import generate
from tests.reports.deadline_materials import drawn_case, hand_case, jobs
from tests.reports.materials import make_case, make_material

#: Of four regular jobs and two with deadlines, one is promised nothing.
SIX = jobs(*[(100, 10, None)] * 4, (100, 10, 500), (100, 10, 900))
START = [100, 150, 200, 260, 490, 100]
PROMISED = [100, 180, 200, 250, 490, -1]


def test_counts_by_hand():
    case = hand_case(SIX, {"cbf": START, "easy": START}, promised={"cbf": PROMISED})
    (found,) = compute(make_material(case)).cases
    assert set(found.promises) == {"cbf"}
    regular = found.promises["cbf"]["regular jobs"]
    assert regular[:6] == (4, 4, 1, 1, 1, 1)
    assert regular.gain == (0 + 30 + 0 - 10) / 4
    driven = found.promises["cbf"]["deadline-driven jobs"]
    assert driven[:6] == (2, 1, 0, 0, 1, 0)
    assert driven.gain == 0


def test_words_over_kinds_and_cases():
    case = hand_case(SIX, {"cbf": START}, promised={"cbf": PROMISED})
    found = promises_of(case.runs[0].load())
    (said,) = promise_words([{"cbf": found}])
    assert said.startswith("cbf promised 5 jobs a start and broke 1 promise (20.0")
    assert "on average a job started 4 s before the promised time" in said
    (said,) = promise_words([{"cbf": found}, {"cbf": found}])
    assert said.startswith("Over all 2 cases cbf promised 10 jobs a start and broke 2 promises")


def test_without_deadlines_all_jobs_are_one_kind():
    (found,) = compute(make_material(make_case(("cbf", "easy"), jobs=100))).cases
    (kinds,) = found.promises.values()
    assert list(kinds) == ["all jobs"]
    one = kinds["all jobs"]
    assert one.told == one.jobs == 100
    assert one.at_once + one.earlier + one.exact + one.late == 100
    assert one.late == 0
    assert one.waits.jobs.sum() == 100


def test_a_policy_that_promised_nothing_to_anyone():
    case = hand_case(SIX, {"mine": START}, promised={"mine": [-1] * 6})
    assert promises_of(case.runs[0].load()) is None


def test_the_figure_is_small_however_many_jobs():
    log = generate(200_000, 512, 1)
    rng = np.random.default_rng(1)
    told = rng.exponential(20_000, len(log)).astype(np.int64)
    waited = (told * rng.random(len(log))).astype(np.int64)
    start = log.submit + waited
    schedule = Schedule(start, start + log.runtime, None, log.submit + told)
    kinds = promises_of(Replayed(log, Cluster.pool(512), schedule))
    assert kinds["all jobs"].waits.jobs.sum() == 200_000
    assert len(kinds["all jobs"].waits.jobs) < 600


def test_the_figure_of_each_case():
    material = make_material(drawn_case(40), make_case(("easy", "list-reg"), jobs=50))
    first, second = json.loads(payload(material, compute(material)))["cases"]
    titles = [panel["title"] for panel in first["promises"]["panels"]]
    assert titles == [
        "cbf, regular jobs",
        "cbf, deadline-driven jobs",
        "dbf, regular jobs",
        "dbf, deadline-driven jobs",
    ]
    line, circles = first["promises"]["panels"][0]["series"]
    assert line["dashed"]
    assert len(circles["x"]) == len(circles["sizes"]) == len(circles["notes"])
    assert second["promises"]["empty"]


def test_the_table_by_hand(tmp_path):
    """Of four regular jobs one each; of two with deadlines one was promised a start, and got it."""
    case = hand_case(SIX, {"cbf": START}, promised={"cbf": PROMISED})
    write_report(make_material(case), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    table = text[text.index('id="promises"') : text.index('id="promised-waits"')]
    counts = re.findall(r'<span class="value">([^<]*)</span>', table)
    shares = re.findall(r'<span class="change">([^<]*)</span>', table)
    assert counts == ["4", "1", "1", "1", "1", "5 s", "1", "0", "0", "1", "0", "0 s"]
    percents = [float(share.split()[0].rstrip("%")) for share in shares]
    assert percents == [100, 25, 25, 25, 25, 50, 0, 0, 100, 0]


@pytest.mark.parametrize("cases", [1, 2])
def test_the_numbers_need_no_script(cases, tmp_path):
    case = hand_case(SIX, {"c<b>f": START}, promised={"c<b>f": PROMISED})
    write_report(make_material(*[case] * cases), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    section = text[text.index('id="promises"') : text.index('id="gantt"')]
    assert section.count("<table") == 1
    assert section.count("<tbody>") == cases
    assert section.count("by-hand / requested") == (0 if cases == 1 else cases)
    assert section.count("c&lt;b&gt;f") >= 2
    assert "<b>" not in section
