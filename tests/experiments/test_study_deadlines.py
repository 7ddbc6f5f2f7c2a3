"""Deadlines in study files and in the content of scenarios."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from packwise.experiments.scenario import Generated, MachineSpec, Scenario, WorkloadSpec, load
from packwise.experiments.study_file import adhoc_study, read_study
from packwise.model.errors import InputError
from packwise.workloads.lublin import generate
from packwise.workloads.swf import write_swf
from packwise.workloads.window import Window

HEAD = 'policies = ["easy"]\n[[workload]]\ngenerate = { jobs = 50, procs = 16 }\nlabel = "w"\n'
FILE = "job_id,deadline\n1,1000000000\n"


@pytest.fixture
def read(tmp_path):
    """Reads a text as a study file."""

    def reading(lines: str):
        file = tmp_path / "s.toml"
        file.write_text(HEAD + lines, encoding="utf-8")
        return read_study(file)

    return reading


def windows(study) -> dict[str, Window]:
    return {s.workload.label: s.workload.window for s in study.scenarios}


def test_a_rule_and_a_list_of_rules(read):
    assert windows(read("deadlines = 'slack( share=0.2 )'")) == {
        "w": Window(deadlines=("slack(share=20%)",))
    }
    both = read("deadlines = ['slack(queue=1)', 'week(queue=2)']\nimpossible_deadlines = 'count'")
    assert windows(both) == {
        "w": Window(deadlines=("slack(queue=1)", "week(queue=2)"), impossible="count")
    }


def test_partitions_and_unallocated(read):
    study = read("drop_partitions = [3, 1]\ndrop_unallocated = true")
    assert windows(study) == {"w": Window(drop_partitions=(1, 3), drop_unallocated=True)}
    assert windows(read("drop_unallocated = false")) == {"w": Window()}


def test_a_sweep_over_shares(read):
    study = read("deadlines = ['slack(seed=2)', 'column']\ndeadline_share = [0.2, 0.07]")
    assert windows(study) == {
        "w 20%": Window(deadlines=("slack(share=20%,seed=2)", "column")),
        "w 7%": Window(deadlines=("slack(share=7%,seed=2)", "column")),
    }
    one = read("deadlines = ['slack(queue=1)', 'week(queue=2,share=100%)']\ndeadline_share = 0.5")
    assert windows(one) == {
        "w": Window(deadlines=("slack(share=50%,queue=1)", "week(share=100%,queue=2)"))
    }
    both = read("scale_load = [1.0, 1.1]\ndeadlines = 'slack'\ndeadline_share = [0.2, 0.4]")
    assert list(windows(both)) == ["w x1 20%", "w x1 40%", "w x1.1 20%", "w x1.1 40%"]
    assert len({s.key for s in both.scenarios}) == 4


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("deadlines = 'slak'", "line 5: unknown deadline rule 'slak'. Did you mean slack?"),
        ("deadlines = [\n'slack(queue=1)',\n'slack(shar=1)']", "line 7: unknown parameter of slack 'shar'"),
        ("deadlines = 3", "line 5: deadlines should be text of one line"),
        ("deadlines = []", "line 5: deadlines should have one element or more"),
        ("deadlines = [1]", "line 5: each of deadlines should be text of one line"),
        ("deadlines = 'column(file=none.csv)'", "line 5: there is no file '"),
        ("deadline = 'slack'", "line 5: unknown key 'deadline'. Did you mean deadlines"),
        ("deadline_share = [0.2]", "line 5: deadline_share needs exactly one rule that leaves its share "
         'open, as in deadlines = "slack"; found none.'),
        ("deadlines = 'slack(share=1)'\ndeadline_share = 0.2", "line 6: deadline_share needs exactly one"),
        ("deadlines = 'column'\ndeadline_share = 0.2", "line 6: deadline_share needs exactly one"),
        ("deadlines = ['slack(queue=1)', 'week(queue=2)']\ndeadline_share = 0.2", "found 2. Give the others "
         "a share of their own, such as share=100%."),
        ("deadlines = 'slack'\ndeadline_share = 20", "line 6: deadline_share should be a number from 0 to 1 "
         "(0.2 is 20 %), found 20."),
        ("deadlines = 'slack'\ndeadline_share = [0.2,\n'0.4']", "line 7: deadline_share should be a number "
         "from 0 to 1 (0.2 is 20 %), found '0.4'. Write it without quotes."),
        ("deadlines = 'slack'\ndeadline_share = nan", "found nan."),
        ("deadlines = 'slack'\ndeadline_share = []", "deadline_share should have one element or more"),
        ("deadlines = 'slack'\ndeadline_share = [0.2, 0.2]", "workload 'w 20%' is there twice"),
        ("impossible_deadlines = true", "line 5: impossible_deadlines should be one of refuse, count; found"),
        ("drop_partitions = 1", "line 5: drop_partitions should be a list of whole numbers"),
        ("drop_partitions = ['1']", "line 5: each of drop_partitions should be a whole number"),
        ("drop_unallocated = 'true'", "line 5: drop_unallocated should be true or false, without quotes; "
         "found 'true'."),
    ],
)  # fmt: skip
def test_mistakes(read, lines, message):
    with pytest.raises(InputError) as caught:
        read(lines)
    assert message in str(caught.value)


def test_a_file_counts_by_its_content(read, tmp_path):
    for name, text in (("a", FILE), ("same", FILE), ("b", "job_id,deadline\n2,1000000000\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    a, same, b = (
        read(f"deadlines = 'column(file={name}.csv)'").scenarios[0] for name in ("a", "same", "b")
    )
    digest = sha256(FILE.encode()).hexdigest()
    assert a.workload.window.deadlines == (f"column(sha256={digest},file={tmp_path}/a.csv)",)
    assert a.key == same.key != b.key
    assert str(tmp_path) not in a.workload.content
    assert digest in a.workload.content
    loaded = load(a.workload, a.machine)
    assert loaded.workload.id[loaded.workload.deadline_driven].tolist() == [1]
    assert loaded.remarks == (
        "deadline-driven jobs: 1 of 50 (2.0 %)",
        "deadlines by column(file=a.csv)",
    )
    (tmp_path / "a.csv").write_text(FILE + "2,1000000000\n")
    with pytest.raises(InputError, match=r"a\.csv: the file changed after the study began"):
        load(a.workload, a.machine)


def test_the_same_file_twice_is_the_same_workload(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(FILE)
    text = 'policies = ["easy"]\n' + "".join(
        "[[workload]]\ngenerate = { jobs = 50, procs = 16 }\n"
        f"label = '{name}'\ndeadlines = 'column(file={name}.csv)'\n"
        for name in ("a", "b")
    )
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(InputError, match=r"'a' .* and 'b' are the same jobs on the same machine"):
        read_study(tmp_path / "s.toml")


def test_a_folder_with_commas(tmp_path):
    folder = tmp_path / "a, b (c)"
    folder.mkdir()
    (folder / "d.csv").write_text(FILE)
    (folder / "s.toml").write_text(f"{HEAD}deadlines = 'column(file=d.csv)'")
    (scenario,) = read_study(folder / "s.toml").scenarios
    assert load(scenario.workload, scenario.machine).workload.deadline_driven.sum() == 1


def test_specifications(read, tmp_path):
    (tmp_path / "d.csv").write_text(FILE)
    study = read(
        "deadlines = ['slack(queue=1)', 'column(file=d.csv)']\ndrop_partitions = [1]\n"
        "drop_queues = [0]\ndrop_unallocated = true\nimpossible_deadlines = 'count'"
    )
    (scenario,) = study.scenarios
    spec = json.loads(json.dumps(scenario.specification()))
    again = Scenario.from_specification(spec)
    assert again == scenario
    assert hash(again.workload.window) == hash(scenario.workload.window)
    assert again.key == scenario.key
    old = json.loads(json.dumps(replace(scenario, workload=SPEC).specification()))
    for name in ("deadlines", "impossible", "drop_partitions", "drop_unallocated"):
        del old["workload"]["window"][name]
    assert Scenario.from_specification(old).workload == SPEC


SPEC = WorkloadSpec("w", Generated(50, 16, 1, 0.9, 7), Window())


@pytest.mark.parametrize(
    "change",
    [
        {"drop_partitions": (1,)},
        {"drop_unallocated": True},
        {"deadlines": ("slack",)},
        {"impossible": "count"},
    ],
)
def test_every_part_of_the_window_counts(change):
    assert replace(SPEC, window=Window(**change)).content != SPEC.content


def test_equal_rules_have_equal_content():
    texts = ("slack(share=20%)", "slack(factor=10,share=0.20)")
    one, other = (replace(SPEC, window=Window(deadlines=(text,))).content for text in texts)
    assert one == other


def test_a_rule_that_fails_is_told_when_the_jobs_are_loaded():
    spec = replace(SPEC, window=Window(deadlines=("slack(queue=77)",)))
    with pytest.raises(InputError, match="no job of queue 77"):
        load(spec, MachineSpec())


def test_studies_without_a_file_take_the_window(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_swf("log.swf", generate(40, 16, 1), procs=16)
    (tmp_path / "d.csv").write_text(FILE)

    def study(text: str):
        window = Window(deadlines=(text,))
        return adhoc_study("s", ["log.swf"], policies=["easy"], store=tmp_path / "r", window=window)

    (scenario,) = study("column(file=d.csv)").scenarios
    assert load(scenario.workload, scenario.machine).workload.deadline_driven.sum() == 1
    with pytest.raises(InputError, match="there is no file"):
        study("column(file=none.csv)")
