"""The page of the CP dispatchers: ratios by hand, and tables of a small store."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.dispatchers import FIRST_FIT, RECORDED, STORE, dispatch_studies
from benchmarks.dispatchers_store import Store
from packwise.model.errors import InputError
from scripts.dispatchers_replay_tables import (
    endings,
    like_eurora,
    means,
    other_claims,
    ours,
    qualities,
    ratio_verdicts,
    times,
)
from scripts.dispatchers_results import Rounds, label_of, read_results, rounds_of
from scripts.dispatchers_rounds_tables import (
    NOT_RUN,
    given_time,
    growth,
    large_rounds,
    long_plans,
    plans,
    ratio_table,
)
from scripts.dispatchers_summary import summary
from scripts.page import filled
from scripts.reproduce_dispatchers import PAGE, ROOT, not_run, page_parts, saved_rounds


def solved(seconds, fails, variables, slowdown=None, **more):
    one = {"seconds": seconds, "fails": fails, "variables": variables, "ended": 1}
    return {**one, "slowdown": slowdown, "list": 100.0, **more}


SIZES = {
    "pcp19": 100,
    "pcp21": 10,
    "pcp19_everywhere": 200,
    "pcp21_by_formula": 8,
    "pcp19_grown": 1000,
    "pcp21_grown": 10,
    "pcp21_made": 12,
    "pcp21_made_grown": 12,
}


@pytest.fixture
def rounds():
    methods = ("pcp21 identical", "pcp21 lns", "pcp21s")
    return Rounds(
        {
            "pcp19": [solved(2.0, 0, 100), solved(1.0, 10, 100, 90.0)],
            "pcp21": [solved(1.0, 0, 5, 100.0), solved(2.0, 5, 20, 110.0)],
            **{name: [solved(0.1, 0, 5, 100.0)] * 2 for name in methods},
            "search 100": [solved(0.01, 0, 0, 80.0, started=1), solved(0, 0, 0, 100.0, started=0)],
            "search 1000": [solved(0.1, 0, 0, 70.0, started=1), solved(0, 0, 0, 100.0, started=0)],
            "sizes": [SIZES, SIZES],
        }
    )


def test_ratios(rounds):
    assert rounds.ratio("seconds").tolist() == [0.5, 2.0]
    assert np.isnan(rounds.ratio("fails")[0])  # none in either
    assert rounds.ratio("fails")[1] == 0.5
    some = Rounds({"pcp19": [solved(1, 0, 1)], "pcp21": [solved(1, 3, 1)]})
    assert np.isinf(some.ratio("fails")[0])
    assert rounds.quality("pcp19").tolist() == [1.0, 0.9]  # no plan: the list's


def test_rounds_of_a_store():
    found = {
        "rounds | exact | 0 | pcp19": {"seconds": 1},
        "rounds | exact | 0 | pcp21": {"seconds": 2},
        "rounds | exact | 1 | pcp19": {"seconds": 3},  # the other is missing
        "rounds | exact | done": {},
        "rounds | data-driven | 0 | pcp19": {"seconds": 9},
        "Eurora | as it was": {},
    }
    there = rounds_of(found, "rounds | exact")
    assert there is not None
    assert (len(there), there.of("pcp21", "seconds").tolist()) == (1, [2.0])
    assert rounds_of(found, "long rounds") is None


def test_tables_of_rounds(rounds):
    table = ratio_table({"R": rounds}).splitlines()
    assert table[2].startswith("| variables (figure 6), -R | all below 0.1 | 0.05 |")
    assert table[2].endswith("| 50 %, 100 % | **does not hold** |")
    assert table[3].endswith("| 100 %, 100 % | holds |")
    assert table[-3].endswith("| 50 % of rounds | **does not hold** |")
    assert table[-1].startswith(
        "With -R PCP'21 has no conflicts in 1 of 2 rounds; in 1 of these nothing is"
    )
    assert (
        growth({"R": rounds}).splitlines()[-1] == "| -R, 2 rounds | 100 | 1,000 | 10 | 10 | 100 % |"
    )
    lines = plans({"R": rounds}).splitlines()
    assert lines[0] == "1 of the 2 rounds with -R: those in which the order search starts a job."
    assert "| `search 1000`, -R | 30.00 % | 30.0 % | 1 of 1 | 0 | 100 |" in lines
    assert long_plans({}) == NOT_RUN
    assert large_rounds({}).startswith(NOT_RUN)


def test_what_16_seconds_find():
    plans = {
        "pcp21": [solved(16, 0, 5, 99.0), solved(16, 0, 5, 95.0), solved(16, 0, 5, 90.0)],
        "pcp21s": [
            solved(16, 0, 5, v, bound=b) for v, b in ((97.0, 87.3), (98.0, 57.0), (90.0, 1.0))
        ],
        "search 200": [
            solved(0.02, 0, 0, 98.0, started=1),
            solved(0.02, 0, 0, 95.0, started=1),
            solved(0.02, 0, 0, 100.0, started=0),  # no choice: does not count
        ],
    }
    kept = {
        f"long rounds | {k} | {name}": one
        for name, each in plans.items()
        for k, one in enumerate(each)
    }
    said = long_plans(kept).splitlines()
    assert said[0] == (
        "In 1 of 2 rounds one of them finds a better plan than the order search, by up to 1 %. By the bounds "
        "of `pcp21s` the best plans of half of these rounds are within 25 % of the best there are, of all of "
        "them within 40 %."
    )
    assert said[-1] == "| `search 200` | 3.50 % | 5.0 % | 2 of 2 | 0 | 20 |"


def test_what_pcp19_does_in_16_seconds():
    def of(*plans):
        return {f"KIT long rounds | {k} | pcp19": one for k, one in enumerate(plans)}

    small = solved(1, 0, 2000, 100.0, ended=0)
    large = solved(16, 0, 9000, None, ended=2)
    better = solved(16, 0, 8000, 99.0, ended=2)
    assert given_time(of(small, large, better)).endswith(
        "without a plan in 1 of 3 such rounds, and better than the list plan that it begins with in 1. Proven "
        "to be the best is its plan in 1 (up to 2,000 variables), not in 2 (from 8,000 on)."
    )
    assert given_time(of(small)).endswith(
        "in 0. Proven to be the best is its plan in 1 (up to 2,000 variables)."
    )
    assert given_time(of(large)).endswith("in 0, not in 1 (from 9,000 on).")


def replayed(slowdown, ms, **more):
    jobs = dict.fromkeys(("slowdown_sd", "wait", "wait_sd", "max_wait"), 7.0)
    cost = {"dispatch_ms": ms, "seconds": ms, "rounds": 1000, "solved": 0, "fallbacks": 0}
    return {"slowdown": slowdown, **jobs, **cost, "ended": [], "feasible": True, **more}


@pytest.fixture
def results():
    cp = {"solved": 30, "ended": [1, 29, 0], "fallbacks": 2, "notes": {"improved": 0.25}}
    return {
        RECORDED: replayed(14.6, 0.0),
        FIRST_FIT: replayed(190.0, 0.1),
        "Eurora | EASY | R | 0": replayed(7.6, 0.02),
        "Eurora | SJF | R | 0": replayed(1.9, 0.02),
        "Eurora | PCP'21 | D | 0": replayed(1.8, 100.0, **cp),
        "Eurora | PCP'21 | R | 0": replayed(1.7, 200.0, **cp),
        "Eurora | HCP'19 | R | 0": replayed(2.0, 160.0, **cp),
        "Eurora | Packwise | R | 0": replayed(1.6, 10.0),
        **{f"like Eurora | EASY | R | {k}": replayed(3.0 + k, 0.5) for k in (1, 2, 3)},
        "like Eurora | SJF | R | 1": replayed(1.0, 0.5),
    }


def test_tables_of_replays(results):
    assert "| PCP'21-R | 256 | 200 | 136,401 | 200 |" in times(results, "Eurora", "D R")
    assert endings(results, "Eurora", "R").splitlines()[2:] == [
        "| HCP'19-R | 30 | 1 | 29 | 0 | 2 | 25 % |",
        "| PCP'21-R | 30 | 1 | 29 | 0 | 2 | 25 % |",
    ]
    claims = ratio_verdicts(results, "Eurora").splitlines()[2:]
    assert claims == [
        "| PCP'21-R decides faster than HCP'19-R | 0.72 | 1.25 | **does not hold** |",
        "| PCP'21-D decides faster than PCP'21-R | 0.82 | 0.50 | holds |",
    ]
    assert "| FCFS, first fit | 190.00 | 7.0 | 7 | 7 | 7 | passes |" in qualities(
        results, "Eurora", "R D"
    )
    assert like_eurora(results).splitlines()[2:] == ["| EASY-R | 5.000 | 7 | 0.5000 |"]
    assert ours(results).splitlines()[2:] == [
        "| Eurora-R | PCP'21, 1.70 | 1.90 | 1.60 | 0.941 | holds | 20 times as fast as PCP'21 |"
    ]
    results["Eurora | PCP'21 | R | 0"]["earlier"] = True
    assert ours(results).endswith("| 20 times as fast as PCP'21 (times of two machines) |")
    assert "in 5 % (times of two machines) |  |" in summary(results, {})
    assert "| 1.25 (times of two machines) |  |" in ratio_verdicts(results, "Eurora")
    assert [one.label for one in means(results, "Eurora", "R D")["mean slowdown"]] == [
        *("as it was", "EASY", "SJF", "Packwise", "HCP'19", "PCP'21", "PCP'21")
    ]


def test_what_else_the_paper_says(results, rounds):
    lines = other_claims(results, {"R": rounds}).splitlines()[2:]
    assert lines[0].endswith(
        "| slowdown 1.70 to 2.00, 14.60 under PBS; wait 7 to 7, 7 under PBS | **does not hold** |"
    )
    assert lines[1].endswith("| slowdown 1.70 and 1.80 | holds |")
    # In the second round PCP'21's plan is worse than the list's, which is followed; PCP'19's is better.
    assert lines[2].endswith("begin with in 0 % (PCP'21), 50 % (PCP'19) | **does not hold** |")
    assert "| in 50 %;" in lines[2]
    kit = {f"KIT rounds | 0 | {name}": solved(t, 0, 1) for name, t in (("pcp21", 2), ("pcp21s", 1))}
    assert "on the same rounds 1,000 and 2,000 ms" in other_claims(kit, {})


def test_a_plan_worse_than_the_lists_is_not_followed():
    both = Rounds({"pcp19": [solved(1, 0, 1, 100.0)], "pcp21": [solved(1, 0, 1, 101.0)]})
    assert "| in 100 %; better" in other_claims({}, {"R": both})


def test_who_deviates_least(results):
    def said():
        lines = other_claims(results, {}).splitlines()
        return [line.split(" | ")[1:] for line in lines if "deviates" in line]

    assert said() == []  # PCP'21 alone
    results["Eurora | HCP'19 | D | 0"] = replayed(2.0, 1.0, slowdown_sd=8.0)
    assert said() == []  # the least so far, but PCP'19 is missing
    results["Eurora | PCP'19 | D | 0"] = replayed(2.0, 1.0, slowdown_sd=9.0)
    assert said() == [["HCP'19 8.0, PCP'19 9.0, PCP'21 7.0", "holds |"]]
    del results["Eurora | PCP'19 | D | 0"]
    results["Eurora | HCP'19 | D | 0"] = replayed(2.0, 1.0, slowdown_sd=6.0)
    assert said() == [["HCP'19 6.0, PCP'21 7.0", "**does not hold** |"]]


def test_a_store_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"Run benchmarks\.dispatchers first"):
        read_results(tmp_path / "none.jsonl", [])


def test_a_torn_line_costs_that_line_only(tmp_path):
    path = tmp_path / "store.jsonl"
    path.write_text('["whole", 1]\n["torn", {"a')
    store = Store(path)
    store.add("next", lambda: 2)
    assert Store(path).known == {"whole": 1, "next": 2}
    assert json.loads(path.read_text().splitlines()[-1]) == ["next", 2]


def test_numbers_of_a_store_are_short(tmp_path):
    path = tmp_path / "store.jsonl"
    Store(path).add(
        "one", lambda: {"a": 1 / 3, "b": {"c": 123456789.0}, "d": [12345678], "e": None}
    )
    assert Store(path).known["one"] == {
        "a": 0.3333333,
        "b": {"c": 123456800.0},
        "d": [12345678],
        "e": None,
    }


def test_the_summary(results, rounds):
    kit = {
        f"KIT rounds | {k} | pcp19": solved(1, 0, 1, slowdown)
        for k, slowdown in enumerate((None, None, 90.0))
    }
    kit |= {f"KIT long rounds | {k} | pcp19": solved(1, 0, 1, 100.0 - k) for k in (0, 1)}
    both = {**results, **kit, "Eurora | the same by its label": results[FIRST_FIT]}
    lines = summary(both, {"R": rounds}).splitlines()[2:]
    assert [line.split(" | ")[1:] for line in lines] == [
        [
            "in 50 % of 2 rounds of Eurora-R; half of the ratios are at most 0.05",
            "**does not hold** |",
        ],
        ["the same on ten times the nodes in 100 % of 2 rounds of Eurora-R", "holds |"],
        [
            "in 50 % of 2 rounds of Eurora-R; half of the ratios are at most 0.5",
            "**does not hold** |",
        ],
        ["HCP'19 2.00, PCP'21 1.70; FCFS 190.00, EASY 7.60", "holds |"],
        ["1.60 against 1.70 (PCP'21)", "holds |"],
        ["in 5 %", "holds |"],
        [
            "within the limits of the replays no plan in 2 of 3 rounds; given 16 s, none better than the "
            "list's in 1 of 2",
            "holds |",
        ],
        ["12 of 12", "holds |"],
    ]
    worse = {**both, "Eurora | Packwise | R | 0": replayed(1.8, 21.0, feasible=False)}
    ended = [line.endswith("| **does not hold** |") for line in summary(worse, {}).splitlines()[2:]]
    assert ended == [False, True, True, False, True]


@pytest.mark.shared
def test_what_has_not_been_run_is_named(shared):
    studies = dispatch_studies(shared / "traces")
    labels = [label_of(one) for study in studies for one in study.scenarios]
    assert not_run({label: {} for label in labels}, studies).startswith("All scenarios")
    results = {**{label: {} for label in labels}, "Eurora | PCP'21 | D | 0": {"earlier": True}}
    del results["KIT | EASY | R | 0"], results["like Eurora | SJF | D | 2"]
    said = not_run(results, studies).split("\n\n")
    assert said[0] == "Not run yet, and so not in the tables: SJF-D (like Eurora); EASY-R (KIT)."
    assert said[1].endswith("it printed: PCP'21-D (Eurora).")


@pytest.mark.shared
def test_the_page_is_what_was_measured(shared):
    studies = dispatch_studies(shared / "traces")
    results = read_results(STORE, studies)
    page = (ROOT / "docs" / PAGE).read_text(encoding="utf-8")
    parts = page_parts(results, saved_rounds(results), studies)
    assert filled(page, parts) == page, "Run python -m scripts.reproduce_dispatchers."
