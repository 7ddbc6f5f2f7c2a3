"""A metric of the user's own: what it is given, what it may return, and what it is called.

Four jobs on four processors:

job   submit  demand  start  end     Q  D  F
 1       0       2       0     4     0  4  4
 2       0       2       0     8     0  8  8
 3       1       4       8    10     7  2  9
 4       2       1       4     7     2  3  5
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import packwise
from packwise.experiments.index import FACTS
from packwise.metrics import metric, summarize
from packwise.metrics.catalogue import chosen_metric
from packwise.metrics.own import RESERVED, shown_names, stored_name
from packwise.model import Cluster, Schedule, Workload
from packwise.model.errors import InputError, UnknownName

CLUSTER = Cluster.pool(4)
WORKLOAD = Workload.of([(0, 2, 4, 4), (0, 2, 8, 9), (1, 4, 2, 5), (2, 1, 3, 3)])
SCHEDULE = Schedule([0, 0, 8, 4], [4, 8, 10, 7])
PARTS = WORKLOAD, CLUSTER, SCHEDULE

FAIRNESS = '''
def fairness(jobs):
    """Longest wait by the mean response.

    Ours since 2019.
    """
    return jobs.wait.max() / jobs.response.mean()
'''
VALUE = 7 / ((4 + 8 + 9 + 5) / 4)


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file beside which the test stands, and gives the name of the metric in it."""
    monkeypatch.chdir(tmp_path)

    def file(text: str, name: str = "mine.py:fairness") -> str:
        path = tmp_path / name.rpartition(":")[0]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return name

    return file


def test_by_hand(write):
    name = write(FAIRNESS)
    assert summarize(*PARTS, ["wait", name]) == {"wait": 9 / 4, "fairness": VALUE}
    assert summarize(*PARTS, name) == {"fairness": VALUE}
    assert metric("fairness").compute(*PARTS) == VALUE


def test_over_some_jobs(write):
    only = np.array([True, True, False, True])
    assert summarize(*PARTS, [write(FAIRNESS)], only=only) == {"fairness": 2 / ((4 + 8 + 5) / 3)}
    whole = write(FAIRNESS + "fairness.of_all_jobs = True\n")
    assert summarize(*PARTS, [whole], only=only) == {"fairness": VALUE}


def test_its_documentation_tells_what_it_is(write):
    found = chosen_metric(write(FAIRNESS))
    assert (found.name, found.title) == ("fairness", "Longest wait by the mean response")
    assert found.meaning == "Longest wait by the mean response. Ours since 2019."
    assert (found.unit, found.better) == ("", "lower")
    assert found.formula.startswith("mine.py:fairness, sha256 ")
    assert chosen_metric(write("def bare(jobs):\n    return 1\n", "b.py:bare")).title == "bare"


def test_attributes_tell_more(write):
    told = "fairness.unit = 's'\nfairness.better = 'higher'\nfairness.title = 'T'\nfairness.paper = 'P'\n"
    found = chosen_metric(write(FAIRNESS + told))
    assert (found.unit, found.better, found.title, found.paper) == ("s", "higher", "T", "P")


def test_a_metric_of_a_file(write):
    text = (
        "from packwise.metrics import Metric\n"
        "mine = Metric('spread', 'Spread', 'max - min', 's', 'higher', '', '', lambda jobs: jobs.wait.max())\n"
    )
    assert summarize(*PARTS, [write(text, "mine.py:mine")]) == {"spread": 7.0}
    assert metric("spread").formula == "max - min"


def test_a_class_and_an_object_that_can_be_called(write):
    text = "class Longest:\n    def __call__(self, jobs):\n        return jobs.wait.max()\nit = Longest()\n"
    assert summarize(*PARTS, [write(text, "a.py:Longest")]) == {"Longest": 7.0}
    assert summarize(*PARTS, ["a.py:it"]) == {"it": 7.0}


def test_in_an_installed_module(write, tmp_path, monkeypatch):
    write(FAIRNESS, "module_of_mine.py:fairness")
    monkeypatch.syspath_prepend(tmp_path)
    assert summarize(*PARTS, ["module_of_mine:fairness"]) == {"fairness": VALUE}
    sys.modules.pop("module_of_mine", None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("jobs.wait.max()", 7.0),
        ("__import__('numpy').array(2.5)", 2.5),
        ("True", 1.0),
        ("__import__('fractions').Fraction(1, 4)", 0.25),
        ("float('nan')", math.nan),
        ("float('inf')", math.inf),
    ],
)
def test_numbers(write, text, value):
    found = summarize(*PARTS, [write(f"def fairness(jobs):\n    return {text}\n")])["fairness"]
    assert type(found) is float
    np.testing.assert_equal(found, value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("None", "found nothing. Is there a `return`?"),
        ("'high'", "found the text 'high'. Return one number."),
        ("jobs.wait", r"found an array of shape \(4,\). Return one number, such as its mean."),
        ("[1.0]", "found list. Return one number."),
        ("1j", "found complex. Return one number."),
        ("10 ** 400", "found a number that is too large."),
        ("1 / 0", r"raised ZeroDivisionError: division by zero \(mine.py, line 2\)"),
        ("jobs.colour", "raised AttributeError: .*'colour'"),
        ("__import__('sys').exit(3)", "raised SystemExit: 3"),
        ("jobs.submit.sort()", r"raised ValueError: .*read-only \(mine.py, line 2\)"),
    ],
)
def test_what_is_wrong_with_an_answer(write, text, said):
    name = write(f"def fairness(jobs):\n    return {text}\n")
    with pytest.raises(InputError, match=said) as caught:
        summarize(*PARTS, [name])
    assert str(caught.value).startswith(f"metric '{name}' should return a number for 4 jobs of '")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("", "gone/mine.py:fairness", "metric file 'gone/mine.py' does not exist. Check the path"),
        ("", "mine.py:fairness", "unknown metric in mine.py 'fairness'"),
        ("def fairnes(jobs): pass", "mine.py:fairness", "Did you mean fairnes"),
        ("", "mine.py", "say which metric of the file, as in mine.py:mine"),
        ("", "mine.py:fairness(3)", "takes no parameters"),
        ("def (", "mine.py:fairness", "metric file 'mine.py' could not be loaded: SyntaxError"),
        ("import nowhere_at_all", "mine.py:fairness", "ModuleNotFoundError"),
        ("", "nowhere_at_all:fairness", "module 'nowhere_at_all' could not be imported"),
        ("fairness = 3", "mine.py:fairness", "found int. Expected a function of the jobs that ran"),
        ("def fairness(): pass", "mine.py:fairness", "cannot be called with one argument. Expected"),
        ("def fairness(a, b): pass", "mine.py:fairness", "cannot be called with one argument"),
        ("def wait(jobs): pass", "mine.py:wait", "tables have another 'wait' already"),
        ("def Wait_P95(jobs): pass", "mine.py:Wait_P95", "tables have another 'Wait_P95' already"),
        ("def policy(jobs): pass", "mine.py:policy", "tables have another 'policy' already"),
        (f"{FAIRNESS}fairness.better = 'more'", "mine.py:fairness", "'lower' or 'higher', found 'more'"),
        (f"{FAIRNESS}fairness.unit = 3", "mine.py:fairness", "unit should be text of one line, found 3"),
        (
            "from packwise.metrics import Metric\n"
            "fairness = Metric('a,b', '', '', '', 'lower', '', '', lambda jobs: 1)",
            "mine.py:fairness",
            "without @, colon and comma",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_a_metric(write, text, name, said):
    write(text)
    with pytest.raises(InputError, match=said) as caught:
        summarize(*PARTS, [name])
    assert "\n" not in str(caught.value)


def test_no_name_of_a_table_is_taken():
    assert set(FACTS) <= RESERVED


def test_names_from_data_run_nothing(write):
    name = write("raise SystemExit('run')")
    with pytest.raises(UnknownName):
        metric(name)


def test_it_changes_nothing_for_others(write):
    name = write("def fairness(jobs):\n    jobs.wait.sort()\n    jobs.wait[:] = 5\n    return 1\n")
    only = np.array([True, True, False, True])
    assert summarize(*PARTS, [name, "wait", "max_wait"]) == {
        "fairness": 1.0,
        "wait": 9 / 4,
        "max_wait": 7.0,
    }
    broken = write("def fairness(jobs):\n    jobs.demand[:] = 5\n")
    with pytest.raises(InputError, match="read-only"):
        summarize(*PARTS, [broken], only=only)


def test_what_it_prints_is_no_result(write, capsys):
    summarize(
        *PARTS, [write("print('loaded')\ndef fairness(jobs):\n    print('run')\n    return 1\n")]
    )
    assert capsys.readouterr() == ("", "loaded\nrun\n")


def test_an_edited_file_is_another_metric(write):
    first = chosen_metric(write(FAIRNESS))
    kept = stored_name("fairness")
    assert chosen_metric("mine.py:fairness") is first, "the same text is the same metric"
    assert summarize(*PARTS, [write(FAIRNESS.replace("max()", "min()"))]) == {"fairness": 0.0}
    assert stored_name("fairness") != kept
    assert shown_names([kept, "BSLD", stored_name("fairness")]) == {
        stored_name("fairness"): "fairness"
    }


def test_an_edited_module_makes_another_metric(write, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    name = write("import number_of_mine\ndef fairness(jobs):\n    return number_of_mine.IT\n")
    found = []
    for number in (1, 2):
        write(f"IT = {number}\n", "number_of_mine.py:")
        found.append((summarize(*PARTS, [name])["fairness"], stored_name("fairness")))
    assert [value for value, _ in found] == [1.0, 2.0]
    assert found[0][1] != found[1][1]


def test_the_stored_name_tells_the_content(write, tmp_path):
    chosen_metric(write(FAIRNESS))
    first = stored_name("fairness")
    assert len(first.removeprefix("fairness@")) == 12
    chosen_metric(write(FAIRNESS, "elsewhere/other.py:fairness"))
    assert stored_name("fairness") == first, "wherever the file is"
    assert metric(first) is metric("fairness")
    write(FAIRNESS.replace("max", "sum"))
    assert list(summarize(*PARTS, ["mine.py:fairness", "elsewhere/other.py:fairness"])) == [
        "fairness (mine.py)",
        "fairness",
    ]
    assert stored_name("BSLD") == "BSLD"


def test_two_of_one_name(write):
    names = [
        write(FAIRNESS),
        write(FAIRNESS.replace("max", "min"), "b.py:fairness"),
        write(FAIRNESS.replace("max", "sum"), "c/b.py:fairness"),
    ]
    found = summarize(*PARTS, names)
    third = list(found)[2]
    assert third.startswith("fairness@")
    assert found == {"fairness": VALUE, "fairness (b.py)": 0.0, third: 9 / 6.5}
    assert summarize(*PARTS, list(found)) == found


def test_in_compare(write):
    jobs = packwise.compare(WORKLOAD, 4, "easy,list-saf", metrics=f"BSLD,{write(FAIRNESS)}")
    assert "fairness" in repr(jobs)
    assert jobs.to_polars()["fairness"].to_list() == [
        metric("fairness").compute(run.workload, run.cluster, run.schedule) for run in jobs.runs
    ]
