"""docs/benchmarks-live.md is what was measured."""

from __future__ import annotations

from benchmarks.real_slurm import live_page


def test_the_page_is_made_of_what_was_measured(tmp_path, monkeypatch):
    before = live_page.PAGE.read_text()
    monkeypatch.setattr(live_page, "PAGE", tmp_path / "page.md")
    live_page.main()
    assert (tmp_path / "page.md").read_text() == before


def test_what_the_page_says_of_its_figures():
    worse = {}
    for run in live_page.burst_runs(4):
        found = run["found"]
        for base in found.keys() - {"steer"}:
            for name in ("AF", "AWF", "BSLD", "P2SF", "wait"):
                if found["steer"][name] > found[base][name]:
                    worse[base, name, run["seed"]] = found["steer"][name] / found[base][name]
    default = {key[1:]: round(by, 2) for key, by in worse.items() if "default" in key[0]}
    assert default == {("P2SF", 1): 1.02}
    tuned = {key[1:]: by for key, by in worse.items() if key[0] == live_page.TUNED}
    assert {name for name, _ in tuned} == {"P2SF"}
    assert 1.06 <= min(tuned.values()) < max(tuned.values()) <= 1.13
    assert not any("second" in key[0] and key[1] in ("AF", "BSLD", "wait") for key in worse)


def test_what_the_page_says_of_forecasts():
    for key in ("first", "all"):
        for run in live_page.lines_of("forecasts.jsonl"):
            assert run[key]["error of ours"] < 0.7 * run[key]["error of Slurm"]
    found = live_page.together("first")
    assert abs(found["by P50"] - 0.5) < 0.05
    assert abs(found["by P90"] - 0.9) < 0.05
