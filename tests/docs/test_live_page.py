"""docs/benchmarks-live.md is what was measured."""

from __future__ import annotations

from benchmarks.real_slurm import live_page


def test_the_page_is_made_of_what_was_measured(tmp_path, monkeypatch):
    before = live_page.PAGE.read_text()
    monkeypatch.setattr(live_page, "PAGE", tmp_path / "page.md")
    live_page.main()
    assert (tmp_path / "page.md").read_text() == before


def test_what_the_page_says_of_its_figures():
    runs = live_page.lines_of("bursts.jsonl")
    for way in ("steer", "drive"):
        for run in runs:
            tuned, ours = run["found"][live_page.TUNED], run["found"][way]
            assert all(ours[name] < tuned[name] for name in ("AF", "AWF", "BSLD", "wait"))
            assert ours["P2SF"] > tuned["P2SF"]
    for run in live_page.lines_of("forecasts.jsonl"):
        assert all(
            run[key]["error of ours"] < 0.7 * run[key]["error of Slurm"] for key in ("first", "all")
        )
