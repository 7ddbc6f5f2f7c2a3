"""Names that would like to be more than names: a page shows them, and they do nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from packwise.reports.material import DeadlineShare
from packwise.reports.page.payload import script_json
from packwise.reports.page.rendering import rendered
from tests.reports.browsing import until
from tests.reports.deadline_materials import drawn_case
from tests.reports.materials import make_case, make_material, make_sweep

NAMES = (
    "</script><script>window.betrayed = 1</script>",
    '<img src=x onerror="window.betrayed = 1">',
    "\"' onmouseover=\"window.betrayed = 1\" onmouseover='window.betrayed = 1' '",
    "x autofocus onfocus=window.betrayed=1 tabindex=1",
    "{{ 7 * 7 }} {% for x in y %} {# gone #} ${window.betrayed = 1}",
    "one\u2028window.betrayed = 1 //\u2029two",
    "<!-- <script> --> <![CDATA[ <svg onload=window.betrayed=1>",
    "</style><style>* { display: none !important }</style></title></textarea>",
    "&lt;b&gt; &amp;lt; &#x27; &nbsp;",
    "javascript:window.betrayed = 1",
    '<a href="javascript:window.betrayed = 1">go</a> $\\x$ %{y} <br><b>bold',
    "a long name, of many words, " * 150,
    "x" * 4000,
    "bell\x07 null\x00 line\r\nfeed\ttab \ud800 \u202eright to left\u202c",
)
BENIGN = tuple(f"name {k}" for k in range(len(NAMES)))


def material(names):
    """Every text of a report that comes from outside is one of the names, or all of them."""
    everything = " ".join(names)
    policies = ("easy", *["list-reg"] * (len(names) - 1))
    first = make_case(
        policies,
        labels=names,
        jobs=80,
        procs=32,
        machine=names[0],
        estimate=names[1],
        remarks=names,
    )
    first = replace(first, workload=everything)
    swept = []
    for share in (20, 60):
        case = drawn_case(share, names[2], count=80)
        runs = tuple(replace(run, label=name) for run, name in zip(case.runs, names, strict=False))
        swept.append(
            replace(
                case,
                runs=runs,
                workload=f"{names[3]} {share}",
                share=DeadlineShare(names[4], share),
            )
        )
    sweep = replace(make_sweep(names), title=names[5], parameter=everything)
    return make_material(
        first,
        *swept,
        title=everything,
        description=f"{names[0]}\n\n{everything}",
        sweeps=(sweep,),
        provenance=tuple(zip(names, names, strict=True)),
        glossary=tuple(zip(names, names, strict=True)),
        missing=tuple(zip(names, names, strict=True)),
    )


@pytest.fixture(scope="module")
def page(opened):
    """Without the page's own ban on foreign scripts: escaping has to do alone."""
    return opened(material(NAMES), bypass_csp=True)


def tags(page):
    """What the page is made of. Names may have separators to break at, and words that look like metrics."""
    return page.evaluate(
        """() => [...document.querySelectorAll("body *")]
          .filter((e) => !e.closest("svg") && !["WBR", "ABBR"].includes(e.tagName))
          .map((e) => e.tagName + "." + [...e.attributes].map((a) => a.name).sort().join(","))"""
    )


def test_nothing_runs(page):
    page.locator("#policies button").nth(1).click()
    page.locator("#policies button").nth(1).click()
    for place in page.locator("#pareto .points path").all()[:4]:
        place.hover(force=True)
    page.select_option("#user-policy", index=2)
    page.select_option("#gantt-policy", index=3)
    page.select_option("#case", index=1)
    until(page, "packwise.gantt.case === packwise.gantt.data.cases[1]")
    page.select_option("#case", index=0)
    until(page, "packwise.gantt.case === packwise.gantt.data.cases[0]")
    for element in page.locator("header *, #summary *").all()[:20]:
        element.hover(force=True)
    page.wait_for_timeout(300)
    assert page.evaluate("window.betrayed") is None
    assert page.faults == []


def test_the_page_is_built_like_any_other(page, opened):
    assert tags(page) == tags(opened(material(BENIGN)))
    assert page.locator("main :is(img, style, script, iframe, a:not(nav a), [onload])").count() == 0
    assert page.locator("#provenance").is_visible()
    assert page.locator("footer").is_visible()


def test_names_are_shown_as_they_are(page):
    def plain(text):
        """Without half a letter, and what stands for it; and with one kind of line end."""
        for gone in ("\ud800", "\ufffd", "\x00", "?"):
            text = text.replace(gone, "")
        return text.replace("\r\n", "\n")

    buttons = page.locator("#policies button").all()
    assert len(buttons) == len(NAMES)
    for button, name in zip(buttons, NAMES, strict=True):
        assert plain(button.text_content()) == plain(name)
    for term, name in zip(page.locator("#labels dt").all(), NAMES, strict=True):
        assert plain(term.text_content()) == plain(name)
    assert NAMES[4] in page.title()


def test_long_names_do_not_widen_the_page(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200


def test_other_scripts_are_banned(opened):
    """If something did get in, the browser would not run it."""
    page = opened(make_material(make_case(("easy",), jobs=20)))
    assert page.faults == []
    page.evaluate(
        """() => {
          document.body.insertAdjacentHTML("beforeend", '<img src=x onerror="window.betrayed = 1">');
          const script = document.createElement("script");
          script.textContent = "window.betrayed = 1";
          document.body.append(script);
        }"""
    )
    page.wait_for_timeout(300)
    assert page.evaluate("window.betrayed") is None
    assert any("Content Security Policy" in fault for fault in page.faults)


def test_templates_escape():
    shown = rendered("provenance.html", provenance=[("<b>", '"{{ 7 * 7 }}"')])
    assert "&lt;b&gt;" in shown
    assert "&#34;{{ 7 * 7 }}&#34;" in shown


def test_json_for_scripts_is_harmless_anywhere():
    text = script_json({"</script>": ["<!--", "a&b", "\u2028\u2029", "\ud800"]}).decode()
    assert not set("<>&\u2028\u2029") & set(text)
    assert "\\u003c/script\\u003e" in text
    assert "\\u2028" in text
