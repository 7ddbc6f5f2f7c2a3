"""Tables of saved rounds: figures 6 to 9 of Galleguillos, Kiziltan and Soto, CP 2021, and plans for them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from packwise.optimise.cp.nodes.patience import PROOF
from scripts.dispatchers_results import SAME, Results, Rounds, Values, rounds_of
from scripts.page import table

#: For what has not been measured.
NOT_RUN = "*Not run yet.*"
#: What figure 9 says in words: of so many per cent of the rounds both ratios are below 1.
BOTH_BELOW = {"R": 88, "D": 93}
PLAN_HEAD = (
    *("", "better by, on average", "at most", "rounds better", "rounds worse"),
    "median ms of processor time",
)


def ratio_table(rounds: Mapping[str, Rounds]) -> str:
    """Figures 6 to 9 in numbers, with a verdict for each."""
    body = []
    for estimate, solved in rounds.items():
        everywhere = solved.of("sizes", "pcp21_by_formula") / solved.of("sizes", "pcp19_everywhere")
        seconds, fails = solved.ratio("seconds"), solved.ratio("fails")
        both = 100 * float(np.mean((seconds <= 1) & ~(fails > 1)))
        fails = fails[~np.isnan(fails)]
        variables = solved.ratio("variables")
        lines = (
            ("variables (figure 6)", variables, "all below 0.1", (variables < 0.1).all()),
            (
                "variables, with a copy on every node",
                everywhere,
                "all below 0.1",
                (everywhere < 0.1).all(),
            ),
            (
                "dispatch time (figure 7)",
                seconds,
                "almost all from 0.01 to 1",
                share(seconds, 0.01, 1) >= 90,
            ),
            (
                f"fails (figure 8), {len(fails)} rounds with any",
                fails,
                "almost all from 0 to 0.1",
                share(fails, 0, 0.1) >= 90,
            ),
        )
        for what, values, paper, held in lines:
            quartiles = [quantile(values, part) for part in (0, 0.25, 0.5, 0.75, 1)]
            below = f"{share(values, 0, 0.1):.0f} %, {share(values, 0, 1):.0f} %"
            body.append(
                [
                    f"{what}, -{estimate}",
                    paper,
                    *(f"{value:.3g}" for value in quartiles),
                    below,
                    verdict(bool(held)),
                ]
            )
        body.append(
            [
                f"neither time nor fails above 1 (figure 9), -{estimate}",
                f"{BOTH_BELOW[estimate]} % of rounds",
                *[""] * 5,
                f"{both:.0f} % of rounds",
                verdict(both >= BOTH_BELOW[estimate]),
            ]
        )
    head = ("PCP'21 / PCP'19", "paper", "least", "quarter", "half", "three quarters", "most")
    said = [_without_conflicts(estimate, solved) for estimate, solved in rounds.items()]
    return "\n\n".join([table((*head, "up to 0.1, up to 1", "verdict"), body), *said])


def _without_conflicts(estimate: str, solved: Rounds) -> str:
    """How often PCP'21 is stopped before it meets one."""
    none = solved.of("pcp21", "fails") == 0
    open_ = none & (solved.of("pcp21", "ended") != PROOF)
    return (
        f"With -{estimate} PCP'21 has no conflicts in {int(none.sum())} of {len(solved)} rounds; in "
        f"{int(open_.sum())} of these nothing is proven, so that the limit was spent before the search proper."
    )


def quantile(values: Values, part: float) -> float:
    """One of the values, which so large a part of them does not exceed: ratios may be infinite."""
    return float(np.quantile(values, part, method="inverted_cdf"))


def share(values: Values, low: float, high: float) -> float:
    """Per cent of the values."""
    return 100 * float(np.mean((values >= low) & (values <= high)))


def growth(rounds: Mapping[str, Rounds]) -> str:
    body = []
    for estimate, solved in rounds.items():
        sizes = {name: solved.of("sizes", name) for name in solved.solved["sizes"][0]}
        same = 100 * float(np.mean(sizes["pcp21_made"] == sizes["pcp21_made_grown"]))
        body.append(
            [
                f"-{estimate}, {len(solved)} rounds",
                *(f"{sizes[name].mean():,.0f}" for name in ("pcp19", "pcp19_grown")),
                *(f"{sizes[name].mean():,.0f}" for name in ("pcp21", "pcp21_grown")),
                f"{same:.0f} %",
            ]
        )
    head = ("mean variables", "PCP'19, 64 nodes", "640 nodes", "PCP'21, 64 nodes", "640 nodes")
    return table((*head, "rounds in which PCP'21 is as large"), body)


def plans(rounds: Mapping[str, Rounds]) -> str:
    """What each finds on the same rounds: against the best of three list plans."""
    body = []
    methods = (
        "pcp19",
        "pcp21",
        "pcp21 identical",
        "pcp21 lns",
        "pcp21s",
        "search 100",
        "search 1000",
    )
    said = []
    for estimate, solved in rounds.items():
        choice = solved.of("search 100", "started") > 0
        said.append(f"{int(choice.sum())} of the {len(solved)} rounds with -{estimate}")
        body += [
            [f"`{method}`, -{estimate}", *plan_cells(solved, method, choice)] for method in methods
        ]
    text = table(PLAN_HEAD, body)
    return f"{' and '.join(said)}: those in which the order search starts a job.\n\n{text}"


def plan_cells(solved: Rounds, method: str, choice: NDArray[np.bool_]) -> list[str]:
    """How a method's plans do on these rounds."""
    values = solved.quality(method)[choice]
    return [
        f"{100 * (1 - values.mean()):.2f} %",
        f"{100 * (1 - values.min()):.1f} %",
        f"{int((values < 1 - SAME).sum())} of {len(values)}",
        f"{int((values > 1 + SAME).sum())}",
        f"{1000 * np.median(solved.of(method, 'seconds')[choice]):,.0f}",
    ]


def long_plans(results: Results) -> str:
    """The paper's 16 s against the order search."""
    solved = rounds_of(results, "long rounds")
    if solved is None:
        return NOT_RUN
    choice = solved.of("search 200", "started") > 0
    body = [[f"`{method}`", *plan_cells(solved, method, choice)] for method in solved.solved]
    ours = solved.quality("search 200")[choice]
    theirs = [solved.quality(name)[choice] for name in solved.solved if name != "search 200"]
    gain = 1 - np.min(theirs, axis=0) / ours
    ahead = int((gain > SAME).sum())
    said = f"In {ahead} of {int(choice.sum())} rounds one of them finds a better plan than the order search"
    said += f", by up to {100 * gain.max():.2g} %." if ahead else "."
    return f"{said}{_left(solved, choice)}\n\n{table(PLAN_HEAD, body)}"


def _left(solved: Rounds, choice: NDArray[np.bool_]) -> str:
    """How far the best plans can be from the best there are, by bounds for a pool, which hold on nodes."""
    plans = np.min([solved.quality(name)[choice] for name in solved.solved], axis=0)
    names = [name for name in solved.solved if name.startswith("pcp21s")]
    bounds = np.max([solved.of(name, "bound")[choice] for name in names], axis=0)
    left = 100 * (1 - bounds / (plans * solved.of(names[0], "list")[choice]))
    return (
        " By the bounds of `pcp21s` the best plans of half of these rounds are within "
        f"{np.median(left):.0f} % of the best there are, of all of them within {left.max():.0f} %."
    )


def large_rounds(results: Results) -> str:
    """What becomes of each model on KIT's 1,173 nodes."""
    solved = rounds_of(results, "KIT rounds")
    if solved is None:
        return f"{NOT_RUN} {given_time(results)}"
    body = []
    for method in ("pcp19", "pcp21", "pcp21s", "hcp19"):
        found = solved.solved[method]
        without = sum(one["slowdown"] is None for one in found)
        sizes, seconds = solved.of(method, "variables"), solved.of(method, "seconds")
        body.append(
            [
                f"`{method}`",
                f"{np.median(sizes):,.0f}",
                f"{sizes.max():,.0f}",
                f"{without} of {len(found)}",
                f"{np.median(seconds):,.2f}",
                f"{seconds.max():,.1f}",
            ]
        )
    head = ("", "variables, median", "most", "rounds without a plan", "median s", "most s")
    return f"{table(head, body)}\n\n{given_time(results)}"


def given_time(results: Results) -> str:
    """What becomes of PCP'19 there in the paper's 16 s."""
    solved = rounds_of(results, "KIT long rounds")
    if solved is None:
        return "What PCP'19 does there with 16 s has not been run yet."
    found = solved.solved["pcp19"]
    without = sum(one["slowdown"] is None for one in found)
    better = int((solved.quality("pcp19") < 1 - SAME).sum())
    proven = [one["variables"] for one in found if one["ended"] == PROOF]
    others = [one["variables"] for one in found if one["ended"] != PROOF]
    text = (
        f"Given 16 s at once, PCP'19 is without a plan in {without} of {len(found)} such rounds, and better "
        f"than the list plan that it begins with in {better}. Proven to be the best is its plan in "
        f"{len(proven)}"
    )
    text += f" (up to {max(proven):,} variables)" if proven else ""
    return f"{text}, not in {len(others)} (from {min(others):,} on)." if others else f"{text}."


def verdict(held: bool) -> str:
    return "holds" if held else "**does not hold**"
