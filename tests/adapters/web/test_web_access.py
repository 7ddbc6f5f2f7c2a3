"""Who may see the page: Host, tokens and cookies."""

from __future__ import annotations

import os
from contextlib import contextmanager
from urllib.parse import quote

import pytest

from packwise.adapters.slurm.web.access import Access
from packwise.adapters.slurm.web.token import cookie_of, find_token, same
from packwise.model.errors import InputError
from tests.adapters.web.statuses import make_status, write

TOKEN = "a-token-that-is-long-enough"
ROUTES = ("/", "/status.json", "/journal.json", "/metrics", "/events", "/assets/main.js", "/no")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("state")
    write(made, make_status())
    return made


@pytest.fixture(scope="module")
def open_site(folder, served_long):
    return served_long(folder)


@pytest.fixture(scope="module")
def site(folder, served_long):
    return served_long(folder, TOKEN)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "LocalHost"])
@pytest.mark.parametrize("port", ["", ":9301", ":80"])
def test_this_machine_by_any_of_its_names(open_site, host, port):
    assert open_site.ask("/", Host=host + port).code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:9301",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example#localhost",
        "user@localhost",
        "localhost:x",
        "localhost:",
        "192.168.0.1",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/status.json", "/metrics", "/events", "/healthz"])
def test_a_name_from_elsewhere_that_points_here(open_site, host, path):
    assert open_site.ask(path, Host=host).code == 403


@pytest.mark.parametrize("path", ROUTES)
def test_without_the_token_nothing_is_shown(site, path):
    found = site.ask(path)
    assert found.code == 401
    assert found.headers["www-authenticate"].startswith("Bearer")
    assert b"elm" not in found.body


@pytest.mark.parametrize("path", ["/healthz", "/assets/page.css", "/assets/icon.svg"])
def test_life_and_the_look_of_the_form_need_no_token(site, path):
    assert site.ask(path).code == 200


@pytest.mark.parametrize("path", ["/", "/status.json", "/metrics", "/assets/main.js"])
def test_with_the_token_all_is_shown(site, path):
    assert site.ask(path, Authorization=f"Bearer {TOKEN}").code == 200
    assert site.ask(path, Authorization=f"bearer {TOKEN}").code == 200


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Bearer",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer ä",
        f"Bearer {cookie_of(TOKEN)}",
    ],
)
def test_a_token_that_is_none(site, given):
    assert site.ask("/status.json", Authorization=given).code == 401


def filled(site, path, token, **headers):
    """The form, sent."""
    told = {"Content_Type": "application/x-www-form-urlencoded"} | headers
    return site.ask(path, "POST", f"token={quote(token)}", **told)


def test_a_token_becomes_a_cookie(site):
    found = filled(site, "/journal.json?last=7&token=some", f" {TOKEN}\n")
    assert (found.code, found.headers["location"]) == (303, "./journal.json?last=7")
    cookie, *rules = found.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(rules)
    assert TOKEN not in found.text + str(found.headers)
    assert site.ask("/journal.json?last=7", Cookie=f"other=1; {cookie}").code == 200
    assert site.ask("/journal.json", Cookie=cookie + "0").code == 401
    assert site.ask("/journal.json", Cookie=f"packwise_{site.port}={TOKEN}").code == 401


def test_the_way_back_leads_nowhere_else(site):
    assert filled(site, "//evil.example/", TOKEN).headers["location"] == "./"
    assert filled(site, "//evil.example", TOKEN).headers["location"] == "./evil.example"
    assert filled(site, "/", TOKEN).headers["location"] == "./"


@pytest.mark.parametrize("path", ["/", "/status.json"])
def test_a_token_in_the_address_opens_nothing(site, path):
    found = site.ask(f"{path}?token={TOKEN}", Accept="text/html")
    assert found.code == 401
    assert "set-cookie" not in found.headers
    assert TOKEN not in found.text


@pytest.mark.parametrize("token", ["", "wrong-wrong-wrong-wrong", TOKEN + "x", "ä\ud7ff", "<b>"])
def test_a_wrong_token_is_told_in_words(site, token):
    found = filled(site, "/", token, Accept="text/html")
    assert found.code == 401
    assert "set-cookie" not in found.headers
    assert (
        '<p class="health warn" role="alert">This is not the token of this page.</p>' in found.text
    )
    assert 'type="password"' in found.text
    assert not token or token not in found.text
    assert filled(site, "/", token).text == "This is not the token of this page.\n"


def test_what_is_no_form(site):
    assert site.ask("/", "POST").code == 401
    assert site.ask("/", "POST", f'{{"token": "{TOKEN}"}}').code == 401
    assert site.ask("/", "POST", f"token={TOKEN}&more={'x' * 20_000}").code == 401
    assert site.ask("/", "POST", f"more={'x' * 10_000}&token={TOKEN}").code == 303


def test_a_token_is_not_taken_under_a_name_from_elsewhere(site):
    assert filled(site, "/", TOKEN, Host="evil.example").code == 403


def test_other_methods_stay_unknown(site):
    assert site.ask("/", "PUT", f"token={TOKEN}").code == 405


def test_without_a_token_there_is_no_form_to_send(open_site):
    assert filled(open_site, "/", TOKEN).code == 405


def test_a_browser_is_asked_for_it(site):
    found = site.ask("/", Accept="text/html,*/*")
    assert found.code == 401
    assert 'type="password"' in found.text
    assert 'method="post"' in found.text
    assert "alert" not in found.text
    assert "form-action 'self'" in found.headers["content-security-policy"]


@contextmanager
def window(browser):
    """A page of a browser that knows nobody. Of what is said, only a refusal is no fault."""
    context = browser.new_context(viewport={"width": 390, "height": 700})
    try:
        page = context.new_page()
        page.asked, page.faults = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda told: "401" in told.text or page.faults.append(told.text))
        yield page
    finally:
        context.close()


def test_a_browser_with_the_token(site, browser):
    with window(browser) as page:
        page.goto(site.address + "#job=201")
        page.fill("input[name=token]", "wrong-wrong-wrong-wrong")
        page.click("button")
        said = page.locator("[role=alert]")
        said.wait_for()
        assert said.inner_text() == "This is not the token of this page."
        page.fill("input[name=token]", TOKEN)
        page.click("button")
        page.wait_for_selector("html[data-ready]")
        assert page.url == site.address + "#job=201"
        assert page.locator("#jobs tr.found").get_attribute("data-job") == "201"
        assert page.evaluate("document.cookie") == ""
        assert page.locator("#cluster").inner_text() == "elm"
        assert not any("token" in address for address in page.asked)
        assert page.faults == []


@pytest.mark.parametrize("path", ["", "status.json", "assets/main.js", "a/b/c"])
def test_the_form_looks_like_the_page_wherever_it_is(site, browser, path):
    with window(browser) as page:
        page.goto(site.address + path)
        corner = "getComputedStyle(document.querySelector('input')).borderTopLeftRadius"
        assert page.evaluate(corner) == "8px"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.fill("input[name=token]", TOKEN)
        with page.expect_navigation() as went:
            page.click("button")
        assert went.value.url == site.address + path
        assert went.value.status == (404 if path == "a/b/c" else 200)


def test_no_web_sockets_either():
    async def never(*_):
        raise AssertionError

    with pytest.raises(StopIteration):  # it ends without a word
        Access(never, None, local=True)({"type": "websocket"}, never, never).send(None)


def file_of(tmp_path, text, mode=0o600):
    path = tmp_path / "token"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_tokens_come_from_a_file_or_the_environment(tmp_path):
    path = file_of(tmp_path, f"{TOKEN}\n")
    assert find_token(path, {"PACKWISE_TOKEN": "another-token-that-is-long"}) == TOKEN
    assert find_token(None, {"PACKWISE_TOKEN": TOKEN}) == TOKEN
    assert find_token(None, {}) is None


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o666, 0o602, 0o601])
def test_a_file_that_others_can_read_is_no_secret(tmp_path, mode):
    with pytest.raises(InputError, match="others can read it"):
        find_token(file_of(tmp_path, TOKEN, mode), {})


def test_a_file_of_a_group(tmp_path):
    path = file_of(tmp_path, TOKEN, 0o640)
    if os.stat(path).st_gid == 0:
        assert find_token(path, {}) == TOKEN
    else:
        with pytest.raises(InputError, match="others can read it"):
            find_token(path, {})


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "found 0"),
        ("short", "found 5"),
        ("x" * 15 + "\n", "found 15"),
        ("two words that are long", "one word"),
        ("umlaut-äöü-umlaut-äöü", "one word"),
        ("bell-\x07-bell-bell-bell", "one word"),
    ],
)
def test_tokens_that_will_not_do(tmp_path, text, word):
    with pytest.raises(InputError, match=word) as caught:
        find_token(file_of(tmp_path, text), {})
    assert len(text) < 6 or text.strip() not in str(caught.value)
    with pytest.raises(InputError, match=word):
        find_token(None, {"PACKWISE_TOKEN": text})


def test_no_file_at_all(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        find_token(tmp_path / "none", {})


def test_equal_whatever_the_letters():
    assert same("ä\ud800", "ä\ud800")
    assert not same("ä", "a")
