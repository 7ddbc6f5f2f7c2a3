"""A machine that the records speak against: that comes first, and nothing is shown as a gain."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

LEAD = "No verdict. The records speak against the machine"
GAINS = ("best by", "Tied at the top", "The price of", "wait less", "gain most", "%)")
#: Each of 40 jobs of eight processors waits for the one before; every third is long.
JOBS = [(600 * k, 1800, 600 + 1200 * (k % 3 == 0), 8) for k in range(40)]


def swf(path: Path, jobs: list[tuple[int, int, int, int]], header: str = "") -> Path:
    lines = [
        f"{k} {s} {w} {run} {n} -1 -1 {n} {run * 2} -1 1 {k % 3} 1 -1 {k % 2} -1 -1 -1"
        for k, (s, w, run, n) in enumerate(jobs, 1)
    ]
    path.write_text("".join(f"{line}\n" for line in [*header.splitlines(), *lines]))
    return path


@pytest.fixture
def doubted(tmp_path: Path) -> Path:
    """Its header says 200 processors; at most 16 are in use."""
    return swf(tmp_path / "log.swf", JOBS, "; MaxProcs: 200")


def commands(log: Path, *more: object) -> list[tuple[object, ...]]:
    return [
        ("compare", log, "-p", "recorded,easy,list-saf", "--by", "user", *more),
        ("whatif", log, "--nodes", "-50%", *more),
    ]


def test_it_leads_and_shows_no_gain(packwise: Callable, doubted: Path) -> None:
    for words in commands(doubted):
        done = packwise(*words)
        assert done.status == 0, done.stderr
        assert done.stdout.startswith(LEAD)
        below = done.stdout.partition("\n\n")[2].replace("(%)", "")
        assert not [gain for gain in GAINS if gain in below]


def test_with_the_right_machine_there_are_verdicts(packwise: Callable, doubted: Path) -> None:
    compared, changed = (packwise(*words) for words in commands(doubted, "--procs", 16))
    assert "No verdict" not in compared.stdout + changed.stdout
    assert "%" in compared.stdout.partition("baseline")[2]
    assert "With -50% processors" in changed.stdout


def test_a_machine_that_was_told_too_small(packwise: Callable, doubted: Path) -> None:
    done = packwise("compare", doubted, "-p", "recorded,easy", "--procs", 8)
    assert done.status == 0, done.stderr
    assert done.stdout.startswith("No verdict. The records speak against the machine: up to 16")


def test_json_tells_what_is_known_and_no_change(
    packwise: Callable, doubted: Path, tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    compared, changed = (packwise(*words, "--json").json for words in commands(doubted))
    for told in (compared, changed):
        assert told["sizing"]["source"] == "header"
        assert told["sizing"]["doubt"] in LEAD + told["sizing"]["doubt"]
        assert told["sizing"]["doubt"].startswith("The records speak against the machine")
        assert told["summary"] == ""
        assert {one for run in told["runs"] for one in run["change_percent"].values()} == {None}
    assert compared["effects"] == {}
    assert set(changed["mean_wait"]) == {"jobs", "today", "then"}
    assert not any("wait" in word and "less" in word for word in changed["words"])
    packwise("compare", doubted, "-p", "recorded,easy", "--csv", table)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    changes = {row[name] for row in rows for name in row if name.endswith("change_percent")}
    assert changes == {""}


def test_a_guess_is_named_on_every_table(packwise: Callable, tmp_path: Path) -> None:
    log = swf(tmp_path / "log.swf", JOBS)
    guess = "a guess: the most in use at once"
    for words in (
        *commands(log),
        ("replay", log),
        ("workload", "info", log),
        ("metrics", log),
        ("predict", log),
        ("explain", log, "--at", "1h"),
    ):
        done = packwise(*words)
        assert guess in " ".join(done.stdout.split()), (words, done.stdout, done.stderr)
    for words in (*commands(log), ("replay", log), ("workload", "info", log), ("metrics", log)):
        sizing = packwise(*words, "--json").json["sizing"]
        assert (sizing["source"], sizing["basis"]) == ("guessed", "the most in use at once")


def test_a_guess_stays_one_when_it_is_converted(packwise: Callable, tmp_path: Path) -> None:
    log = swf(tmp_path / "log.swf", JOBS)
    for words in (("convert", log, tmp_path / "a.swf"), ("clean", log, tmp_path / "b.swf")):
        assert packwise("workload", *words).status == 0
        sizing = packwise("replay", words[2], "--json").json["sizing"]
        assert sizing["source"] == "guessed"


def test_nothing_known(packwise: Callable, tmp_path: Path) -> None:
    log = tmp_path / "philly.csv"
    rows = [f"{60 * k},{3600},{1 + k % 4},a" for k in range(30)]
    log.write_text("\n".join(["submit,duration,num_gpus,cluster", *rows]) + "\n")
    done = packwise("compare", log, "-p", "easy,list-saf")
    assert done.stdout.startswith("No verdict. Nothing is known of the machine")
    assert "4 processors (a guess: the widest job)" in " ".join(done.stdout.split())
    assert "No verdict" not in packwise("compare", log, "-p", "easy,list-saf", "--procs", 9).stdout


def test_the_page_and_the_study_lead_with_it(
    packwise: Callable, doubted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page = tmp_path / "page.html"
    done = packwise("report", doubted, "-o", page, "-p", "recorded,easy,list-saf")
    assert done.status == 0, done.stderr
    assert done.stdout.startswith(LEAD)
    text = page.read_text()
    body = text[text.index("<main>") : text.index("<footer>")]
    assert 0 < body.index("No verdict.") < body.index('<dl class="facts">')
    assert "wait less" not in body
    assert not [mark for mark in ('class="better', 'class="worse', "best by", "≈") if mark in body]
    study = tmp_path / "study.toml"
    study.write_text(
        'name = "s"\nmetrics = ["wait"]\npolicies = ["easy", "list-saf"]\nstore = "results"\n'
        f'[[workload]]\nfile = "{doubted}"\n'
    )
    done = packwise("study", "run", study)
    assert done.status == 0, done.stderr
    shown = packwise("study", "table", study, "--metric", "wait")
    assert f"log: {LEAD}" in " ".join(shown.stdout.split())
    table, _, legend = shown.stdout.partition("Lower is better")
    assert "%" not in table
    assert "or the machine is in doubt" in legend
