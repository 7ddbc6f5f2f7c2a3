"""The page as an operator meets it, in a real browser."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from packwise.adapters.slurm.web.folder import StateFolder
from packwise.adapters.slurm.web.serving import open_door, serving
from tests.adapters.web.looking import facts, rows, shown
from tests.adapters.web.statuses import NOW, entry, make_status, waiting, write, write_journal
from tests.reports.browsing import eventually, until


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, make_status())
    write_journal(tmp_path, entry(1, "begin", "steer begins"), entry(2), entry(3, "trouble", "oh"))
    return tmp_path


def test_everything_is_there_and_nothing_goes_wrong(looked_at, folder):
    page = looked_at(folder)
    assert shown(page, "#cluster") == "elm"
    assert "steers with packwise" in shown(page, "#lead")
    assert page.title() == "4 wait, 2 run: elm"
    assert "All is well: a new plan every 10 s." in shown(page, "#health")
    assert page.locator("#health.good").count() == 1
    told = facts(page)
    assert told["Waiting"] == "4 and 1 not for room"
    assert told["Running"] == "2"
    assert told["Cores free"] == "4 of 32"
    assert told["Nodes usable"] == "3 of 4"
    assert told["Typical wait from now"] == "60 min median"
    assert told["Earlier than Slurm's forecast"] == "15 min mean of 2 jobs"
    assert rows(page) == ["200", "201", "202", "203"]
    assert "partition 'old' has no nodes" in shown(page, "#notes")
    assert "0.25 s" in shown(page, "#rounds")
    assert "1.500 s" in shown(page, "#controller")
    eventually(page, lambda: page.locator("#journal li").count(), 3)
    assert page.locator("#journal li.trouble").inner_text().endswith("oh")
    assert page.faults == []


def test_our_plan_beside_slurms(looked_at, folder):
    page = looked_at(folder)

    def cells(id):
        return page.locator(f"#jobs tr[data-job='{id}'] td").all_inner_texts()

    assert cells("200")[5].split("\n") == ["now", "n4"]
    assert cells("200")[7:] == ["60 min earlier", "others are before it"]
    assert cells("201")[7] == "30 min later"
    assert cells("202")[6:] == ["not told", "", "waits for room"]
    assert cells("203")[5] == "?"
    unknown = page.locator("#jobs tr[data-job='203'] td").nth(5).locator("span").first
    assert unknown.get_attribute("title") == "the plan does not say"
    page.click("text=Running 2")
    assert rows(page) == ["101", "100"]
    assert cells("100")[-1] == "n1, n2"
    page.click("text=Not for room 1")
    assert cells("300")[-1] == "waits for another job"


def test_finding_jobs_of_a_user_and_by_id(looked_at, folder):
    page = looked_at(folder)
    page.fill("#filter", "BOB")
    assert rows(page) == ["201"]
    buttons = page.locator("#views button").all_inner_texts()
    assert buttons == ["Waiting 1 of 4", "Running 1 of 2", "Not for room 0 of 1"]
    page.fill("#filter", "20")
    assert rows(page) == ["200", "201", "202", "203"]
    page.fill("#filter", "nobody")
    assert shown(page, "#jobs tbody") == "No such job."


@pytest.mark.parametrize(
    ("id", "view"), [("202", "Waiting"), ("101", "Running"), ("300", "Not for room")]
)
def test_a_job_is_found_by_its_address(looked_at, folder, id, view):
    page = looked_at(folder, f"#job={id}")
    assert page.locator("#jobs tr.found").get_attribute("data-job") == id
    assert page.locator("#views [aria-pressed=true]").inner_text().startswith(view)
    page.evaluate("location.hash = '#job=201'")
    eventually(page, lambda: page.locator("#jobs tr.found").get_attribute("data-job"), "201")
    page.evaluate("location.hash = '#job=999'")
    missing = "There is no job 999 here. It may have ended."
    eventually(page, lambda: shown(page, "#sought"), missing)


def test_a_job_that_is_not_there_is_missed_where_one_sees_it(looked_at, folder):
    page = looked_at(folder, "#job=99999", viewport={"width": 390, "height": 700})
    assert shown(page, "#sought") == "There is no job 99999 here. It may have ended."
    above, below = page.locator("#sought").evaluate(
        "one => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom]"
    )
    assert 0 <= above < below <= 700
    write(folder, make_status(cycle=8, waiting=[waiting("99999", NOW + 60)]))
    eventually(page, lambda: page.locator("#jobs tr.found").count(), 1)
    assert shown(page, "#sought") == ""
    write(folder, make_status(cycle=9))
    eventually(page, lambda: "no job 99999" in shown(page, "#sought"), True)
    page.evaluate("location.hash = ''")
    eventually(page, lambda: shown(page, "#sought"), "")


def test_a_new_status_changes_the_page(looked_at, folder):
    page = looked_at(folder)
    page.fill("#filter", "anna")
    page.focus("#filter")
    page.evaluate("window.kept = document.querySelector('#jobs tr[data-job=\"200\"]')")
    jobs = [waiting("200", NOW + 70, (0,)), waiting("400", NOW + 60, (0,))]
    write(folder, make_status(cycle=8, written=NOW + 10, waiting=jobs, free=31))
    until(page, "document.documentElement.dataset.cycle === '8'")
    assert rows(page) == ["200", "400"]
    assert facts(page)["Cores free"] == "31 of 32"
    assert page.evaluate("document.activeElement.id") == "filter"
    assert page.evaluate("document.querySelector('#jobs tr[data-job=\"200\"]') === window.kept")
    write_journal(folder, entry(9, "trouble", "Slurm does not answer"))
    eventually(page, lambda: "Slurm does not answer" in shown(page, "#journal"), True)
    assert page.faults == []


def test_without_events_the_page_asks_by_itself(looked_at, folder, monkeypatch):
    from packwise.adapters.slurm.web import events

    monkeypatch.setattr(events, "MOST", 0)
    page = looked_at(folder)
    write(folder, make_status(cycle=8))
    until(page, "document.documentElement.dataset.cycle === '8'")


def test_before_the_first_round(looked_at, tmp_path):
    page = looked_at(tmp_path)
    assert "Nobody has planned here yet" in shown(page, "#health")
    assert "packwise slurm advise" in shown(page, "#health")
    assert page.locator("#health.warn").count() == 1
    assert not page.locator("#content").is_visible()
    assert page.faults == []
    write(tmp_path, make_status())
    eventually(page, lambda: shown(page, "#cluster"), "elm")
    assert page.locator("#content").is_visible()
    os.unlink(tmp_path / "status.json")
    eventually(page, lambda: "Nobody has planned" in shown(page, "#health"), True)


def test_the_end_is_told_at_once(looked_at, folder):
    """Before the status is old."""
    page = looked_at(folder)
    assert "All is well" in shown(page, "#health")
    begun = entry(1, "begin", "advise with packwise, every 10 s")
    end = entry(3, "end", "advise has ended")
    write_journal(folder, begun, entry(2), end, entry(4, "note", "something"))
    told = "advise has ended. Slurm goes on by itself."
    eventually(page, lambda: shown(page, "#health"), told)
    assert page.locator("#health.warn").count() == 1
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert shown(page, "#health") == told
    write_journal(folder, begun, end, begun)
    eventually(page, lambda: "All is well" in shown(page, "#health"), True)


def test_lines_that_were_sent_are_lines(looked_at, folder):
    sent = "scontrol <<'END'\nupdate jobid=1 nice=5\r\nupdate jobid=2\x07\nEND\n"
    write_journal(folder, entry(1, "send", sent), entry(2, "trouble", "one\ntwo"))
    page = looked_at(folder)
    said = page.locator("#journal .said").all_inner_texts()
    assert said == ["one\ntwo", sent.strip().replace("\r", "").replace("\x07", "\ufffd")]
    write(folder, make_status(health={"slurm": "no\n answer\n"}, notes=["a\nb"]))
    eventually(page, lambda: shown(page, "#health"), "no · answer")
    assert shown(page, "#notes li") == "a · b"


def test_a_status_that_nobody_renews(looked_at, folder):
    write_journal(folder, entry(5, "end", "steer has ended"), entry(6))
    later = os.stat(folder / "status.json").st_mtime + 7200
    page = looked_at(folder, clock=lambda: later)
    eventually(page, lambda: "steer has ended" in shown(page, "#health"), True)
    assert "Nobody plans any more: the last round was 2 h ago" in shown(page, "#health")
    assert "Slurm goes on by itself" in shown(page, "#health")
    assert page.locator("html.stale").count() == 1
    assert page.locator("#health.warn").count() == 1


def test_troubles_are_told(looked_at, tmp_path):
    write(tmp_path, make_status(health={"slow": "asking Slurm takes 4.1 s"}))
    page = looked_at(tmp_path)
    assert shown(page, "#health") == "asking Slurm takes 4.1 s"
    assert page.locator("#health.warn").count() == 1


def test_rounds_that_fail(looked_at, tmp_path):
    write(tmp_path, make_status(failing=36000.0, health={"slurm": "nobody answers"}))
    later = os.stat(tmp_path / "status.json").st_mtime + 60  # the next try may be a minute away
    page = looked_at(tmp_path, clock=lambda: later)
    assert "The plan is 10 h old: rounds fail, and are tried again." in shown(page, "#health")
    assert "nobody answers" in shown(page, "#health")
    assert "Nobody plans any more" not in shown(page, "#health")
    assert "10 h ago" in shown(page, "#lead")
    assert page.locator("html.stale").count() == 1


def test_a_server_that_is_gone_is_missed(looked_at, folder):
    with ExitStack() as first:
        door = open_door("127.0.0.1", 0)
        first.enter_context(serving(door, StateFolder(folder), None))
        page = looked_at(folder, address=door.address)
    eventually(page, lambda: "connection to the server is lost" in shown(page, "#health"), True)
    with serving(open_door("127.0.0.1", door.port), StateFolder(folder), None):
        eventually(page, lambda: "All is well" in shown(page, "#health"), True)


def test_forecasts_have_a_column_where_there_are_any(looked_at, folder):
    told = make_status()
    told["waiting"][1]["forecast"] = [NOW + 60, NOW + 600, NOW + 3600]
    write(folder, told)
    page = looked_at(folder)
    heads = page.locator("#jobs th").all_inner_texts()
    assert "Likely" in heads
    cell = page.locator("#jobs tr[data-job='201'] td").nth(heads.index("Likely"))
    assert cell.inner_text().endswith(": 90 %")
    assert page.locator("#jobs tr[data-job='200'] td").nth(heads.index("Likely")).inner_text() == ""
    write(folder, make_status(written=NOW + 1))
    eventually(page, lambda: "Likely" in page.locator("#jobs th").all_inner_texts(), False)
    assert page.faults == []


def likely(page, id):
    heads = page.locator("#jobs th").all_inner_texts()
    return page.locator(f"#jobs tr[data-job='{id}'] td").nth(heads.index("Likely")).inner_text()


def test_no_forecast_is_in_the_past(looked_at, folder):
    told = make_status()
    never = -1
    told["waiting"][0]["forecast"] = [NOW - 600, NOW - 300, NOW - 10]
    told["waiting"][1]["forecast"] = [NOW - 600, NOW - 300, NOW + 59]
    told["waiting"][2]["forecast"] = [NOW - 600, NOW - 300, NOW + 60]
    told["waiting"][3]["forecast"] = [NOW - 600, NOW - 300, never]
    write(folder, told)
    page = looked_at(folder)
    assert likely(page, "200") == "any moment"
    assert likely(page, "201") == "any moment"
    first, second = likely(page, "202").split("\n")
    assert (first, second[:3], second[-6:]) == ("now", "by ", ": 90 %")
    assert likely(page, "203") == "now"


@pytest.mark.parametrize(
    ("by", "name", "figure", "cell"),
    [
        (-59, "Beside", "the same", "the same"),
        (0, "Beside", "the same", "the same"),
        (59, "Beside", "the same", "the same"),
        (60, "Earlier than", "60 s", "60 s earlier"),
        (-60, "Later than", "60 s", "60 s later"),
    ],
)
def test_the_figure_and_the_table_agree_on_what_is_the_same(
    looked_at, folder, by, name, figure, cell
):
    write(folder, make_status(waiting=[waiting("1", NOW + 600, slurm=NOW + 600 + by)]))
    page = looked_at(folder)
    assert facts(page)[f"{name} Slurm's forecast"] == f"{figure} mean of 1 job"
    assert page.locator("#jobs tr[data-job='1'] td").nth(7).inner_text() == cell


def test_where_slurm_has_no_forecast_nothing_is_said_of_it(looked_at, folder):
    jobs = [waiting("200", NOW, (3,)), waiting("201", NOW + 3600)]
    page = looked_at(folder)
    heads = page.locator("#jobs th").all_inner_texts()
    assert {"Slurm's forecast", "Ours is"} <= set(heads)
    write(folder, make_status(cycle=8, waiting=jobs))
    until(page, "document.documentElement.dataset.cycle === '8'")
    fewer = page.locator("#jobs th").all_inner_texts()
    assert fewer == [head for head in heads if head not in ("Slurm's forecast", "Ours is")]
    assert not any("forecast" in name for name in facts(page))
    assert "not told" not in shown(page, "#jobs")
    assert page.locator("#jobs tr[data-job='200'] td").last.inner_text() == "others are before it"
    assert page.faults == []
