"""Tables of saved rounds: figures 6 to 9 of Galleguillos, Kiziltan and Soto, CP 2021, and plans for them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from packwise.optimise.cp.nodes.effort import LONGEST, NO_BETTER
from packwise.optimise.cp.nodes.methods import METHODS
from scripts.dispatchers_results import SAME, Results, Rounds, Values, rounds_of
from scripts.page import table

#: For what has not been measured.
NOT_RUN = "*Not run yet.*"
#: What figure 9 says in words: of so many per cent of the rounds both ratios are below 1.
BOTH_BELOW = {"R": 88, "D": 93}


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
    return table((*head, "up to 0.1, up to 1", "verdict"), body)


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
        same = 100 * float(np.mean(sizes["pcp21"] == sizes["pcp21_grown"]))
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


def first_limits(rounds: Mapping[str, Rounds]) -> str:
    """What the first limit took, where a search used it up: what the branches of a second are here."""
    told = []
    for title, name in (
        ("HCP'19", "hcp19"),
        ("PCP'19", "pcp19"),
        ("PCP'21", "pcp21"),
        ("PCP'21s", "pcp21s"),
    ):
        used = [
            one
            for solved in rounds.values()
            for one in solved.solved[name]
            if one["ended"] in (NO_BETTER, LONGEST)
        ]
        if used:
            a_branch = sum(one["seconds"] for one in used) / sum(one["branches"] for one in used)
            told.append(f"{title} {METHODS[name].effort.branches * a_branch:.2f} s")
    return (
        f"In the saved rounds that use it up the first limit takes: {', '.join(told)}."
        if told
        else NOT_RUN
    )


def plans(rounds: Mapping[str, Rounds]) -> str:
    """What each finds on the same rounds: against the best of three list plans."""
    body = []
    for estimate, solved in rounds.items():
        for method in ("pcp19", "pcp21", "pcp21s", "search 100", "search 1000"):
            values = solved.quality(method)
            there = values[~np.isnan(values)]
            body.append(
                [
                    f"`{method}`, -{estimate}",
                    f"{len(values) - len(there)} of {len(values)}",
                    f"{100 * (1 - there.mean()):.2f} %",
                    f"{100 * (1 - there.min()):.1f} %",
                    f"{int((there < 1 - SAME).sum())}",
                    f"{int((there > 1 + SAME).sum())}",
                    f"{1000 * np.median(solved.of(method, 'seconds')):,.0f}",
                ]
            )
    head = ("", "rounds without a plan", "better by, on average", "at most", "rounds better")
    return table((*head, "rounds worse", "median ms of processor time"), body)


def large_rounds(results: Results) -> str:
    """What becomes of each model on KIT's 1,173 nodes."""
    solved = rounds_of(results, "KIT rounds")
    if solved is None:
        return NOT_RUN
    body = []
    for method in ("pcp19", "pcp21", "pcp21s", "hcp19"):
        found = solved.solved[method]
        without = sum(bool(one.get("unsolved", 1)) for one in found)
        sizes, seconds = solved.of(method, "variables"), solved.of(method, "seconds")
        body.append(
            [
                f"`{method}`",
                f"{np.nanmedian(sizes):,.0f}",
                f"{np.nanmax(sizes):,.0f}",
                f"{without} of {len(found)}",
                f"{np.median(seconds):,.2f}",
                f"{seconds.mean():,.2f}",
                f"{seconds.max():,.1f}",
            ]
        )
    head = ("", "variables, median", "most", "rounds without a plan", "median s", "mean s")
    return table((*head, "most s"), body)


def verdict(held: bool) -> str:
    return "holds" if held else "**does not hold**"
