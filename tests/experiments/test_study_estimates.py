"""Estimates in a study: an axis like any other, with parameters, labels and users' predictors."""

from __future__ import annotations

import pytest

from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.study import Baseline, Tolerance
from packwise.experiments.study_file import read_study
from packwise.experiments.tables.results import Point, StudyResults
from packwise.model.errors import InputError
from packwise.registry import estimate

BASE = 'policies = ["list-reg"]\n[[workload]]\ngenerate = { jobs = 80, procs = 16, load = 1.1 }\n'
MINE = """
from helper_of_mine import FACTOR

class Mine:
    name = "mine"

    def __init__(self):
        self.last = {}

    def predict(self, job):
        return FACTOR * self.last.get(job.user, job.limit)

    def learn(self, job, runtime):
        self.last[job.user] = runtime
"""


@pytest.fixture
def read(tmp_path):
    def reading(text, **options):
        file = tmp_path / "study.toml"
        file.write_text(text, encoding="utf-8")
        return read_study(file, **options)

    return reading


def labels(study):
    return [scenario.estimate.label for scenario in study.scenarios]


def test_names_and_tables(read):
    study = read(
        'estimates = ["requested", "SP-5%", "last2( corrector=steps )"]\n'
        + BASE
        + '[[estimate]]\nname = "hierarchy"\ndecay = [0.5, 0.8]\nlabel = "decay {decay}"\n'
        + '[[estimate]]\nname = "last2"\ncorrector = ["limit", "conditional-75%"]\n'
        + '[[estimate]]\nname = "cvh"\nupdate = "submission"\n'
    )
    assert labels(study) == [
        "requested",
        "sp-5%",
        "last2(corrector=steps)",
        "decay 0.5",
        "decay 0.8",
        "last2",
        "last2(corrector=conditional-75%)",
        "cvh(update=submission)",
    ]
    decays = [s.estimate for s in study.scenarios if s.estimate.label.startswith("decay")]
    assert [estimate(choice.name).decay for choice in decays] == [0.5, 0.8]
    assert [choice.parameters for choice in decays] == [{"decay": 0.5}, {"decay": 0.8}]
    assert len({scenario.key for scenario in study.scenarios}) == len(study.scenarios)


def test_tables_alone(read):
    study = read(BASE + '[[estimate]]\nname = "last2"\nlabel = "Last two"\n')
    assert labels(study) == ["Last two"]
    study = read('baseline = { estimate = "last2" }\n' + BASE + '[[estimate]]\nname = "last2"\n')
    assert study.baseline == Baseline(estimate="last2")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "an .*estimate.* needs a name"),
        ('name = "last3"', "line 5: unknown estimate 'last3'. Did you mean last2"),
        ('name = "last2"\ncorector = "steps"', "line 6: .*corector.*Did you mean corrector"),
        ('name = "last2"\ncorrector = "step"', "Did you mean steps"),
        ('name = "last2"\ndecay = 0.5', "line 6: .*decay"),
        ('name = "requested"\ncorrector = "steps"', "line 6: .*corrector"),
        ('name = "hierarchy"\ndecay = [0.5, 7]', "between 0 and 1, found 7"),
        ('name = "hierarchy"\ndecay = true', "a word or a number"),
        ('name = "hierarchy"\ndecay = [0.5, 0.6]\nlabel = "h"', "does not tell the 2 estimates"),
        ('name = "hierarchy"\ndecay = 0.5\nlabel = "{order}"', "has the placeholder {order}"),
        ('name = "nowhere.py:mine"', "estimate 'nowhere.py:mine': there is no file"),
        ('name = "last2"\nlabel = "requested"', "requested"),
    ],
)
def test_refused(read, table, message):
    with pytest.raises(InputError, match=message):
        read(f"{BASE}[[estimate]]\n{table}\n[[estimate]]\nname = 'requested'\n")


def test_a_users_predictor_by_content(read, tmp_path, monkeypatch, store, in_process):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "helper_of_mine.py").write_text("FACTOR = 2\n")
    (tmp_path / "mine.py").write_text(MINE)
    study = read('estimates = ["requested", "mine.py:Mine"]\nmetrics = ["AF", "R2"]\n' + BASE)
    assert labels(study) == ["requested", "mine"]
    run_plan(make_plan(study, store), store, in_process, lambda scenario, result: None)
    results = StudyResults.of(study, store.frame())
    r2 = {
        name: results.cell(Point(study.scenarios[0].workload.label, "", "list-reg", name), "R2")
        for name in ("requested", "mine")
    }
    assert r2["mine"].value != r2["requested"].value
    assert not make_plan(study, store).planned
    (tmp_path / "mine.py").write_text(MINE.replace("FACTOR *", "3 * FACTOR *"))
    again = read('estimates = ["requested", "mine.py:Mine"]\nmetrics = ["AF", "R2"]\n' + BASE)
    assert [s.key == t.key for s, t in zip(study.scenarios, again.scenarios, strict=True)] == [
        True,
        False,
    ]


def test_tolerance_of_values(read):
    study = read(
        BASE + "[published]\nvalue = 0.015\nshare = 0.05\n"
        '[[published.tolerance]]\nestimate = "requested"\nvalue = 0.2\n'
    )
    assert study.published.tolerances == (
        Tolerance(value=0.015, share=0.05),
        Tolerance(value=0.2, share=0.05, estimate="requested"),
    )
    with pytest.raises(InputError, match="needs points, value or share"):
        read(BASE + "[[published.tolerance]]\nreason = 'none'\n")
