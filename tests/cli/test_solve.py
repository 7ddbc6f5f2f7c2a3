from __future__ import annotations

import importlib
from types import SimpleNamespace

import pytest

from packwise.cli import off_line_seeds
from packwise.optimise.offline import neighbourhoods
from tests.lanes import broad

bound_module = importlib.import_module("packwise.optimise.offline.bound")
solve_module = importlib.import_module("packwise.optimise.offline.solve")

ARGUMENTS = ("--budget", "5e3")


@pytest.mark.parametrize("metric", broad(["bsld", "P2SF", "AF", "AWF"], quick=2))
def test_the_answer_is_a_schedule_that_checks(packwise, log, tmp_path, metric):
    plan = tmp_path / "plan.csv"
    answer = packwise(
        "solve", log, "--objective", metric, *ARGUMENTS, "--output", plan, "--json"
    ).json
    assert answer["objective"] == metric.upper()
    assert answer["bound"] <= answer["value"] <= min(answer["schedules"].values())
    assert answer["metrics"]["result"][metric.upper()] == answer["value"]
    assert {"list-reg", "easy", "off-line reg"} <= set(answer["schedules"])
    assert answer["evaluations"] <= 5000
    assert packwise("check", plan, "--procs", 32).status == 0
    measured = packwise("metrics", plan, "--procs", 32, "--json").json["metrics"]
    assert measured[metric.upper()] == pytest.approx(answer["value"])


@pytest.mark.parametrize("budget", [1, 10, 100, 1000, 30_000])
def test_a_budget_of_evaluations_is_kept(packwise, log, monkeypatch, budget):
    """Replays, steps of the bound and orders together; 300 jobs count six for each pass over them."""
    passes = []
    relaxed = bound_module._Fees._value

    def counted(*given):
        passes.append("bound")
        return relaxed(*given)

    monkeypatch.setattr(bound_module._Fees, "_value", counted)
    answer = packwise("solve", log, "--objective", "P2SF", "--budget", budget, "--json").json
    assert answer["evaluations"] <= max(6, budget)
    assert 6 * len(answer["schedules"]) <= max(6, 0.8 * budget + 6)
    assert (
        len(passes) <= 0.1 * budget / 6 * 2 + 2
    )  # a step looks twice at most, and two are for compiling
    searched = {name for name in answer["schedules"] if name.startswith("packwise")}
    assert searched == ({"packwise(objective=P2SF,budget=4)"} if budget == 30_000 else set())


def test_a_budget_of_time_is_kept(packwise, log, monkeypatch):
    """On a machine on which each replay, schedule, step and window takes ten seconds."""
    clock = [0.0]

    def slow(kind, name, seconds=10.0):
        real = getattr(kind, name)

        def run(*given, **options):
            clock[0] += seconds
            return real(*given, **options)

        monkeypatch.setattr(kind, name, run)

    timed = SimpleNamespace(monotonic=lambda: clock[0])
    for module in (off_line_seeds, solve_module):
        monkeypatch.setattr(module, "time", timed)
    slow(off_line_seeds._Seeds, "_replay")
    slow(neighbourhoods.Windows, "insert")
    slow(neighbourhoods.Windows, "improve")
    slow(bound_module._Fees, "_value")
    for budget in (1, 15, 60, 300):
        answer = packwise("solve", log, "--budget", f"{budget}s", "--json").json
        assert budget - 10 <= answer["seconds"] <= max(10, budget) + 10


def test_the_table_and_the_picture(packwise, log, tmp_path):
    picture = tmp_path / "reached.svg"
    answer = packwise("solve", log, "--objective", "P1.5SF", *ARGUMENTS, "--plot", picture)
    assert answer.status == 0
    for words in ("P1.5SF", "% of list-reg", "bound", "below the seed", f"Wrote {picture}"):
        assert words in answer.stdout
    assert "P1.5SF" in picture.read_text()


def test_resume_goes_on_from_a_file(packwise, log, tmp_path):
    plan = tmp_path / "plan.swf"
    first = packwise("solve", log, *ARGUMENTS, "--output", plan, "--json").json
    again = packwise("solve", log, "--budget", "10", "--resume", plan, "--json").json
    assert again["begun_from"] == str(plan)
    assert again["value"] <= first["value"]


def test_a_worse_file_is_told(packwise, log, tmp_path):
    worse = tmp_path / "worse.csv"
    packwise("replay", log, "--policy", "fcfs", "--estimate", "exact", "--output", worse)
    answer = packwise("solve", log, *ARGUMENTS, "--resume", worse, "--json")
    assert answer.json["begun_from"] != str(worse)
    assert "the search began with the latter" in answer.stderr.replace("\n", " ")


def test_an_interrupt_prints_writes_and_tells_how_to_go_on(packwise, log, tmp_path, monkeypatch):
    plan = tmp_path / "plan.csv"
    improve = neighbourhoods.Windows.improve

    def interrupted(self, most):
        improve(self, most)
        if self.evaluations:
            raise KeyboardInterrupt

    monkeypatch.setattr(neighbourhoods.Windows, "improve", interrupted)
    answer = packwise("solve", log, "--budget", "1e9", "--output", plan)
    assert answer.status == 130
    assert "% of list-reg" in answer.stdout
    assert f"--resume {plan}" in answer.stderr.replace("\n", "")
    assert packwise("check", plan, "--procs", 32).status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--objective", "speed"), "unknown metric 'speed'"),
        (("--objective", "AF+AWF"), "one metric"),
        (("--objective", "P99SF"), "at most 10"),
        (("--objective", f"P{'9' * 100_000}SF"), "at most 200 letters, found 100,003"),
        (("--objective", f"0.5*AF+{'9' * 100_000}"), "expected at most 200 letters"),
        (("--objective", "AF+" * 30_000 + "AF"), "expected at most 200 letters"),
        (("--budget", "0"), "--budget: expected"),
        (("--budget", "0s"), "above zero"),
        (("--budget", "-3s"), "--budget: expected"),
        (("--budget", "soon"), "60s, 10m"),
        (("--output", "plan.xyz"), "ends in"),
        (("--plot", "plan.csv"), "ends in"),
        (("--objective", "P2SF", "--cp", "0.5"), "Leave out --cp"),
        (("--budget", "1e4", "--cp", "1"), "the budget should be a time such as 60s"),
        (("--resume", "missing.csv"), "missing.csv"),
    ],
)
def test_bad_input(packwise, log, arguments, words):
    answer = packwise("solve", log, *arguments)
    assert answer.status == 2
    assert words in answer.stderr.replace("\n", " ")


def test_a_schedule_of_something_else_is_refused(packwise, log, tmp_path):
    plan = tmp_path / "part.csv"
    packwise("replay", log, "--count", 100, "--output", plan)
    answer = packwise("solve", log, "--resume", plan)
    assert answer.status == 2
    assert "expected a schedule of the 300 jobs" in answer.stderr
    packwise("replay", log, "--procs", 64, "--output", plan)
    answer = packwise("solve", log, "--resume", plan)
    assert answer.status == 2
    assert "not a schedule that this machine could run" in answer.stderr
