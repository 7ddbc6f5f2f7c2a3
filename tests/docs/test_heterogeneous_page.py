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
    first_limits,
    growth,
    large_rounds,
    plans,
    ratio_table,
)
from scripts.dispatchers_summary import summary
from scripts.page import filled
from scripts.reproduce_dispatchers import PAGE, ROOT, not_run, page_parts, saved_rounds


def solved(seconds, fails, variables, slowdown=None, **more):
    one = {"seconds": seconds, "fails": fails, "variables": variables, "branches": 2 * fails}
    return {**one, "slowdown": slowdown, "unsolved": slowdown is None, **more}


SIZES = {
    "pcp19": 100,
    "pcp21": 10,
    "pcp19_everywhere": 200,
    "pcp21_by_formula": 8,
    "pcp19_grown": 1000,
    "pcp21_grown": 10,
}


@pytest.fixture
def rounds():
    return Rounds(
        {
            "pcp19": [solved(2.0, 0, 100), solved(1.0, 10, 100, 90.0)],
            "pcp21": [solved(1.0, 0, 5, 100.0), solved(2.0, 5, 20, 110.0)],
            "pcp21s": [solved(0.1, 0, 5, 100.0)] * 2,
            "search 100": [
                {"seconds": 0.01, "slowdown": 80.0},
                {"seconds": 0.0, "slowdown": 100.0},
            ],
            "search 1000": [{"seconds": 0.1, "slowdown": 70.0}, {"seconds": 0.1, "slowdown": 90.0}],
            "lists": [{"slowdown": 100.0}] * 2,
            "sizes": [SIZES, SIZES],
        }
    )


def test_ratios(rounds):
    assert rounds.ratio("seconds").tolist() == [0.5, 2.0]
    assert np.isnan(rounds.ratio("fails")[0])  # none in either
    assert rounds.ratio("fails")[1] == 0.5
    some = Rounds({"pcp19": [solved(1, 0, 1)], "pcp21": [solved(1, 3, 1)]})
    assert np.isinf(some.ratio("fails")[0])
    assert np.isnan(rounds.quality("pcp19")[0])  # no plan
    assert rounds.quality("pcp19")[1] == 0.9


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
    assert table[-1].endswith("| 50 % of rounds | **does not hold** |")
    assert (
        growth({"R": rounds}).splitlines()[-1] == "| -R, 2 rounds | 100 | 1,000 | 10 | 10 | 100 % |"
    )
    lines = plans({"R": rounds}).splitlines()
    assert "| `pcp19`, -R | 1 of 2 | 10.00 % | 10.0 % | 1 | 0 | 1,500 |" in lines
    assert "| `pcp21`, -R | 0 of 2 | -5.00 % | 0.0 % | 0 | 1 | 1,500 |" in lines
    assert "| `search 1000`, -R | 0 of 2 | 20.00 % | 30.0 % | 2 | 0 | 100 |" in lines
    assert large_rounds({}) == NOT_RUN


def test_what_the_first_limits_take():
    """By the branch, over the rounds that use them up: 3 s for 600 branches is 1 s for PCP'21's 200."""
    some = (
        {"ended": 1, "seconds": 2.0, "branches": 400},
        {"ended": 2, "seconds": 1.0, "branches": 200},
    )
    proven = {"ended": 0, "seconds": 9.0, "branches": 1}
    rows = {name: [proven] for name in ("hcp19", "pcp19", "pcp21s")}
    said = first_limits(
        {
            "R": Rounds({**rows, "pcp21": [some[0], proven]}),
            "D": Rounds({**rows, "pcp21": [some[1]]}),
        }
    )
    assert said.endswith("takes: PCP'21 1.00 s.")


def kit(**each):
    """Rounds of KIT, by method: a pair of seconds and a slowdown."""
    return {
        f"KIT rounds | {k} | {name}": solved(*one[:1], 0, 1, *one[1:])
        for name, some in each.items()
        for k, one in enumerate(some)
    }


def test_rounds_on_a_large_machine():
    found = kit(
        pcp19=[(8.0,), (9.0,)],
        pcp21=[(3.0, 1.0), (5.0,)],
        pcp21s=[(1.0, 1.0)] * 2,
        hcp19=[(0.9, 1.0)] * 2,
    )
    lines = large_rounds(found).splitlines()
    assert "| `pcp19` | 1 | 1 | 2 of 2 | 8.50 | 8.50 | 9.0 |" in lines
    assert "| `pcp21` | 1 | 1 | 1 of 2 | 4.00 | 4.00 | 5.0 |" in lines
    said = other_claims(found, {}).splitlines()[2:]
    assert "on the same rounds 1,000 and 4,000 ms" in said[0]
    assert said[0].endswith("| holds |")
    assert "on the same rounds 1,000 and 900 ms" in said[1]
    assert said[1].endswith("| holds |")


def replayed(slowdown, ms, **more):
    jobs = dict.fromkeys(("slowdown_sd", "wait", "wait_sd", "max_wait"), 7.0)
    cost = {"dispatch_ms": ms, "seconds": ms, "rounds": 1000, "solved": 0, "unsolved": 0}
    return {"slowdown": slowdown, **jobs, **cost, "ended": [], "feasible": True, **more}


@pytest.fixture
def results():
    notes = {"branches": 10.0, "fails": 5.0, "build_seconds": 0.1, "solve_seconds": 0.3}
    cp = {
        "solved": 30,
        "ended": [1, 29, 0],
        "unsolved": 2,
        "notes": {**notes, "python_seconds": 0.1},
    }
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


def test_tables_of_replays(results, rounds):
    assert "| PCP'21-R | 256 | 200 | 136,401 | 200 |" in times(results, "Eurora", "D R")
    assert endings(results, "Eurora", "R").splitlines()[2:] == [
        "| HCP'19-R | 30 | 1 | 29 | 0 | 2 | 25 % |",
        "| PCP'21-R | 30 | 1 | 29 | 0 | 2 | 25 % |",
    ]
    claims = ratio_verdicts(results, {"R": rounds}, "Eurora").splitlines()[2:]
    assert claims == [
        "| PCP'21-R decides faster than HCP'19-R | 0.72 | 1.25 | 1.00 | 1.00 |  |  |  | **does not hold** |",
        "| PCP'21-R decides faster than PCP'19-R | 0.55 |  |  |  | 1.00 | 0.50 | 0.50 | about the same |",
        "| PCP'21-D decides faster than PCP'21-R | 0.82 | 0.50 | 1.00 | 1.00 |  |  |  | holds |",
    ]
    assert "| FCFS, first fit | 190.00 | 7.0 | 7 | 7 | 7 | passes |" in qualities(
        results, "Eurora", "R D"
    )
    assert like_eurora(results).splitlines()[2:] == ["| EASY-R | 5.000 | 7 | 0.5000 |"]
    assert ours(results).splitlines()[2:] == [
        "| Eurora-R | PCP'21, 1.70 | 1.90 | 1.60 | 0.941 | holds | 20 times as fast as PCP'21 |"
    ]
    assert [one.label for one in means(results, "Eurora", "R D")["mean slowdown"]] == [
        *("as it was", "EASY", "SJF", "Packwise", "HCP'19", "PCP'21", "PCP'21")
    ]


def test_what_else_the_paper_says(results, rounds):
    lines = other_claims(results, {"R": rounds}).splitlines()[2:]
    assert lines[0].endswith(
        "| slowdown 1.70 to 2.00, 14.60 under PBS; wait 7 to 7, 7 under PBS | **does not hold** |"
    )
    assert lines[1].endswith("| slowdown 1.70 and 1.80 | holds |")
    # In the first round PCP'19 has no plan, in the second PCP'21 has a worse one.
    assert lines[2].endswith(
        "three list plans in 0 % (PCP'21), 50 % (PCP'19) | **does not hold** |"
    )
    assert "| in 0 %;" in lines[2]


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
    large = kit(
        pcp19=[(1.0,), (1.0,), (1.0, 90.0)],
        pcp21=[(1.0,), (1.0, 1.0), (1.0, 1.0)],
        pcp21s=[(1.0, 1.0)] * 3,
        hcp19=[(1.0, 1.0)] * 3,
    )
    both = {**results, **large, "Eurora | the same by its label": results[FIRST_FIT]}
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
            "no plan in 2 of 3 rounds, PCP'21 1, PCP'21s 0, HCP'19 0",
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
    results = {label: {} for label in labels}
    del results["KIT | EASY | R | 0"], results["like Eurora | SJF | D | 2"]
    said = not_run(results, studies)
    assert said == "Not run yet, and so not in the tables: SJF-D (like Eurora); EASY-R (KIT)."


@pytest.mark.shared
def test_the_page_is_what_was_measured(shared):
    studies = dispatch_studies(shared / "traces")
    results = read_results(STORE, studies)
    page = (ROOT / "docs" / PAGE).read_text(encoding="utf-8")
    parts = page_parts(results, saved_rounds(results), studies)
    assert filled(page, parts) == page, "Run python -m scripts.reproduce_dispatchers."
