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
from packwise.readable import number
from scripts.dispatchers_pictures import Mean, plot_means, plot_ratios, plot_scatter
from scripts.dispatchers_results import (
    Results,
    Rounds,
    label_of,
    read_results,
    rounds_of,
    study_results,
)
from scripts.dispatchers_rounds_tables import (
    growth,
    large_rounds,
    long_plans,
    plans,
    ratio_table,
    verdict,
)
from scripts.page import filled, table

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
PAPERS = ("HCP'19", "PCP'19", "PCP'21", "PCP'21s")
DISPATCHERS = (*PAPERS, "PCP'21 alone", "auto")
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
    return table(head, body)


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
    return table(("claim", "paper, ratio", "here, ratio", "verdict"), body)


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
    return table((*head, "longest wait, s", "checked"), body)


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
    return table(("", "mean slowdown", "mean wait, s", "ms a decision"), body)


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
    return table(("claim", "here", "verdict"), body)


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
    return table((*head, "speed of `packwise`"), body)


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
