"""Names of estimates: what they mean, what they look like again, and what is refused."""

from __future__ import annotations

import pytest

from packwise import Cluster, ListPolicy, Workload, simulate
from packwise.model.errors import InputError, UnknownName
from packwise.predict.catalogue import PREDICTORS, meaning, predictor
from packwise.predict.correctors import CORRECTORS
from packwise.predict.learning import LearningPredictor
from packwise.registry import estimate

LEARNING = [name for name, entry in PREDICTORS.items() if issubclass(entry.make, LearningPredictor)]


@pytest.mark.parametrize("name", PREDICTORS)
def test_every_name_means_itself(name):
    assert predictor(name).name == name
    assert predictor(f" {name.upper()} ").name == name
    assert meaning(predictor(name))
    assert PREDICTORS[name].meaning


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("sp-2.0%", "sp-2%"),
        ("sp-0.5", "sp-0.5%"),
        ("sp-3%(weights=published)", "sp-3%(weights=published)"),
        ("LAST2 ( corrector = steps )", "last2(corrector=steps)"),
        ("last2(corrector=limit)", "last2"),
        (
            "last2(update=submission,corrector=doubling)",
            "last2(corrector=doubling,update=submission)",
        ),
        ("last2(update=round)", "last2"),
        ("last2(of=limits)", "last2(of=limits)"),
        ("last2(of=runtimes)", "last2"),
        ("hierarchy(decay=0.5)", "hierarchy(decay=0.5)"),
        ("hierarchy(decay=50%)", "hierarchy(decay=0.5)"),
        ("cvh(corrector=conditional-75%)", "cvh(corrector=conditional-75%)"),
        ("requested()", "requested"),
        ("exact*1.50", "exact*1.5"),
    ],
)
def test_one_spelling(written, name):
    assert estimate(written).name == name
    assert estimate(name) == estimate(written) or name == "requested"


@pytest.mark.parametrize("corrector", CORRECTORS)
@pytest.mark.parametrize("name", [n for n in LEARNING if n != "gbm"])
def test_every_corrector_with_every_predictor(name, corrector):
    """A corrector of its own is for those that have one; the others are told which there are."""
    jobs = Workload.of([(0, 1, 9, 9), (20, 1, 2, 9), (20, 1, 2, 9), (30, 1, 9, 9)])
    if corrector == "own" and not predictor(name).corrects:
        with pytest.raises(InputError, match="no corrector of its own"):
            predictor(f"{name}(corrector={corrector})")
    else:
        found = predictor(f"{name}(corrector={corrector})")
        assert simulate(jobs, Cluster.pool(1), ListPolicy(), found).schedule.ran.all()


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("last3", "Did you mean last2"),
        ("sp-0%", "above 0 % and below 100 %"),
        ("sp-100%", "above 0 % and below 100 %"),
        ("sp-x%", "unknown estimate 'sp-x%'"),
        ("last2(corrector=step)", "Did you mean steps"),
        ("last2(corector=steps)", "Did you mean corrector"),
        ("last2(corrector=conditional-0%)", "a percentage above 0"),
        ("last2(corrector=conditional-101%)", "a percentage above 0"),
        ("last2(of=requests)", "of should be runtimes or limits, found 'requests'"),
        ("last2(steps)", "expected parameter=value"),
        ("last2(corrector=)", "expected parameter=value"),
        ("last2(corrector=steps,corrector=limit)", "given twice"),
        ("last2(update=never)", "'round'"),
        ("last2(corrector=steps", "a parenthesis is missing"),
        ("hierarchy(decay=2)", "between 0 and 1, found 2"),
        ("hierarchy(decay=nan)", "between 0 and 1, found nan"),
        ("hierarchy(decay=much)", "a number or percentage, found 'much'"),
        ("sp-2%(weights=heavy)", "'exact' or 'published', found 'heavy'"),
        ("requested(corrector=steps)", "takes no parameters"),
        ("exact(factor=2)", "takes no parameters"),
        ("my.py:mine(corrector=steps)", "one of your own takes no parameters here"),
        ("exact*0", "a positive number"),
        ("exact*1_0", "expected a number after"),
        ("", "unknown estimate ''"),
    ],
)
def test_refused(written, message):
    with pytest.raises(InputError, match=message):
        estimate(written)


def test_a_predictor_in_a_file(tmp_path):
    file = tmp_path / "my.py"
    file.write_text(
        "class Mine:\n"
        "    name = 'mine'\n"
        "    def predict(self, job):\n"
        "        return 3\n"
        "class Nameless:\n"
        "    def predict(self, job):\n"
        "        return 3\n"
        "class Spoilt(Mine):\n"
        "    def __init__(self):\n"
        "        1 / 0\n"
        "ready = Mine()\n"
        "number = 3\n"
    )
    assert estimate(f"{file}:Mine").name == "mine"
    assert estimate(f"{file}:ready").name == "mine"
    carried = "class Mine:\n    name = 'carried'\n    def predict(self, job): return 1\n"
    assert estimate(f"{file}:Mine", carried).name == "carried"
    with pytest.raises(UnknownName, match="Did you mean Mine"):
        estimate(f"{file}:Mime")
    with pytest.raises(InputError, match='Add one: name = "Nameless"'):
        estimate(f"{file}:Nameless")
    with pytest.raises(InputError, match="could not be made without arguments"):
        estimate(f"{file}:Spoilt")
    with pytest.raises(InputError, match=r"expected an object with predict\(job\)"):
        estimate(f"{file}:number")
    with pytest.raises(InputError, match="say which estimate of the file"):
        estimate(str(file))
    with pytest.raises(InputError, match=r"estimate file .* does not exist"):
        estimate(f"{tmp_path}/other.py:mine")
