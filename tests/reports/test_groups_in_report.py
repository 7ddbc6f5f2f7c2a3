"""Who waits how long, the data to download, and the head of the page."""

from __future__ import annotations

import base64
import csv
import html
import io
import re

import numpy as np
import pytest

from packwise.model.cluster import Cluster
from packwise.reports.facts import case_facts
from packwise.reports.figures import compute
from packwise.reports.groups.section import MOST, group_tables
from packwise.reports.page.writing import write_report
from packwise.reports.prose import whole_name
from packwise.workloads.origin import Origin, origin_of
from tests.reports.materials import make_material
from tests.reports.test_chance_in_report import METRICS, case_of, log

HOSTILE = '=HYPERLINK("x"),"</script>'


@pytest.fixture(scope="module")
def found():
    jobs = log(60, users=MOST + 8)
    base = 3600 + np.arange(len(jobs))
    other = np.where(jobs.user == 1, base // 3, base + 3600)
    return case_of({"old": base, "new": other}, jobs)


def test_tables_by_group(found):
    (figures,) = compute(make_material(found, metrics=METRICS)).cases
    tables = dict(group_tables(figures.case, figures.waits))
    assert list(tables) == ["By user", "By size"]
    users = tables["By user"]
    assert users.columns == ("old", "new", "jobs", "work")
    assert len(users.labels) == MOST + 1
    assert users.labels[-1] == "8 others"
    assert sum(int(row[2].value) for row in users.rows) == len(log(60))
    first = users.rows[users.labels.index("u1")]
    assert first[1].step > 0
    assert not first[1].noise
    worse = users.rows[users.labels.index("u3")]
    assert worse[1].step < 0
    assert worse[1].change.startswith("+")
    assert tables["By size"].labels == ("1", "5-8")


def test_one_policy_has_no_groups_to_compare():
    jobs = log()
    alone = case_of({"old": np.full(len(jobs), 60)}, jobs)
    (figures,) = compute(make_material(alone, metrics=METRICS)).cases
    assert group_tables(figures.case, figures.waits) == []


def rows_of(page: str, name: str) -> list[dict[str, str]]:
    address = re.search(rf'href="([^"]+)" download="{name}"', page)[1]
    content = base64.b64decode(html.unescape(address).partition("base64,")[2])
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_the_numbers_can_be_saved(found, tmp_path):
    write_report(make_material(found, metrics=METRICS), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    metrics = rows_of(page, "metrics.csv")
    assert {(row["policy"], row["metric"]) for row in metrics} == {
        (label, name) for label in ("old", "new") for name in METRICS
    }
    wait = next(row for row in metrics if (row["policy"], row["metric"]) == ("new", "wait"))
    assert float(wait["value"]) == pytest.approx(found.runs[1].cells["wait"].value)
    assert wait["significant"] in ("True", "False")
    waits = rows_of(page, "waits.csv")
    assert sum(int(row["jobs"]) for row in waits if row["kind"] == "user") == len(log(60))
    assert {row["kind"] for row in waits} == {"user", "size"}


def test_names_cannot_break_the_files(tmp_path):
    jobs = log().replace(names={"user": (HOSTILE, "b")})
    base = np.full(len(jobs), 60)
    case = case_of({"old": base, HOSTILE: 2 * base}, jobs)
    write_report(make_material(case, metrics=METRICS), tmp_path / "report.html")
    waits = rows_of((tmp_path / "report.html").read_text(), "waits.csv")
    assert {row["group"] for row in waits if row["kind"] == "user"} == {"'" + HOSTILE, "b"}
    assert {row["policy"] for row in waits} == {"'" + HOSTILE}, (
        "a spreadsheet shows it, and runs nothing"
    )


def test_jobs_can_be_saved(opened, found):
    page = opened(make_material(found, metrics=METRICS))
    with page.expect_download() as saved:
        page.click("#jobs-csv")
    text = saved.value.path().read_text()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    jobs = log(60, users=MOST + 8)
    assert [int(row["job"]) for row in rows] == jobs.id.tolist()
    assert [row["user"] for row in rows] == [f"u{k}" for k in jobs.user.tolist()]
    assert [int(row["wait_s old"]) for row in rows] == (3600 + np.arange(len(jobs))).tolist()
    assert {row["run_s new"] for row in rows} == {"600"}
    assert page.faults == []


def test_the_contents_lead_to_their_sections(opened, found):
    page = opened(make_material(found, metrics=METRICS))
    links = page.locator("nav.contents ul a").all()
    assert len(links) >= 6
    for link in links:
        assert page.locator(link.get_attribute("href")).count() == 1


def test_names_on_a_phone_are_whole(opened):
    """No row of a table breaks a name but behind a separator."""
    names = ("bioinformatics_long", "x", "astro-physics_group", "christopher")
    jobs = log(users=4).replace(names={"user": names})
    base = np.full(len(jobs), 600)
    case = case_of({"old": base, "conservative-backfilling": 2 * base}, jobs)
    page = opened(
        make_material(case, metrics=METRICS), viewport={"width": 360, "height": 740}, is_mobile=True
    )
    broken = page.evaluate(
        """() => [...document.querySelectorAll(".heat tbody th")].flatMap((cell) => {
          const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), found = [];
          while (words.nextNode()) {
            const range = document.createRange();
            range.selectNodeContents(words.currentNode);
            if (!/\\s/.test(words.currentNode.data) && range.getClientRects().length > 1)
            found.push(words.currentNode.data);
          }
          return found;
        })"""
    )
    assert broken == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_names_break_behind_separators_or_not_at_all():
    assert whole_name("gpu_long-queue") == '<span class="short">gpu_long-queue</span>'
    long = whole_name("conservative-backfilling")
    assert long == '<span class="name">conservative-<wbr>backfilling</span>'
    assert whole_name("x" * 40).startswith('<span class="long">')
    assert whole_name("<b>&") == '<span class="short">&lt;b&gt;&amp;</span>'


def test_facts():
    jobs = log(60).replace(start_time=1_700_000_000, time_zone="Europe/Berlin")
    facts = case_facts(jobs, Cluster.pool(128))
    assert facts.dates == "14 Nov 2023 to 13 Jan 2024"
    assert facts.machine == "128 processors"
    assert facts.counts == (("Users", 2),)
    assert case_facts(log(60), Cluster.pool(1)).dates == ""
    short = jobs.select(jobs.id < 3)
    assert (
        case_facts(short, Cluster.pool(1)).dates
        == "14 Nov 2023, 23:13 to 15 Nov 2023, 11:13 (Europe/Berlin)"
    )


def test_where_a_log_comes_from():
    told = log().replace(header=("; Computer: SP2", "; Installation: KTH,   Stockholm"))
    assert origin_of(told) == Origin("KTH, Stockholm", "SP2")
    assert origin_of(log()) == Origin()
    zeros = np.zeros(len(log()), np.int64)
    named = log().replace(
        extra={"cluster": zeros}, names={**log().names, "cluster": ("lab", "other")}
    )
    assert origin_of(named) == Origin("", "lab")
