"""Names to objects: catalogue, parameters, files, near misses."""

from __future__ import annotations

import pytest

from packwise import ListPolicy, Policy, check_policy
from packwise.model.errors import InputError, UnknownName
from packwise.policies.catalogue import ALIASES
from packwise.policies.orders import ORDERS
from packwise.registry import POLICIES, estimate, policy, split_names
from tests.draws import draws
from tests.lanes import by_kind


def test_names_of_the_papers():
    names = (
        "fcfs easy easy-sjbf saf-easy easy-laf list-reg justbf list-sjf list-saf list-spf list-laf "
        "list-ljf list-wfp list-f1 list-f4 sjf-aggressive saf-aggressive laf-aggressive cbf"
    )
    for name in names.split():
        assert isinstance(policy(name), Policy)
    assert policy("JustBF") is policy("list-reg")


def test_aliases_lead_somewhere_and_hide_nothing():
    assert set(ALIASES.values()) <= set(POLICIES)
    assert not set(ALIASES) & set(POLICIES)


def test_every_policy_says_what_it_is_and_whose():
    for found in POLICIES.values():
        assert found.meaning, found.name
        assert found.source, found.name


def test_parameters():
    found = policy("list(order=saf/ljf, depth=4, backfill=sjf, threshold=2h, cap=50)")
    assert isinstance(found, ListPolicy)
    assert found.order is ORDERS["saf"]
    assert found.tie is ORDERS["ljf"]
    assert (found.depth, found.threshold, found.cap) == (4, 7200, 50)
    assert found.backfill_order is ORDERS["sjf"]
    assert found.name == "list(order=saf/ljf,depth=4,backfill=sjf,threshold=2h,cap=50)"
    assert policy("easy(depth=unlimited)").depth is None
    assert policy("List(Order=SAF)").order is ORDERS["saf"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("esay", "Did you mean easy"),
        ("list(order=sag)", "unknown order 'sag'. Did you mean saf"),
        ("list(deph=3)", "unknown parameter 'deph'. Did you mean depth"),
        ("list(depth=many)", "depth should be a whole number or 'unlimited', found 'many'"),
        ("list(depth=-1)", "depth should be a whole number of 0 or more, found -1"),
        ("list(cap=0)", "cap should be a whole number of 1 or more"),
        ("list(option=lazy)", "option should be one of strict, greedy, backfill"),
        ("list(saf)", "expected parameter=value, found 'saf'"),
        ("list(order=saf,order=laf)", "parameter 'order' is given twice"),
        ("fcfs(depth=1)", "depth would have no effect"),
        ("list(option=greedy,depth=4)", "depth would have no effect"),
        ("list(backfill=sjf)", "backfill would have no effect"),
        ("cbf(depth=2)", "unknown parameter 'depth'. Known: compress, power_cap."),
        ("dbf(compress=always)", "compress should be any or start, found 'always'"),
        ("nowhere.py:mine", "does not exist"),
        ("my.py", "say which policy of the file"),
        ("my.py:mine(budget=9)", "one of your own takes no parameters here"),
        ("no_such_package.module:mine", "could not be imported"),
        ("", "unknown policy"),
    ],
)
def test_wrong_names(name, message):
    with pytest.raises(InputError) as caught:
        policy(name)
    assert message in str(caught.value)


def test_a_cost_without_its_decorator():
    source = "from packwise import job_cost\ndef cost(start, submit):\n    return start - submit\n"
    with pytest.raises(InputError, match=r"a function of one view.*@job_cost above it"):
        policy("my.py:cost", source)
    with pytest.raises(InputError, match=r"unknown policy in my.py 'nothere'. Known: cost\.$"):
        policy("my.py:nothere", source)


FILE = """
from packwise import Decision, ListPolicy, order_key

class Mine:
    name = "mine"
    def decide(self, view):
        fit = [j for j in view.queue if view.demand[j] <= view.free]
        return Decision(start=fit[:1], wake_at=view.now + 1 if len(fit) > 1 else None)

instance = Mine()

def function(view):
    return Mine().decide(view)

@order_key
def widest(demand, estimate):
    return -demand - estimate / 1e6

@order_key
def ageing(now, submit, demand):
    return demand - (now - submit) / 3600

eager = ListPolicy(name="eager", order=widest, depth=2)
number = 7
class NeedsMore:
    def __init__(self, x): ...
"""


def test_policies_of_a_user_file(tmp_path):
    file = tmp_path / "my.py"
    file.write_text(FILE)
    for name in ("Mine", "instance", "function", "widest", "ageing", "eager"):
        found = policy(f"{file}:{name}")
        assert check_policy(found, jobs=8).ok, name
    for name, message in (
        ("number", "found int"),
        ("NeedsMore", "without arguments"),
        ("eagr", "Did you mean eager"),
    ):
        with pytest.raises(InputError, match=message):
            policy(f"{file}:{name}")


def test_a_user_file_with_an_error(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("def oops(:\n")
    with pytest.raises(InputError, match=r"could not be loaded: SyntaxError"):
        policy(f"{file}:mine")


# A solver takes seconds a round by default: test_cp_policies.py and test_dispatchers.py in tests/optimise
# check those with small limits.
@pytest.mark.draws
@pytest.mark.parametrize(
    "name",
    by_kind(n for n, one in POLICIES.items() if "ortools" not in getattr(one, "packages", ())),
)
def test_every_policy_keeps_the_contract(name):
    # Those of the list family differ by a few numbers; any point of it is held against a naive twin elsewhere.
    one = POLICIES[name]
    report = check_policy(one, jobs=15 if isinstance(one, ListPolicy) else draws(60, few=12))
    assert report.ok, report.problems


def test_estimates():
    assert estimate("requested").name == "requested"
    assert estimate("EXACT").name == "exact"
    assert estimate("exact*1.5").name == "exact*1.5"
    for wrong in ("exact*", "exact*-1", "exact*nan", "exact*0", "exact*1e9"):
        with pytest.raises(InputError):
            estimate(wrong)
    with pytest.raises(UnknownName, match="Did you mean requested"):
        estimate("request")


def test_lists_of_names():
    assert split_names("easy, list(order=saf,depth=4) ,cbf,") == [
        "easy",
        "list(order=saf,depth=4)",
        "cbf",
    ]


def test_a_class_without_a_name_and_a_file_that_exits(tmp_path):
    file = tmp_path / "odd.py"
    file.write_text("class Nameless:\n    def decide(self, view): ...\n")
    with pytest.raises(InputError, match="can decide, but has no name"):
        policy(f"{file}:Nameless")
    file.write_text("import sys\nsys.exit(0)\n")
    with pytest.raises(InputError, match="could not be loaded: SystemExit"):
        policy(f"{file}:mine")
    with pytest.raises(InputError, match="a parenthesis is missing"):
        policy("list(order=saf,depth=4")


def test_a_policy_file_may_define_dataclasses(tmp_path):
    """With postponed annotations a dataclass looks its module up by name."""
    file = tmp_path / "mine.py"
    file.write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from packwise import Decision\n\n"
        "@dataclass\n"
        "class Mine:\n"
        "    name: str = 'mine'\n"
        "    def decide(self, view):\n"
        "        return Decision()\n"
    )
    assert policy(f"{file}:Mine").name == "mine"


def test_a_policy_from_source_does_not_need_the_file():
    source = "from packwise import Decision\ndef mine(view):\n    return Decision()\n"
    assert policy("/nowhere/my.py:mine", source).name == "mine"
