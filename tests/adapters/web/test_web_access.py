"""Who may see the page: Host, tokens and cookies."""

from __future__ import annotations

import os

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


def test_life_needs_no_token(site):
    assert site.ask("/healthz").code == 200


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


def test_a_token_in_the_address_becomes_a_cookie_and_leaves_it(site):
    found = site.ask(f"/journal.json?last=7&token={TOKEN}")
    assert (found.code, found.headers["location"]) == (303, "./journal.json?last=7")
    cookie, *rules = found.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(rules)
    assert TOKEN not in found.text + str(found.headers)
    assert site.ask("/journal.json?last=7", Cookie=f"other=1; {cookie}").code == 200
    assert site.ask("/journal.json", Cookie=cookie + "0").code == 401
    assert site.ask("/journal.json", Cookie=f"packwise_{site.port}={TOKEN}").code == 401


def test_the_way_back_leads_nowhere_else(site):
    assert site.ask(f"//evil.example/?token={TOKEN}").headers["location"] == "./"
    assert site.ask(f"//evil.example?token={TOKEN}").headers["location"] == "./evil.example"
    assert site.ask(f"/?token={TOKEN}").headers["location"] == "./"


def test_a_wrong_token_in_the_address(site):
    found = site.ask("/?token=wrong-wrong-wrong-wrong")
    assert found.code == 401
    assert "set-cookie" not in found.headers


def test_a_browser_is_asked_for_it(site):
    found = site.ask("/", Accept="text/html,*/*")
    assert found.code == 401
    assert 'type="password"' in found.text
    assert "form-action 'self'" in found.headers["content-security-policy"]


def test_a_browser_with_the_token(site, browser):
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(site.address)
        page.fill("input[name=token]", TOKEN)
        page.click("button")
        page.wait_for_selector("html[data-ready]")
        assert page.url == site.address
        assert page.evaluate("document.cookie") == ""
        assert page.locator("#cluster").inner_text() == "elm"
    finally:
        context.close()


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
