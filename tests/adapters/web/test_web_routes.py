"""The routes: what they show, what they say of themselves, and that nothing else is there."""

from __future__ import annotations

import gzip
import json
import os

import pytest

from tests.adapters.web.statuses import NOW, entry, make_status, write, write_journal

ROUTES = ("/", "/status.json", "/journal.json", "/metrics", "/healthz", "/assets/main.js")


@pytest.fixture(scope="module")
def site(tmp_path_factory, served_long):
    folder = tmp_path_factory.mktemp("state")
    write(folder, make_status())
    write_journal(folder, *(entry(k) for k in range(80)))
    return served_long(folder)


def test_the_page_and_all_that_it_needs(site):
    page = site.ask("/")
    assert page.code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    names = [part.split('"')[0] for part in page.text.split('"assets/')[1:]]
    assert {"main.js", "page.css", "tables.css", "icon.svg"} <= set(names)
    seen = set()
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        found = site.ask(f"/assets/{name}")
        assert found.code == 200, name
        if name.endswith(".js"):
            assert found.headers["content-type"].startswith("text/javascript")
            names += [part.split('"')[0] for part in found.text.split(' from "./')[1:]]
    assert {"gantt_paint.js", "words.js", "feed.js"} <= seen


def test_nothing_inline_and_nobody_else_in_the_page(site):
    text = site.ask("/").text
    assert "<style" not in text
    assert " style=" not in text
    assert "<script>" not in text
    assert "http://" not in text
    assert "https://" not in text
    assert not any(f" on{event}=" in text for event in ("click", "load", "error"))


def test_the_status_as_it_was_written(site):
    found = site.ask("/status.json")
    assert (found.code, found.json) == (200, make_status())
    assert found.headers["content-type"] == "application/json"
    assert float(found.headers["packwise-age"]) >= 0
    assert float(found.headers["packwise-stale-after"]) == pytest.approx(30 + 10 * 0.375, abs=0.06)


def test_a_status_is_packed_for_who_can_unpack_it(site):
    found = site.ask("/status.json", Accept_Encoding="gzip, br")
    assert found.headers["content-encoding"] == "gzip"
    assert json.loads(gzip.decompress(found.body)) == make_status()


def test_a_new_status_is_seen(tmp_path, served):
    site = served(tmp_path)
    assert site.ask("/status.json").code == 404
    for cycle in (1, 2):
        write(tmp_path, make_status(cycle=cycle))
        assert site.ask("/status.json").json["cycle"] == cycle
    os.unlink(tmp_path / "status.json")
    assert site.ask("/status.json").code == 404


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"", "no JSON"),
        (b'{"version": 1, "writ', "no JSON"),
        (b"[1]", "another version"),
        (b'{"version": 99}', "another version"),
        (b"[" * 100_000, "no JSON"),
    ],
)
def test_a_status_that_makes_no_sense_is_said_so(tmp_path, served, raw, word):
    (tmp_path / "status.json").write_bytes(raw)
    site = served(tmp_path)
    found = site.ask("/status.json")
    assert found.code == 404
    assert word in found.json["problem"]
    assert site.ask("/metrics").code == 200
    assert site.ask("/").code == 200


def test_no_number_that_browsers_do_not_know(tmp_path, served):
    (tmp_path / "status.json").write_text('{"version": 1, "free": NaN, "cores": Infinity}')
    assert served(tmp_path).ask("/status.json").json == {"version": 1, "free": None, "cores": None}


def test_the_last_entries_of_the_journal(site):
    assert [one["time"] - NOW for one in site.ask("/journal.json").json] == list(range(30, 80))
    assert [one["time"] - NOW for one in site.ask("/journal.json?last=2").json] == [78, 79]


def test_the_journal_goes_on_in_the_file_before(tmp_path, served):
    write_journal(tmp_path, *(entry(k) for k in range(5)), name="journal.jsonl.1")
    write_journal(tmp_path, *(entry(k) for k in range(5, 8)))
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write('{"time": 1, "ki\n7\n')
    found = served(tmp_path).ask("/journal.json?last=6").json
    assert [one["time"] - NOW for one in found] == [2, 3, 4, 5, 6, 7]


def test_no_journal_is_an_empty_one(tmp_path, served):
    assert served(tmp_path).ask("/journal.json").json == []


@pytest.mark.parametrize("last", ["0", "1001", "-1", "x", "", "1.5", "9" * 5000, "%C2%B2"])
def test_a_number_of_entries_that_is_none(site, last):
    found = site.ask(f"/journal.json?last={last}")
    assert found.code == 400
    assert "from 1 to 1000" in found.json["problem"]


@pytest.mark.parametrize("route", [*ROUTES, "/events", "/nothing"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_can_be_changed(site, route, method):
    found = site.ask(route, method)
    assert (found.code, found.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("route", [*ROUTES, "/events"])
def test_only_the_head(site, route):
    found = site.ask(route, "HEAD")
    assert (found.code, found.body) == (200, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/assets/",
        "/assets/nothing.js",
        "/assets/../app.py",
        "/assets/..%2fapp.py",
        "/assets/%2e%2e/app.py",
        "/assets//etc/passwd",
        "/journal.jsonl",
        "/ledger",
        "/status.json/",
    ],
)
def test_nothing_else_is_there(site, path):
    assert site.ask(path).code in (404, 307)
    assert b"import" not in site.ask(path).body


@pytest.mark.parametrize("path", [*ROUTES, "/nothing", "/journal.json?last=x"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_every_answer_protects_its_reader(site, path, method):
    told = site.ask(path, method).headers
    policy = told["content-security-policy"].split("; ")
    for part in (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "frame-ancestors 'none'",
    ):
        assert part in policy
    assert told["x-content-type-options"] == "nosniff"
    assert told["referrer-policy"] == "no-referrer"
    assert told["cache-control"] == "no-store"
    assert "server" not in told
    assert "access-control-allow-origin" not in told


def test_a_sign_of_life(tmp_path, served):
    assert served(tmp_path).ask("/healthz").text == "ok\n"
