from __future__ import annotations

import pytest

from packwise.optimise.offline import neighbourhoods

ARGUMENTS = ("--budget", "5e3")


@pytest.mark.parametrize("metric", ["AF", "AWF", "bsld", "P2SF"])
def test_the_answer_is_a_schedule_that_checks(packwise, log, tmp_path, metric):
    plan = tmp_path / "plan.csv"
    answer = packwise(
        "solve", log, "--objective", metric, *ARGUMENTS, "--output", plan, "--json"
    ).json
    assert answer["objective"] == metric.upper()
    assert answer["bound"] <= answer["value"] <= min(answer["schedules"].values())
    assert answer["metrics"]["result"][metric.upper()] == answer["value"]
    assert {"list-reg", "easy", f"packwise(objective={metric.upper()})"} <= set(answer["schedules"])
    assert packwise("check", plan, "--procs", 32).status == 0
    measured = packwise("metrics", plan, "--procs", 32, "--json").json["metrics"]
    assert measured[metric.upper()] == pytest.approx(answer["value"])


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
