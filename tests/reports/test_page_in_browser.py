"""The report as a reader meets it: opened from a file in a real browser."""

from __future__ import annotations

import pytest

from tests.ink import colour, read_pdf, read_png
from tests.reports.browsing import eventually, until
from tests.reports.deadline_materials import drawn_case
from tests.reports.materials import idle_workload, make_case, make_material, make_sweep

CHARTS = (
    "pareto",
    "waits",
    "slowdowns",
    "queue",
    "utilization",
    "utilization-density",
    "wait-area",
    "size-classes",
    "users",
)


@pytest.fixture(scope="module")
def page(opened):
    return opened(
        make_material(
            make_case(jobs=1500, procs=128),
            make_case(seed=2, replicas=3, labels=["list-reg", "easy", "other"]),
            sweeps=(make_sweep(),),
        )
    )


def lines(page, chart):
    return page.locator(f"#{chart} .plot .scatterlayer .trace").count()


def visible_range(page):
    return page.evaluate("[packwise.gantt.view.from, packwise.gantt.view.to]")


def settle(page):
    until(
        page,
        "['from','to','low','high'].every((k) => packwise.gantt.view[k] === packwise.gantt.target[k])",
    )


#: A wheel just after scrolling belongs to the page: wait until none has come for a while.
UNTIL_SCROLLED = """() => new Promise((done) => {
  let timer;
  const again = () => { clearTimeout(timer); timer = setTimeout(end, 350); };
  const end = () => { removeEventListener("scroll", again); done(); };
  addEventListener("scroll", again, { passive: true });
  requestAnimationFrame(() => requestAnimationFrame(again));
})"""


@pytest.fixture
def gantt(page):
    page.evaluate("packwise.gantt.move(packwise.gantt.whole(), true)")
    canvas = page.locator("#gantt-canvas")
    canvas.scroll_into_view_if_needed()
    page.evaluate(UNTIL_SCROLLED)
    settle(page)
    return canvas


@pytest.mark.smoke
def test_everything_is_drawn_and_nothing_goes_wrong(page):
    for chart in CHARTS[:-1]:
        assert lines(page, chart) >= 2, chart
    assert page.locator("#users .plot .bars .point").count() > 0
    assert lines(page, "sweep-1") == 3 * 5
    assert page.locator("#policies button:visible").count() == 4 - 1
    assert page.faults == []


def test_everything_has_ink(page):
    for chart in (*CHARTS, "sweep-1"):
        shot = read_png(page.locator(f"#{chart} .plot").screenshot())
        assert colour(shot) > 0.0003, chart  # three points are not much; axes have no colour
    for scheme in ("wait", "user", "size"):
        page.select_option("#gantt-colour", scheme)
        page.wait_for_timeout(300)
        assert colour(read_png(page.locator("#gantt-frame").screenshot())) > 0.25, scheme
    page.select_option("#gantt-colour", "wait")


def test_a_policy_goes_from_all_charts_at_once(page):
    before = [lines(page, chart) for chart in CHARTS[:6]]
    button = page.locator("#policies button", has_text="easy")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    eventually(page, lambda: [lines(page, c) for c in CHARTS[:6]], [n - 1 for n in before])
    button.click()
    eventually(page, lambda: [lines(page, chart) for chart in CHARTS[:6]], before)


def test_other_metrics_can_be_traded(page):
    page.select_option("#pareto-x", label="AF")
    page.select_option("#pareto-y", label="utilization")
    assert "AF" in page.locator("#pareto .xtitle").text_content()
    assert "utilization" in page.locator("#pareto .ytitle").text_content()


def test_the_case_changes_charts_and_gantt(page):
    page.select_option("#case", index=1)
    until(page, "packwise.gantt.case === packwise.gantt.data.cases[1]")
    until(page, "packwise.charts.case === packwise.gantt.data.cases[1]")
    assert "other" in page.locator("#gantt-policy").inner_text()
    title = page.evaluate("packwise.gantt.case.title")
    assert page.locator("#gantt-case").inner_text() == title
    page.select_option("#case", index=0)
    until(page, "packwise.gantt.case === packwise.gantt.data.cases[0]")
    page.wait_for_timeout(300)
    assert page.faults == []


def test_the_overview_shows_one_metric_at_a_time(page):
    assert page.locator(".overview:visible").count() == 1
    page.select_option("#overview-metric", index=2)
    assert page.locator(".overview:visible h4").inner_text() == "AWF"


def test_wide_tables_fade_until_their_end(opened):
    case = make_case(("list-reg", "easy"), jobs=50)
    wide = opened(make_material(*([case] * 12)))
    table = wide.locator(".overview:visible .scroll")
    assert "more" in table.get_attribute("class")
    table.evaluate("(place) => { place.scrollLeft = place.scrollWidth; }")
    until(wide, "!document.querySelector('.overview:not([hidden]) .scroll.more')")
    assert wide.faults == []


def test_wheel_zooms_the_gantt_around_the_pointer(page, gantt):
    before, frames = visible_range(page), page.evaluate("packwise.gantt.frames")
    box = gantt.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    page.mouse.wheel(0, -400)
    until(page, "packwise.gantt.target.from > 0")
    settle(page)
    after = visible_range(page)
    assert before[0] < after[0] < after[1] < before[1]
    assert page.evaluate("packwise.gantt.frames") > frames
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + 100)
    settle(page)
    assert visible_range(page) == pytest.approx(before)


def test_wheel_at_full_extent_scrolls_the_page(page, gantt):
    box = gantt.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 100)
    top = page.evaluate("scrollY")
    page.mouse.wheel(0, 200)
    until(page, f"scrollY > {top}")


def test_keys_zoom_move_and_reset(page, gantt):
    before = visible_range(page)
    gantt.focus()
    for key in ("+", "+", "ArrowRight", "PageUp", "ArrowUp"):
        page.keyboard.press(key)
    settle(page)
    after = visible_range(page)
    assert after[1] - after[0] < 0.5 * (before[1] - before[0])
    assert page.evaluate("packwise.gantt.view.low") > 0
    assert " Jan 2024, " in page.locator("#gantt-range").inner_text()
    page.keyboard.press("0")
    settle(page)
    assert visible_range(page) == pytest.approx(before)


def test_dragging_moves(page, gantt):
    page.evaluate("packwise.gantt.zoom(0.2, 0.5, true)")
    before = visible_range(page)
    box = gantt.bounding_box()
    page.mouse.move(box["x"] + 600, box["y"] + 150)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 150, steps=4)
    page.mouse.up()
    settle(page)
    after = visible_range(page)
    assert after[0] > before[0]
    assert after[1] - after[0] == pytest.approx(before[1] - before[0])


def test_pointing_at_a_job_tells_about_it(page, gantt):
    place = page.evaluate(
        """() => { const g = packwise.gantt, b = g.boxes;
          let k = 0; for (let i = 0; i < b.count; i++)
            if ((b.end[i] - b.begin[i]) * (b.top[i] - b.bottom[i])
              > (b.end[k] - b.begin[k]) * (b.top[k] - b.bottom[k])) k = i;
          return [g.x((b.begin[k] + b.end[k]) / 2), g.y((b.bottom[k] + b.top[k]) / 2),
            g.columns.id[b.job[k]]]; }"""
    )
    box = gantt.bounding_box()
    page.mouse.move(box["x"] + place[0], box["y"] + place[1])
    tip = page.locator("#gantt-tip")
    assert tip.is_visible()
    text = tip.inner_text()
    assert f"Job {place[2]}" in text
    for name in ("User", "Submitted", "Waited", "Ran", "Processors"):
        assert name in text
    page.mouse.move(5, 5)
    assert not tip.is_visible()


def test_no_processor_serves_two_jobs(page):
    assert page.evaluate(
        """() => packwise.gantt.data.cases[0].labels.every((label, run) => {
          document.getElementById("gantt-policy").selectedIndex = run;
          packwise.gantt.choose();
          const { boxes, columns, case: one } = packwise.gantt;
          const last = new Float64Array(boxes.height), used = new Map();
          for (let k = 0; k < boxes.count; k++) {
            used.set(boxes.job[k], (used.get(boxes.job[k]) || 0) + boxes.top[k] - boxes.bottom[k]);
            for (let p = boxes.bottom[k]; p < boxes.top[k]; p++) {
              if (boxes.begin[k] < last[p]) return false;
              last[p] = boxes.end[k];
            }
          }
          return boxes.height <= one.gantt.procs
            && [...used].every(([job, count]) => columns.demand[job] === count);
        })"""
    )


@pytest.mark.parametrize("colour", ["user", "size", "wait"])
def test_colours_have_a_legend(page, colour):
    page.select_option("#gantt-colour", colour)
    assert page.locator("#gantt-legend span").count() >= 3


def test_the_theme_can_be_switched(page):
    def background():
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = background()
    page.click("#theme")
    assert background() != light
    stroke = page.locator("#policies path").first.evaluate("(line) => line.style.stroke")
    assert stroke == "rgb(241, 243, 246)"
    page.click("#theme")
    assert background() == light


def test_print_fits_the_paper(page):
    page.click("#theme")
    page.emulate_media(media="print")
    until(page, "packwise.theme.printing")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    widths = page.evaluate("[...document.querySelectorAll('.plot')].map((p) => p.layout.width)")
    assert set(widths) == {660}
    assert not page.locator("#theme").is_visible()
    page.emulate_media(media="screen")
    until(page, "!packwise.theme.printing")
    page.click("#theme")
    assert page.faults == []


#: What the printed charts say, in letters: none of it is on the page without them.
PRINTED = (
    "BSLD (lower is better)",
    "bounded slowdown",
    "jobs waiting",
    "% of processors",
    "job area, processor-hours",
    "processors per job",
    "change of the mean wait, ",
    "missed deadlines; pale: > 24 h",
    "promised wait",
)


@pytest.mark.parametrize("wait", [True, False], ids=["when ready", "when loaded"])
def test_paper_has_every_chart(opened, tmp_path, wait):
    """Also where nobody waits: ``chromium --print-to-pdf`` prints when a page says that it has loaded."""
    case = drawn_case(30, count=1500)
    page = opened(make_material(case), ready=wait)
    page.pdf(path=tmp_path / "report.pdf")
    sheets = read_pdf(tmp_path / "report.pdf")
    words = "\n".join(sheet.words for sheet in sheets)
    assert [text for text in PRINTED if text not in words] == []
    first = next(
        k
        for k, sheet in enumerate(sheets)
        if "Which job ran when" in sheet.words.replace("\n", " ") and "Time runs to" in sheet.words
    )
    gantts = [colour(sheet.pixels) for sheet in sheets[first : first + 3]]
    assert sum(gantts) > 0.1 * len(case.runs), (
        "each policy has its picture; the legend is below 0.01"
    )
    (misses,) = (sheet for sheet in sheets if "missed deadlines; pale" in sheet.words)
    assert colour(misses.pixels) > 0.01
    assert page.faults == []


def test_a_legend_on_paper_keeps_clear_of_the_axis(opened):
    """Also that of a chart that is low, as the one of missed deadlines is."""
    page = opened(make_material(drawn_case(30), sweeps=(make_sweep(),)))
    page.emulate_media(media="print")
    until(page, "packwise.theme.printing")
    overlaps = page.evaluate(
        """() => [...document.querySelectorAll(".plot")].filter((plot) => {
          const legend = plot.querySelector(".legend")?.getBoundingClientRect();
          return legend && [...plot.querySelectorAll(".g-xtitle")].some(
            (title) => title.getBoundingClientRect().bottom > legend.top + 1);
        }).map((plot) => plot.parentElement.id)"""
    )
    assert overlaps == []


def test_phone(opened):
    page = opened(
        make_material(make_case(), make_case(seed=3, replicas=2), sweeps=(make_sweep(),)),
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        color_scheme="dark",
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    wide = page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter((e) => !e.closest(".scroll, .policies, svg")
          && e.getBoundingClientRect().right > 361).map((e) => e.tagName + "." + e.className)"""
    )
    assert wide == []
    canvas = page.locator("#gantt-canvas")
    canvas.scroll_into_view_if_needed()
    canvas.tap(position={"x": 180, "y": 150})
    assert page.faults == []


def test_degenerate_cases(opened):
    many = make_case(("easy",) * 30, labels=[f"policy {k}" for k in range(30)], jobs=60)
    page = opened(
        make_material(
            make_case(("easy",)),
            make_case(("easy", "list-reg"), jobs=1),
            make_case(("easy", "list-reg"), workload=idle_workload()),
            many,
        )
    )
    for number in (1, 2, 3, 0):
        page.select_option("#case", index=number)
        until(page, f"packwise.gantt.case === packwise.gantt.data.cases[{number}]")
        until(page, f"packwise.charts.case === packwise.gantt.data.cases[{number}]")
        page.wait_for_timeout(250)
    assert page.faults == []


def test_without_decompression_the_words_remain(opened):
    page = opened(make_material(make_case()), script="delete globalThis.DecompressionStream")
    page.wait_for_selector("#notice:visible")
    assert "DecompressionStream" in page.locator("#notice").inner_text()
    assert page.locator("#comparison table.heat").is_visible()
    assert not page.locator("#gantt").is_visible()


def test_a_hundred_thousand_jobs_zoom(opened):
    """Far out a picture of averages is shown, made once; close up the boxes are drawn one by one."""
    material = make_material(make_case(("easy", "list-reg"), jobs=100_000, procs=512, load=0.8))
    page = opened(material)
    assert page.evaluate("packwise.gantt.boxes.count") >= 100_000
    found = page.evaluate(
        """async () => { const g = packwise.gantt, made = new Set(), visible = [], first = g.frames;
          for (let i = 0; i < 60; i++) {
            g.zoom(i < 30 ? 0.8 : 1.25, 0.4);
            await new Promise((resolve) => requestAnimationFrame(resolve));
            made.add(g.overview);
            visible.push(g.visible);
          }
          return { overviews: made.size, frames: g.frames - first, fewest: Math.min(...visible) }; }"""
    )
    assert found["overviews"] == 1
    assert found["frames"] >= 50
    assert found["fewest"] <= 6000
    assert colour(read_png(page.locator("#gantt-frame").screenshot())) > 0.25
    assert page.faults == []
