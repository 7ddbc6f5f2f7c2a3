"""Explanations of small rounds by hand: completed plans, reasons, what is refused, the objective."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from packwise.model.decision import Decision
from packwise.model.errors import BadDecision, InputError, UnknownName
from packwise.optimise.completion import complete
from packwise.optimise.explanation import explain, objective_of
from packwise.optimise.moment import Moment
from tests.optimise.rounds import a_round

NONE = np.empty(0, np.int64)


def ints(*values):
    return np.array(values, np.int64)


def a_moment(decision):
    """At 100, 7 of 10 processors are held for 80 s. Waiting: 0 (10 x 50), 1 (2 x 200), 2 (1 x 30)."""
    round = a_round([(10, 10, 50), (0, 2, 200), (0, 1, 30)], 10, running=[(7, 80)])
    return Moment(round, ints(9), ints(7), ints(180), decision)


def test_a_plan_of_the_policy_stays_as_it_is():
    found = explain(a_moment(Decision(start=[2], planned={0: 180, 1: 230})), "p", "AF")
    assert found.plan.start.tolist() == [180, 230, 100]
    assert len(found.completed.own) == 3
    assert found.free_after == 2
    assert [found.verdict(i).status for i in range(3)] == ["too wide", "would delay", "starts"]
    assert found.verdict(1).delays == (0,)
    # Response times 140, 330, 30; list-saf makes 260, 200, 30 of them.
    assert found.plan.value["AF"] == pytest.approx(500 / 3)
    best = found.best_other
    assert best is not None
    assert best.value["AF"] == pytest.approx(490 / 3)
    assert best.starts_now == 2


def test_one_that_is_left_starts_when_something_happens():
    round = a_moment(Decision()).round
    done = complete(round, NONE, {}, None)
    assert done.start.tolist() == [180, 230, 230]  # 2 fits at 180 no more: 0 takes all
    assert done.own.size == 0
    assert complete(round, ints(2), {}, None).start.tolist() == [180, 230, 100]
    # Job 2 could start at 110, when the policy wants to be asked again.
    assert complete(round, NONE, {0: 180}, 110).start.tolist() == [180, 230, 110]


def test_an_idle_machine_is_asked_again_a_second_later():
    round = a_round([(0, 1, 5)], 1)
    assert complete(round, NONE, {}, None).start.tolist() == [101]


def test_planned_starts_that_do_not_fit_are_not_believed():
    for planned in ({0: 100}, {0: 180, 1: 100 - 1}, {0: 180, 1: 180}):
        done = complete(a_moment(Decision()).round, ints(2), planned, None)
        assert not done.fits
        assert done.start.tolist() == [180, 230, 100]


@pytest.mark.parametrize("planned", [{0: "soon"}, {0: 1.5}, [180]])
def test_what_is_no_plan_is_refused(planned):
    with pytest.raises(BadDecision, match="starts in whole seconds, found"):
        explain(a_moment(Decision(planned=planned)), "p", "AF")


def test_fits_and_delays_nobody():
    found = explain(a_moment(Decision(planned={0: 180})), "p", "AF")
    assert found.verdict(2).status == "left"
    assert found.verdict(1).delays == (0,)


def test_refused_jobs_are_left_out():
    found = explain(a_moment(Decision(start=[2], reject=[0])), "p", "AF")
    assert found.refused.tolist() == [0]
    assert found.round.job.tolist() == [1, 2]
    assert found.plan.start.tolist() == [130, 100]
    assert found.verdict(0).status == "left"
    with pytest.raises(InputError, match="refuses every waiting job at 100"):
        explain(a_moment(Decision(reject=[0, 1, 2])), "p", "AF")


def test_a_list_policy_is_not_shown_twice():
    decision = Decision(start=[2], planned={0: 180, 1: 230})
    assert "list-reg" not in [p.name for p in explain(a_moment(decision), "list-reg", "AF").others]
    other = explain(a_moment(Decision(start=[1, 2])), "list-reg", "AF")
    assert "list-reg" in [p.name for p in other.others]


def test_one_more_plan():
    found = explain(a_moment(Decision(start=[2])), "p", "AF").with_plan("mine", ints(320, 100, 100))
    assert found.others[-1].name == "mine"
    assert found.others[-1].value["AF"] == pytest.approx((280 + 200 + 30) / 3)


def test_the_objective():
    assert objective_of(object(), None) == "AWF"
    assert objective_of(object(), "bsld") == "BSLD"
    assert objective_of(SimpleNamespace(metric="p2sf"), None) == "P2SF"
    assert objective_of(SimpleNamespace(objective=SimpleNamespace(name="AF")), None) == "AF"
    assert objective_of(SimpleNamespace(objective="0.7*AF+0.3*AWF"), None) == "AWF"
    with pytest.raises(UnknownName, match="Did you mean AWF"):
        objective_of(object(), "AWFF")
    with pytest.raises(InputError, match="20 or less"):
        objective_of(object(), "P21SF")
