"""The check of the built site: whatever leads nowhere is named, with page and line."""

from __future__ import annotations

import pytest

from scripts.check_site import broken, main

PAGE = '<html><head><link rel="stylesheet" href="../style.css"></head>\n<body><h1 id="top">A</h1>\n{}</body>'


@pytest.fixture
def site(tmp_path):
    """An index, a page 'howto/one/' below it, a style and a picture."""
    (tmp_path / "howto" / "one").mkdir(parents=True)
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a b.png").write_bytes(b"")
    for place in ("style.css", "howto/style.css"):
        (tmp_path / place).write_text("")

    def put(body, place="howto/one/index.html"):
        (tmp_path / "index.html").write_text('<p id="start"><a href="howto/one/#top">One</a></p>')
        (tmp_path / place).write_text(PAGE.format(body))
        return tmp_path

    return put


@pytest.mark.parametrize(
    "body",
    [
        "",
        '<a href="../../">home</a><a href="../../#start">home</a><a href=".">here</a>',
        '<a href="#top">up</a><a href="#">up</a>',
        '<img src="../../images/a%20b.png">',
        '<a href="https://example.org/nowhere">out</a><a href="mailto:a@example.org">mail</a>',
        '<a href="../../index.html?x=1#start">home</a>',
    ],
)
def test_what_leads_somewhere(site, body, capsys):
    assert list(broken(site(body))) == []
    assert main(site(body)) == 0
    assert capsys.readouterr().out == "2 pages, 0 broken references\n"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<a href="../two/">two</a>', "'../two/' leads nowhere"),
        ('<a href="../../other.md">two</a>', "'../../other.md' leads nowhere"),
        ('<img src="../../images/none.png">', "'../../images/none.png' leads nowhere"),
        ('<script src="none.js"></script>', "'none.js' leads nowhere"),
        ('<a href="#none">up</a>', "names a place that howto/one/index.html does not have"),
        ('<a href="../../#none">up</a>', "names a place that index.html does not have"),
        ('<a href="/howto/one/">one</a>', "begins at the root of the server"),
        ('<a href="../../../x">out</a>', "leads out of the site"),
    ],
)
def test_what_leads_nowhere(site, body, reason, capsys):
    (line,) = broken(site(body))
    assert line.startswith("howto/one/index.html, line 3: ")
    assert reason in line
    assert main(site(body)) == 1
    assert reason in capsys.readouterr().err


def test_the_page_for_lost_readers_begins_at_the_root(site):
    site("")
    assert list(broken(site('<a href="/">home</a>', "404.html"))) == []


def test_without_a_site(tmp_path, capsys):
    assert main(tmp_path) == 2
    assert "expected a built site" in capsys.readouterr().err
