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
from packwise.experiments.study import Study
from packwise.experiments.tables.claims import judge_claims
from packwise.experiments.tables.claims_text import claims_section
from packwise.files.output import atomic_output
from packwise.model.errors import PackwiseError
from scripts.dispatchers_pictures import Mean, plot_means, plot_ratios, plot_scatter
from scripts.dispatchers_results import (
    Results,
    Rounds,
    Values,
    label_of,
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
#: What the paper says of tables 1 and 2: the first decides faster than the second.
FASTER = (
    ("Eurora", ("PCP'21", "D"), ("HCP'19", "D")),
    ("Eurora", ("PCP'21", "D"), ("PCP'19", "D")),
    ("Eurora", ("PCP'21", "R"), ("HCP'19", "R")),
    ("Eurora", ("PCP'21", "R"), ("PCP'19", "R")),
    ("Eurora", ("PCP'21", "D"), ("PCP'21", "R")),
    ("KIT", ("HCP'19", "L2"), ("PCP'21s", "L2")),
    ("KIT", ("HCP'19", "R"), ("PCP'21s", "R")),
)
#: What figure 9 says in words: of so many per cent of the rounds both ratios are below 1.
BOTH_BELOW = {"R": 88, "D": 93}
PAPERS = ("HCP'19", "PCP'19", "PCP'21", "PCP'21s")
DISPATCHERS = (*PAPERS, "PCP'21 alone", "auto")
NOT_RUN = "*Not run yet.*"
#: Times that differ by no more than this are about the same.
CLOSE = 0.1
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


def number(value: float) -> str:
    """Three digits, or all that are before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(line)} |" for line in body)])


def times(results: Results, workload: str, estimates: str) -> str:
    """Table 1 or 2: what decisions took, there and here, and what ended the searches."""
    body = []
    for policy, estimate, found in rows(results, workload, DISPATCHERS + OTHERS, estimates):
        paper = PUBLISHED.get((workload, policy, estimate))
        solved = [""] * 6
        if found["solved"]:
            solved = [f"{n:,}" for n in (found["solved"], *found["ended"][:3], found["fallbacks"])]
            solved.append(f"{100 * found['notes']['improved']:.0f} %")
        body.append(
            [
                f"{policy}-{estimate}",
                f"{paper[0]:,}" if paper else "",
                number(found["dispatch_ms"]),
                f"{paper[1]:,}" if paper else "",
                number(found["seconds"]),
                *solved,
            ]
        )
    head = (
        *("", "paper, ms a decision", "here, ms a decision", "paper, s in all", "here, s in all"),
        *(
            "rounds solved",
            "best plan proven",
            "no better plan for two extensions",
            "longest limit",
        ),
        *("no plan", "better than the lists"),
    )
    return markdown(head, body)


def ratio_verdicts(results: Results, workload: str) -> str:
    """What the paper concludes from Table 1 or 2, as far as both have been measured."""
    body = []
    for log, fast, slow in FASTER:
        pair = [results.get(f"{log} | {one[0]} | {one[1]} | 0") for one in (fast, slow)]
        if log != workload or pair[0] is None or pair[1] is None:
            continue
        published = PUBLISHED[log, *fast][0] / PUBLISHED[log, *slow][0]
        found = pair[0]["dispatch_ms"] / pair[1]["dispatch_ms"]
        close = abs(found - 1) <= CLOSE
        body.append(
            [
                f"{'-'.join(fast)} decides faster than {'-'.join(slow)}",
                f"{published:.2f}",
                f"{found:.2f}",
                "about the same" if close else verdict(found < 1),
            ]
        )
    return markdown(("claim", "paper, ratio", "here, ratio", "verdict"), body)


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


def means(results: Results, workload: str, estimates: str) -> dict[str, list[Mean]]:
    there = list(rows(results, workload, OTHERS + DISPATCHERS, estimates))
    panels: dict[str, list[Mean]] = {}
    for title, name in (("mean slowdown", "slowdown"), ("mean wait, s", "wait")):
        panels[title] = []
        if workload == "Eurora":
            then = results[RECORDED]
            panels[title].append(Mean("as it was", "", then[name], then[f"{name}_sd"]))
        panels[title] += [
            Mean(row.policy, row.estimate, row.found[name], row.found[f"{name}_sd"])
            for row in there
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
            body.append([f"{policy}-{estimate}", f"{means[0]:.3f}", f"{means[1]:,.0f}", number(ms)])
    return markdown(("", "mean slowdown", "mean wait, s", "ms a decision"), body)


def ratio_table(rounds: dict[str, Rounds]) -> str:
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
            quartiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], method="inverted_cdf")
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
    return markdown((*head, "up to 0.1, up to 1", "verdict"), body)


def share(values: Values, low: float, high: float) -> float:
    """Per cent of the values."""
    return 100 * float(np.mean((values >= low) & (values <= high)))


def verdict(held: bool) -> str:
    return "holds" if held else "**does not hold**"


def other_claims(results: Results, rounds: dict[str, Rounds]) -> str:
    """What the paper says beside its tables and figures, as far as it has been measured."""
    body = []
    d = {row.policy: row.found for row in rows(results, "Eurora", PAPERS[:3], "D")}
    if len(d) == 3:
        least = min(d, key=lambda name: d[name]["slowdown_sd"])
        body.append(
            [
                "with D the slowdown deviates least under PCP'21 (section 5.1)",
                ", ".join(f"{name} {one['slowdown_sd']:.1f}" for name, one in d.items()),
                verdict(least == "PCP'21"),
            ]
        )
    both = [results.get(f"Eurora | PCP'21 | {estimate} | 0") for estimate in "RD"]
    if both[0] is not None and both[1] is not None:
        r, d_too = (one["slowdown"] for one in both)
        body.append(
            [
                "PCP'21 finds better solutions with R than with D (section 5.1)",
                f"slowdown {r:.2f} and {d_too:.2f}",
                verdict(r < d_too),
            ]
        )
    for estimate, solved in rounds.items():
        same = solved.quality("pcp21") / solved.quality("pcp19")
        part = 100 * float(np.mean(np.abs(same - 1) < 1e-9))
        body.append(
            [
                f"PCP'21 and PCP'19 decide equally well in the vast majority of rounds, -{estimate} "
                "(section 5.1)",
                f"in {part:.0f} %",
                verdict(part >= 90),
            ]
        )
    kit = rounds_of(results, "KIT rounds")
    if kit is not None:
        times = [float(kit.of(method, "seconds").mean()) for method in ("pcp21s", "pcp21")]
        body.append(
            [
                "PCP'21s decides faster than PCP'21 on KIT (section 5.2)",
                f"on the same rounds {1000 * times[0]:,.0f} and {1000 * times[1]:,.0f} ms on average",
                verdict(times[0] < times[1]),
            ]
        )
    return markdown(("claim", "here", "verdict"), body)


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
    head = ("mean variables", "PCP'19, 64 nodes", "640 nodes", "PCP'21, 64 nodes", "640 nodes")
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
    said = []
    for estimate, solved in rounds.items():
        choice = solved.of("search 100", "started") > 0
        said.append(f"{int(choice.sum())} of the {len(solved)} rounds (-{estimate})")
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
    return f"In {' and in '.join(said)} the order search starts anybody.\n\n{markdown(head, body)}"


def long_plans(results: Results) -> str:
    """The paper's 16 s against the order search."""
    solved = rounds_of(results, "long rounds")
    if solved is None:
        return NOT_RUN
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
    if solved is None:
        return NOT_RUN
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
    return f"{markdown(head, body)}\n\n{given_time(results)}"


def given_time(results: Results) -> str:
    """What becomes of PCP'19 there in the paper's 16 s."""
    solved = rounds_of(results, "KIT long rounds")
    if solved is None:
        return NOT_RUN
    found = solved.solved["pcp19"]
    without = sum(one["slowdown"] is None for one in found)
    sizes = [one["variables"] for one in found if one["slowdown"] is None]
    least = f", the smallest of {min(sizes):,} variables" if sizes else ""
    return f"Given 16 s, PCP'19 is without a plan in {without} of {len(found)} such rounds{least}."


def ours(results: Results) -> str:
    """``packwise`` beside the best dispatcher of the paper."""
    body = []
    for workload, estimates in (("Eurora", "R D"), ("KIT", "R L2")):
        for estimate in estimates.split():
            found = {
                row.policy: row.found
                for row in rows(results, workload, (*PAPERS, "SJF", "Packwise"), estimate)
            }
            theirs = {name: one for name, one in found.items() if name in PAPERS}
            if not theirs or "Packwise" not in found:
                continue
            best = min(theirs, key=lambda name: theirs[name]["slowdown"])
            mine = found["Packwise"]
            compared = "PCP'21" if "PCP'21" in found else "PCP'21s"
            body.append(
                [
                    f"{workload}-{estimate}",
                    f"{best}, {theirs[best]['slowdown']:.2f}",
                    f"{found['SJF']['slowdown']:.2f}",
                    f"{mine['slowdown']:.2f}",
                    f"{mine['slowdown'] / theirs[best]['slowdown']:.3f}",
                    verdict(mine["slowdown"] <= theirs[best]["slowdown"]),
                    f"{found[compared]['dispatch_ms'] / mine['dispatch_ms']:,.0f} times {compared}'s",
                ]
            )
    head = (
        *("", "best dispatcher, slowdown", "shortest job first", "`packwise`"),
        *("ratio to the best dispatcher", "at least as good"),
    )
    return markdown((*head, "speed of `packwise`"), body)


def not_run(results: Results, studies: Sequence[Study]) -> str:
    """Which scenarios of the studies are not in the tables yet."""
    missing: dict[str, list[str]] = {}
    for study in studies:
        for scenario in study.scenarios:
            if label_of(scenario) not in results:
                labels = scenario.labels
                missing.setdefault(f"{labels.policy}-{labels.estimate}", []).append(labels.workload)
    if not missing:
        return "All scenarios of the two studies are in the tables."
    parts = [f"{who} ({', '.join(dict.fromkeys(where))})" for who, where in missing.items()]
    return f"Not run yet, and so not in the tables: {'; '.join(parts)}."


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    arguments = parser.parse_args()
    studies = dispatch_studies(arguments.traces)
    results = read_results(arguments.store, studies)
    rounds = {
        estimate: solved
        for estimate, name in (("R", "exact"), ("D", "data-driven"))
        if (solved := rounds_of(results, f"rounds | {name}"))
    }
    images = arguments.docs / "images"
    plot_means(means(results, "Eurora", "R D"), images / "dispatchers-eurora.png")
    plot_means(means(results, "KIT", "R L2"), images / "dispatchers-kit.png")
    if rounds:
        plot_ratios(rounds, images / "dispatchers-ratios.png")
        plot_scatter(rounds, images / "dispatchers-scatter.png")
    parts = {
        "not run": not_run(results, studies),
        "times eurora": times(results, "Eurora", "D R")
        + "\n\n"
        + ratio_verdicts(results, "Eurora"),
        "qualities eurora": qualities(results, "Eurora", "R D"),
        "like eurora": like_eurora(results),
        "ratios": ratio_table(rounds),
        "other claims": other_claims(results, rounds),
        "growth": growth(rounds),
        "times kit": times(results, "KIT", "L2 R") + "\n\n" + ratio_verdicts(results, "KIT"),
        "qualities kit": qualities(results, "KIT", "R L2"),
        "large rounds": large_rounds(results),
        "plans": plans(rounds),
        "long plans": long_plans(results),
        "ours": ours(results),
    }
    for name, study in zip(("eurora", "kit"), studies, strict=True):
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
