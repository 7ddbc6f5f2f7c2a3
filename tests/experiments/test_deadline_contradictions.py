"""Deadline rules for the same job: told by the study file, or before the first scenario runs."""

from __future__ import annotations

import pytest

from packwise.experiments import deadline_check
from packwise.experiments.deadline_check import check_deadline_rules
from packwise.experiments.study_file import read_study
from packwise.experiments.study_file.contradictions import contradiction, undecided
from packwise.model.errors import InputError
from packwise.workloads.deadlines import parse_rules

JOBS = [  # (id, submit, user, queue)
    (1, 0, 1, 1),
    (2, 10, 2, 1),
    (3, 20, 2, 2),
]


@pytest.fixture
def read(tmp_path):
    """A study of a log with three jobs, users 1 and 2, queues 1 and 2."""
    lines = [
        f"{i} {submit} 0 10 1 -1 -1 1 20 -1 1 {user} 1 1 {queue} 1 -1 -1"
        for i, submit, user, queue in JOBS
    ]
    (tmp_path / "log.swf").write_text("; MaxProcs: 8\n" + "\n".join(lines) + "\n")
    (tmp_path / "d.csv").write_text("job_id,deadline\n1,1000000\n")

    def reading(lines: str, head: str = ""):
        file = tmp_path / "s.toml"
        text = f'policies = ["easy"]\n{head}[[workload]]\nfile = "log.swf"\nlabel = "w"\n{lines}'
        file.write_text(text, encoding="utf-8")
        return read_study(file)

    return reading


@pytest.mark.parametrize(
    ("one", "other", "same", "jobs_tell"),
    [
        ("slack", "morning", True, False),
        ("slack", "morning(queue=1)", True, False),
        ("slack(user=1)", "morning", True, False),
        ("slack(share=0%)", "morning", True, False),
        ("slack(queue=1+2)", "morning(queue=2+3)", True, False),
        ("slack(user=1+2)", "morning(user=2)", True, False),
        ("slack(queue=1)", "morning(queue=2)", False, False),
        ("slack(user=1)", "morning(user=2)", False, False),
        ("slack(queue=1)", "morning(user=1)", False, True),
        ("slack(queue=1)", "morning(queue=1,user=1)", True, False),
        ("slack(queue=1+2)", "morning(queue=2+3,user=1)", False, True),
        ("slack(queue=1,user=1)", "morning(queue=1,user=2)", False, False),
        ("slack(queue=1,user=1)", "morning(queue=1,user=1)", True, False),
        ("slack(queue=1+2,user=1)", "morning(queue=1,user=1+2)", False, True),
        ("slack", "column", False, True),
        ("column", "column(file=d.csv)", False, True),
    ],
)
def test_what_rules_tell(one, other, same, jobs_tell):
    rules = parse_rules((one, other))
    for first, second in (rules, rules[::-1]):
        assert (contradiction(first, second) is not None) is same
        assert undecided([first, second]) is jobs_tell
    assert not undecided(rules[:1])


def test_the_study_file_tells_with_the_line(read):
    with pytest.raises(InputError) as caught:
        read("deadlines = [\n'slack(queue=1)',\n'morning(queue=2)',\n'week',\n'slack(queue=2)']")
    told = str(caught.value).splitlines()
    assert told[0].endswith("s.toml: 4 problems.")
    lines = [line.partition(":")[0].strip() for line in told[1:]]
    assert lines == ["line 8", "line 8", "line 9", "line 9"]
    assert "deadline rules 'slack(queue=1)' and 'week' contradict each other" in told[1]
    assert "Give each rule jobs of its own by queue or user" in told[1]


def test_a_single_rule_cannot_contradict_itself(read):
    assert read("deadlines = 'slack'\ndeadline_share = [0.2, 0.4]").scenarios


@pytest.mark.parametrize(
    ("rules", "job"),
    [
        ("'slack(queue=1)', 'morning(user=1)'", "job 1"),
        ("'slack(queue=2)', 'morning(user=1)'", None),
        ("'slack(user=1)', 'column(file=d.csv)'", "job 1"),
        ("'slack(user=2)', 'column(file=d.csv)'", None),
    ],
)
def test_what_only_the_jobs_tell(read, rules, job):
    study = read(f"deadlines = [{rules}]")
    if job is None:
        check_deadline_rules(study.scenarios)
        return
    with pytest.raises(InputError) as caught:
        check_deadline_rules(study.scenarios)
    told = str(caught.value)
    assert told.startswith("workload 'w': deadline rules '")
    assert f"{job} of 'log' is eligible for both" in told
    assert told.endswith("No scenario was run.")


def test_what_does_not_matter_is_loaded_once(read, monkeypatch):
    loaded = []
    monkeypatch.setattr(deadline_check, "load", lambda *given: loaded.append(given))
    study = read(
        "deadlines = ['slack(queue=2)', 'morning(user=1,share=50%)']\ndeadline_share = [0.2, 0.4]\n"
        "scale_load = [1.0, 1.5]",
        head="replicas = 3\n",
    )
    assert len(study.scenarios) == 12
    check_deadline_rules(study.scenarios)
    assert len(loaded) == 1
    check_deadline_rules(read("deadlines = ['slack(queue=2)', 'morning(queue=1)']").scenarios)
    assert len(loaded) == 1  # that can be told without the jobs
