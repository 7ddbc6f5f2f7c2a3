"""Tables 1 and 2 and figures 5 to 10 of Galleguillos, Kiziltan and Soto, CP 2021, beside what they print.

    python -m scripts.reproduce_dispatchers --traces TRACES --store FILE [--docs DOCS]

Draws docs/images/dispatchers-*.png and fills in docs/heterogeneous-cp.md, between its markers, from what
``benchmarks.dispatchers`` has left in FILE.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.dispatchers import FIRST_FIT, RECORDED, dispatch_studies
from packwise.experiments.tables.claims import judge_claims
from packwise.experiments.tables.claims_text import claims_section
from packwise.files.output import atomic_output
from packwise.model.errors import PackwiseError
from scripts.dispatchers_pictures import Bar, plot_bars, plot_ratios, plot_scatter
from scripts.dispatchers_results import (
    Results,
    Rounds,
    Values,
    read_results,
    rounds_of,
    study_results,
)
from scripts.page import filled

ROOT = Path(__file__).resolve().parents[1]
PAGE = "heterogeneous-cp.md"

#: Milliseconds in which a decision was made, and seconds of a simulation: tables 1 and 2 of the paper.
PUBLISHED = {
    ("Eurora", "HCP'19", "D"): (392, 208231),
    ("Eurora", "PCP'19", "D"): (511, 271586),
    ("Eurora", "PCP'21", "D"): (209, 111373),
    ("Eurora", "HCP'19", "R"): (357, 189522),
    ("Eurora", "PCP'19", "R"): (469, 249367),
    ("Eurora", "PCP'21", "R"): (256, 136401),
    ("KIT", "HCP'19", "L2"): (278, 56083),
    ("KIT", "PCP'21s", "L2"): (334, 67471),
    ("KIT", "HCP'19", "R"): (269, 54289),
    ("KIT", "PCP'21s", "R"): (342, 69094),
}
#: What figure 9 says in words: of so many per cent of the rounds both ratios are below 1.
BOTH_BELOW = {"R": 88, "D": 93}
DISPATCHERS = ("HCP'19", "PCP'19", "PCP'21", "PCP'21s", "auto")
OTHERS = ("FCFS", "EASY", "SJF", "Packwise", "Packwise, balanced")


class Row(NamedTuple):
    """A line of a table: who, with which estimates, and what was measured."""

    policy: str
    estimate: str
    found: Results


def rows(results: Results, workload: str, policies: Sequence[str], estimates: str) -> Iterator[Row]:
    """What is there of these."""
    for estimate in estimates.split():
        for policy in policies:
            found = results.get(f"{workload} | {policy} | {estimate} | 0")
            if found is not None:
                yield Row(policy, estimate, found)


def markdown(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(line)} |" for line in body)])


def times(results: Results, workload: str, estimates: str) -> str:
    """Table 1 or 2: what decisions took, there and here, and what ended the searches."""
    body = []
    for policy, estimate, found in rows(results, workload, DISPATCHERS + OTHERS, estimates):
        paper = PUBLISHED.get((workload, policy, estimate))
        ended = found["ended"] or [0, 0, 0]
        solved = [f"{n:,}" for n in (found["solved"], *ended[:3])] if found["solved"] else [""] * 4
        body.append(
            [
                f"{policy}-{estimate}",
                f"{paper[0]:,}" if paper else "",
                f"{found['dispatch_ms']:,.3g}",
                f"{paper[1]:,}" if paper else "",
                f"{found['seconds']:,.3g}",
                *solved,
                f"{found['fallbacks']:,}" if found["solved"] else "",
            ]
        )
    head = (
        *("", "paper, ms a decision", "here, ms a decision", "paper, s in all", "here, s in all"),
        *("rounds solved", "proven", "no better plan", "longest limit", "fell back"),
    )
    return markdown(head, body)


def ratio_verdicts(results: Results) -> str:
    """What the paper concludes from Table 1."""
    body = []
    for estimate, against, saved in (
        ("D", "HCP'19", 47),
        ("D", "PCP'19", 59),
        ("R", "HCP'19", 28),
        ("R", "PCP'19", 45),
    ):
        pair = [results.get(f"Eurora | {name} | {estimate} | 0") for name in ("PCP'21", against)]
        if pair[0] is None or pair[1] is None:
            continue
        ours = 100 * (1 - pair[0]["dispatch_ms"] / pair[1]["dispatch_ms"])
        body.append(
            [
                f"PCP'21-{estimate} decides faster than {against}-{estimate}",
                f"by {saved} %",
                f"by {ours:.0f} %" if ours > 0 else f"slower by {-ours:.0f} %",
                "holds" if ours > 0 else "**does not hold**",
            ]
        )
    return markdown(("claim (section 5.1, table 1)", "paper", "here", "verdict"), body)


def qualities(results: Results, workload: str, estimates: str) -> str:
    """Figure 5 or 10 in numbers."""
    body = []
    for policy, estimate, found in rows(results, workload, OTHERS + DISPATCHERS, estimates):
        body.append([f"{policy}-{estimate}", *quality_cells(found), feasible(found)])
    if workload == "Eurora":
        body.insert(0, ["as it was (PBS)", *quality_cells(results[RECORDED]), ""])
        body.insert(
            1, ["FCFS, first fit", *quality_cells(results[FIRST_FIT]), feasible(results[FIRST_FIT])]
        )
    head = ("", "mean slowdown", "one std. deviation", "mean wait, s", "one std. deviation")
    return markdown((*head, "longest wait, s", "checked"), body)


def quality_cells(found: Results) -> list[str]:
    names = ("slowdown", "slowdown_sd", "wait", "wait_sd", "max_wait")
    digits = (".2f", ",.1f", ",.0f", ",.0f", ",.0f")
    return [f"{found[name]:{form}}" for name, form in zip(names, digits, strict=True)]


def feasible(found: Results) -> str:
    return "passes" if found["feasible"] else "**fails**"


def bars(results: Results, workload: str, estimates: str) -> dict[str, list[Bar]]:
    there = list(rows(results, workload, OTHERS + DISPATCHERS, estimates))
    panels: dict[str, list[Bar]] = {}
    for title, name in (("mean slowdown", "slowdown"), ("mean wait, s", "wait")):
        first = [Bar("as it was", "", results[RECORDED][name], results[RECORDED][f"{name}_sd"])]
        panels[title] = first if workload == "Eurora" else []
        panels[title] += [
            Bar(row.policy, row.estimate, row.found[name], row.found[f"{name}_sd"]) for row in there
        ]
    return panels


def like_eurora(results: Results) -> str:
    """Means over the workloads like Eurora's."""
    body = []
    for estimate in ("R", "D"):
        for policy in OTHERS + DISPATCHERS:
            found = [results.get(f"like Eurora | {policy} | {estimate} | {k}") for k in (1, 2, 3)]
            there = [one for one in found if one is not None]
            if len(there) < len(found):
                continue
            means = [float(np.mean([one[name] for one in there])) for name in ("slowdown", "wait")]
            ms = 1000 * sum(one["seconds"] for one in there) / sum(one["rounds"] for one in there)
            body.append(
                [f"{policy}-{estimate}", f"{means[0]:.3f}", f"{means[1]:,.0f}", f"{ms:,.3g}"]
            )
    return markdown(("", "mean slowdown", "mean wait, s", "ms a decision"), body)


def ratio_table(rounds: dict[str, Rounds]) -> str:
    """Figures 6 to 9 in numbers, with a verdict for each."""
    body = []
    for estimate, solved in rounds.items():
        everywhere = solved.of("sizes", "pcp21_by_formula") / solved.of("sizes", "pcp19_everywhere")
        seconds, fails = solved.ratio("seconds"), solved.ratio("fails")
        both = 100 * float(np.mean((seconds < 1) & (fails < 1)))
        variables = solved.ratio("variables")
        lines = (
            ("variables (figure 6)", variables, "all below 0.1", (variables < 0.1).all()),
            (
                "variables, as the paper counts them",
                everywhere,
                "all below 0.1",
                (everywhere < 0.1).all(),
            ),
            (
                "dispatch time (figure 7)",
                seconds,
                "almost all from 0.01 to 1",
                share(seconds, 0.01, 1) > 90,
            ),
            ("fails (figure 8)", fails, "almost all from 0 to 0.1", share(fails, 0, 0.1) > 90),
        )
        for what, values, paper, held in lines:
            quartiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
            below = f"{100 * float(np.mean(values < 0.1)):.0f} %, {100 * float(np.mean(values < 1)):.0f} %"
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
                f"time and fails both below 1 (figure 9), -{estimate}",
                f"{BOTH_BELOW[estimate]} % of rounds",
                *[""] * 5,
                f"{both:.0f} % of rounds",
                verdict(both >= BOTH_BELOW[estimate]),
            ]
        )
    head = ("PCP'21 / PCP'19", "paper", "least", "quarter", "half", "three quarters", "most")
    return markdown((*head, "below 0.1, below 1", "verdict"), body)


def share(values: Values, low: float, high: float) -> float:
    """Per cent of the values."""
    return 100 * float(np.mean((values >= low) & (values <= high)))


def verdict(held: bool) -> str:
    return "holds" if held else "**does not hold**"


def growth(rounds: dict[str, Rounds]) -> str:
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
    head = ("", "PCP'19, 64 nodes", "640 nodes", "PCP'21, 64 nodes", "640 nodes")
    return markdown((*head, "rounds in which PCP'21 is as large"), body)


def plans(rounds: dict[str, Rounds]) -> str:
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
    for estimate, solved in rounds.items():
        choice = solved.of("search 100", "started") > 0
        for method in methods:
            values = solved.quality(method)[choice]
            milliseconds = 1000 * solved.of(method, "seconds")[choice]
            body.append(
                [
                    f"`{method}`, -{estimate}",
                    f"{100 * (1 - values.mean()):.2f} %",
                    f"{100 * (1 - values.min()):.1f} %",
                    f"{100 * float(np.mean(values < 1 - 1e-9)):.0f} %",
                    f"{100 * float(np.mean(values > 1 + 1e-9)):.0f} %",
                    f"{np.median(milliseconds):,.0f}",
                ]
            )
    head = ("", "better by, on average", "at most", "rounds better", "rounds worse", "median ms")
    return markdown(head, body)


def long_plans(results: Results) -> str:
    """The paper's 16 s against the order search."""
    solved = rounds_of(results, "long rounds")
    choice = solved.of("search 200", "started") > 0
    body = []
    for method in solved.solved:
        values = solved.quality(method)[choice]
        body.append(
            [
                f"`{method}`",
                f"{100 * (1 - values.mean()):.2f} %",
                f"{100 * (1 - values.min()):.1f} %",
                f"{1000 * np.median(solved.of(method, 'seconds')[choice]):,.0f}",
            ]
        )
    text = markdown(("", "better by, on average", "at most", "median ms"), body)
    return f"{int(choice.sum())} rounds.\n\n{text}"


def large_rounds(results: Results) -> str:
    """What becomes of each model on KIT's 1,173 nodes."""
    solved = rounds_of(results, "KIT rounds")
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
    return markdown(head, body)


def ours(results: Results) -> str:
    """``packwise`` beside the best dispatcher of the paper."""
    body = []
    for workload, estimates in (("Eurora", "R D"), ("KIT", "R L2")):
        for estimate in estimates.split():
            found = {
                row.policy: row.found
                for row in rows(results, workload, (*DISPATCHERS, "Packwise"), estimate)
            }
            theirs = {name: one for name, one in found.items() if name != "Packwise"}
            if not theirs or "Packwise" not in found:
                continue
            best = min(theirs, key=lambda name: theirs[name]["slowdown"])
            mine = found["Packwise"]
            compared = "PCP'21" if "PCP'21" in found else "PCP'21s"
            body.append(
                [
                    f"{workload}-{estimate}",
                    f"{best}, {theirs[best]['slowdown']:.2f}",
                    f"{mine['slowdown']:.2f}",
                    f"{mine['slowdown'] / theirs[best]['slowdown']:.3f}",
                    verdict(mine["slowdown"] <= theirs[best]["slowdown"]),
                    f"{found[compared]['dispatch_ms'] / mine['dispatch_ms']:,.0f} times {compared}'s",
                ]
            )
    head = ("", "best dispatcher, slowdown", "`packwise`", "ratio", "at least as good")
    return markdown((*head, "speed of `packwise`"), body)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    arguments = parser.parse_args()
    results = read_results(arguments.store)
    rounds = {
        "R": rounds_of(results, "rounds | exact"),
        "D": rounds_of(results, "rounds | data-driven"),
    }
    images = arguments.docs / "images"
    plot_bars(bars(results, "Eurora", "R D"), images / "dispatchers-eurora.png")
    plot_bars(bars(results, "KIT", "R L2"), images / "dispatchers-kit.png")
    plot_ratios(rounds, images / "dispatchers-ratios.png")
    plot_scatter(rounds, images / "dispatchers-scatter.png")
    parts = {
        "times eurora": times(results, "Eurora", "D R") + "\n\n" + ratio_verdicts(results),
        "qualities eurora": qualities(results, "Eurora", "R D"),
        "like eurora": like_eurora(results),
        "ratios": ratio_table(rounds),
        "growth": growth(rounds),
        "times kit": times(results, "KIT", "L2 R"),
        "qualities kit": qualities(results, "KIT", "R L2"),
        "large rounds": large_rounds(results),
        "plans": plans(rounds),
        "long plans": long_plans(results),
        "ours": ours(results),
    }
    for name, study in zip(("eurora", "kit"), dispatch_studies(arguments.traces), strict=True):
        judged = study_results(study, results)
        text = claims_section(judged, judge_claims(judged)).partition("\n\n")[2]
        parts[f"claims {name}"] = text
    page = arguments.docs / PAGE
    text = filled(page.read_text(encoding="utf-8"), parts)
    with atomic_output(page) as file:
        file.write(text.encode())
    print(f"Wrote {page} and its figures.")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except PackwiseError as error:
        raise SystemExit(f"error: {error}") from error
