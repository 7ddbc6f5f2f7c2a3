"""The file that is written."""

from __future__ import annotations

import sys

import pytest

from packwise.model.errors import InputError
from packwise.reports.page.writing import SCRIPTS, write_report
from packwise.reports.static_figures import plain_name, write_figures
from tests.ink import drawn_figures, ink, panel_ink, read_png
from tests.reports.materials import make_case, make_material, make_sweep

HOSTILE = "</script><script>alert(1)</script>\"'&<img src=x onerror=alert(2)> ünï\u2028 $x_1$ %{y}"


def test_same_material_same_bytes(tmp_path):
    material = make_material(make_case(), sweeps=(make_sweep(),))
    write_report(material, tmp_path / "one.html")
    write_report(material, tmp_path / "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    assert (tmp_path / "one.html").stat().st_size < 2_500_000


def test_names_are_escaped(tmp_path):
    case = make_case(labels=[HOSTILE, HOSTILE + "2", HOSTILE + "3"], workload=None, machine=HOSTILE)
    material = make_material(
        case,
        case,
        title=HOSTILE,
        description=HOSTILE,
        provenance=((HOSTILE, HOSTILE),),
        missing=((HOSTILE, HOSTILE),),
        glossary=((HOSTILE, HOSTILE),),
        sweeps=(make_sweep([HOSTILE]),),
    )
    write_report(material, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "alert(1)</script>" not in text
    assert "<img" not in text
    assert text.count("<script") == text.count("</script>") == 2 + 1 + 2  # data, code, Gantt


def test_words_and_tables_need_no_script(tmp_path):
    material = make_material(make_case(replicas=3), make_case(seed=2), missing=(("a / b", "lost"),))
    write_report(material, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    page = text[: text.index('<script type="application/gzip"')]
    assert "saf-aggressive" in page
    assert "1 scenario has no result" in page
    groups = 2 * 2  # by user and by size, in each case
    assert page.count('<table class="heat">') == 2 + len(material.metrics) + groups
    assert "<noscript>" in page


def test_policies_are_explained_where_there_is_something_to_say(tmp_path):
    case = make_case(("easy",), jobs=50)
    write_report(make_material(case, glossary=(("EASY", "Fills & holes."),)), tmp_path / "a.html")
    write_report(make_material(case), tmp_path / "b.html")
    text = (tmp_path / "a.html").read_text()
    assert "<dt>EASY</dt><dd>Fills &amp; holes.</dd>" in text
    assert text.index("What the policies do") < text.index("What the metrics mean")
    assert "What the policies do" not in (tmp_path / "b.html").read_text()


@pytest.mark.parametrize("missing", ["plotly.offline", "markupsafe"])
def test_without_what_it_needs(tmp_path, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match=r"packwise\[report\]"):
        write_report(make_material(make_case(("easy",))), tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_scripts_cannot_end_their_element():
    from importlib import resources

    for name in SCRIPTS:
        text = resources.files("packwise.reports.page").joinpath("assets", name).read_text("utf-8")
        assert "</script" not in text


@pytest.mark.slow
def test_every_figure_is_a_file_whatever_a_policy_is_called(tmp_path, drawing_only):
    """The charts are drawn in test_drawing.py."""
    drawing_only("table", "waits", "pareto", "gantt-base")
    material = make_material(
        make_case(("list-reg", "easy"), labels=["base", HOSTILE], jobs=150), sweeps=(make_sweep(),)
    )
    with drawn_figures() as figures:
        paths = write_figures(material, tmp_path / "figures", ("png",))
    assert len(paths) == len(set(paths)) == 1 + 8 + 1 + 2 + 1
    there = [path for path in paths if path.exists()]
    assert len(there) == 4
    for path, figure in zip(there, figures, strict=True):
        assert max(panel_ink(figure)) > 200, path.stem
        assert ink(read_png(path)) > 0.01, path.stem


@pytest.mark.slow
def test_figures_of_degenerate_cases(tmp_path):
    with drawn_figures() as figures:
        paths = write_figures(make_material(make_case(("easy",), jobs=1)), tmp_path, ("svg",))
    drawn = {path.stem: panel_ink(figure) for path, figure in zip(paths, figures, strict=True)}
    assert drawn["size-classes"] == []  # nothing to compare with: words instead
    for name in ("table", "pareto", "waits", "slowdowns", "utilization", "wait-area", "gantt-easy"):
        assert all(covered > 0 for covered in drawn[name]), name


def test_unknown_format(tmp_path):
    with pytest.raises(InputError, match="png, svg, pdf"):
        write_figures(make_material(), tmp_path, ("jpeg",))


def test_file_names_are_plain():
    assert plain_name("a / b<c>") == "a-b-c"
    assert plain_name("///") == "figure"
    assert len(plain_name("x" * 500)) == 60
