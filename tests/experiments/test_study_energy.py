"""Studies whose machines know what power costs."""

from __future__ import annotations

import json

import pytest

from packwise.experiments.scenario import Scenario, load
from packwise.experiments.study_file import read_study
from packwise.experiments.work import Done, Task, perform
from packwise.model.errors import InputError

STUDY = """
policies = ["easy", "list-saf"]
metrics = ["wait", "energy_cost"]
[[workload]]
generate = { jobs = 60, procs = 8 }
[[machine]]
energy = "market"
[[machine]]
procs = 16
energy = "site.toml"
shift_to = 2024-06-01
"""
SITE = '[price]\nunit = "EUR/MWh"\nvalue = 100\n'


@pytest.fixture
def study(tmp_path):
    (tmp_path / "site.toml").write_text(SITE)

    def read(text: str = STUDY):
        path = tmp_path / "study.toml"
        path.write_text(text)
        return read_study(path)

    return read


def test_machines_are_called_by_their_scenarios(study) -> None:
    found = study()
    assert list(dict.fromkeys(one.machine.label for one in found.scenarios)) == [
        "market",
        "16 procs, site 2024-06-01",
    ]
    assert len({one.key for one in found.scenarios}) == 4


def test_a_result_has_the_metrics_of_its_scenario(study) -> None:
    for one in study().scenarios:
        done = perform(Task(one, code="", packages={}))
        assert isinstance(done, Done), done.record
        metrics = done.record["metrics"]
        assert metrics["energy_cost"] is not None
        assert ("CO2" in metrics) == (one.machine.label == "market")


def test_a_record_keeps_the_digest_and_not_the_series(study) -> None:
    one = study().scenarios[0]
    text = json.dumps(one.specification())
    assert len(text) < 5000
    back = Scenario.from_specification(json.loads(text))
    assert back.key == one.key
    assert back.machine.energy.digest == one.machine.energy.digest


def test_other_prices_are_another_scenario(study, tmp_path) -> None:
    before = study().scenarios[-1].key
    (tmp_path / "site.toml").write_text(SITE.replace("100", "101"))
    assert study().scenarios[-1].key != before


def test_the_cluster_that_is_loaded_knows(study) -> None:
    one = study().scenarios[0]
    assert load(one.workload, one.machine).cluster.energy.name == "market"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('energy = "market"', 'energy = "markt"', r"line 7.*unknown energy scenario 'markt'"),
        (
            'energy = "market"',
            'shift_to = "2024-01-01"',
            "shift_to is for the dates of an energy scenario",
        ),
        ("2024-06-01", '"june"', r"line 11.*shift_to should be a day"),
        ('"site.toml"', '"nowhere.toml"', "no such file"),
        ('energy = "market"', "", "needs procs"),
    ],
)
def test_mistakes(study, old, new, words) -> None:
    with pytest.raises(InputError, match=words):
        study(STUDY.replace(old, new, 1))
