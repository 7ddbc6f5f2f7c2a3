"""Write docs/profit-and-cooling.md and its pictures: python -m scripts.profit_case

From what ``python -m benchmarks.profit_case`` and ``python -m benchmarks.profit_instances`` have measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import profit_instances
from benchmarks.dispatchers_store import Store
from benchmarks.profit_case import (
    DAYS,
    PLAIN_JOBS,
    PLAIN_SECONDS,
    SCENARIOS,
    SEARCHES,
    STORE,
    VARIANTS,
    VARIED,
    key_of,
)
from packwise.pictures.canvas import GREY, picture
from packwise.planning import RULES
from scripts.page import filled, table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "profit-and-cooling.md"
SUMS, GAINS = (
    ROOT / "docs" / "images" / f"profit-{name}.png" for name in ("over-time", "by-search")
)
#: The paper's tables 1 to 3: profit %, makespan %, PUE of the search and of the rule; EUR a day; % a second.
PAPER = {
    "winter-air": (7.71, 1.85, 1.11, 1.11, 20144.28, (0.0030658, 0.0000001, 0.0000003)),
    "summer-air": (7.66, 1.85, 1.43, 1.43, 20222.91, (0.0031243, 0.0000005, -0.0000003)),
    "winter-hybrid": (7.86, 1.85, 1.00, 1.00, 20227.90, (0.0031372, 0.0000001, -0.0000001)),
    "summer-hybrid": (7.95, 1.85, 1.09, 1.09, 20249.67, (0.0031320, -0.0000009, 0.0000002)),
}
LABELS = {
    "heuristic": "job-based heuristic",
    "multi": "MultiSearch",
    "delay": "DelaySearch",
    "relaxation": "RelaxationSearch",
    "ours": "ours",
}
#: The paper's time to the best plan of a day, and the days on which that is better than MultiSearch's.
TO_BEST = {
    "multi": ("", ""),
    "delay": ("601 s", "48 %"),
    "relaxation": ("75 s", "8.5 %"),
    "ours": ("", ""),
}
#: A search that was better on fewer days has no time to its best plan to speak of.
SEARCHED = 5
THE_PAPERS = ("multi", "delay", "relaxation")
COLOURS = {
    "multi": "#56B4E9",
    "delay": "#0072B2",
    "relaxation": "#009E73",
    "ours": "#D55E00",
}

MACHINES = {
    "nodes": "300 nodes, as above",
    "pool": "9,600 cores, nodes or not",
    "pool-requested": "the same, requested times",
    "500-nodes": "500 nodes",
    "700-nodes": "700 nodes",
    "memory": "300 nodes with memory",
}

Known = dict[str, Any]


def of(known: Known, scenario: str, method: str, variant: str = "nodes") -> Known:
    found: Known = known[key_of(variant, scenario, method)]
    return found


def best_of(known: Known, scenario: str, methods: Any) -> str:
    """Who earns most by the last submission."""
    return str(max(methods, key=lambda name: of(known, scenario, name)["profit_at_23"]))


def gain(one: Known, rule: Known, what: str = "profit_at_23") -> float:
    """Per cent above the rule."""
    return float(100 * (one[what] / rule[what] - 1))


def table_1(known: Known) -> str:
    rows = []
    for scenario in SCENARIOS:
        rule = of(known, scenario, best_of(known, scenario, RULES))
        paper = of(known, scenario, best_of(known, scenario, THE_PAPERS))
        ours = of(known, scenario, "ours")
        told = PAPER[scenario]
        rows.append(
            [
                scenario,
                f"{told[0]:.2f} %",
                f"{gain(paper, rule):.2f} %",
                f"{gain(ours, rule):.2f} %",
                f"{told[1]:.2f} %",
                f"{100 * (1 - paper['makespan'] / rule['makespan']):.2f} %",
                f"{100 * (1 - ours['makespan'] / rule['makespan']):.2f} %",
                f"{told[2]:.2f} / {told[3]:.2f}",
                f"{paper['pue']:.2f} / {rule['pue']:.2f}",
            ]
        )
    head = [
        "scenario",
        "profit: paper",
        "its best search here",
        "ours here",
        "makespan: paper",
        "its best search here",
        "ours here",
        "PUE, search / rule: paper",
        "here",
    ]
    return table(head, rows)


def table_2(known: Known) -> str:
    rows = []
    for scenario in SCENARIOS:
        rule = of(known, scenario, best_of(known, scenario, RULES))
        paper = of(known, scenario, best_of(known, scenario, THE_PAPERS))
        daily = [
            (one["profit_at_23"] - rule["profit_at_23"]) / DAYS
            for one in (paper, of(known, scenario, "ours"))
        ]
        rows.append([scenario, f"{PAPER[scenario][4]:,.0f}", *(f"{each:,.0f}" for each in daily)])
    return table(["scenario", "paper, EUR a day", "its best search here", "ours here"], rows)


def table_3(known: Known) -> str:
    rows = []
    for scenario in SCENARIOS:
        rule = of(known, scenario, best_of(known, scenario, RULES))
        multi = of(known, scenario, "multi")
        cells = [f"{PAPER[scenario][5][0]:.4f}", efficiency(gain(multi, rule), multi)]
        for place, method in enumerate(("delay", "relaxation"), 1):
            one = of(known, scenario, method)
            cells += [
                f"{PAPER[scenario][5][place]:.1e}",
                efficiency(gain(one, multi), one, SEARCHED),
            ]
        rows.append([scenario, *cells])
    head = ["scenario"]
    for name in THE_PAPERS:
        head += [f"{LABELS[name]}: paper", "here"]
    return table(head, rows)


def efficiency(more: float, one: Known, least: int = 0) -> str:
    """Per cent of improvement for each second until the best plan of a day, by the mean over the days; none
    where hardly any day was improved, so that there is no time to speak of.
    """
    if one["improved"] < least:
        return f"better on {one['improved']} of {one['days']} days"
    seconds = one["seconds_to_best"]
    return f"{more / seconds:+.2f} ({more:+.3f} % in {seconds:.2f} s)"


def to_best(known: Known) -> str:
    """How long each search takes to its best plan of a day, and on how many days it beats MultiSearch."""
    rows = []
    for method, (seconds, days) in TO_BEST.items():
        found = [of(known, scenario, method) for scenario in SCENARIOS]
        times = [one["seconds_to_best"] for one in found]
        shares = [100 * one["improved"] / one["days"] for one in found]
        better = f"{min(shares):.0f} to {max(shares):.0f} %" if method != "multi" else ""
        hardly = method != "multi" and max(one["improved"] for one in found) < SEARCHED
        took = "hardly ever better" if hardly else f"{min(times):.2f} to {max(times):.2f} s"
        rows.append([LABELS[method], seconds, took, days, better])
    head = [
        "search",
        "to the best plan of a day: paper",
        "here, mean over the days",
        "days better than MultiSearch: paper",
        "here",
    ]
    return table(head, rows)


def readings(known: Known) -> str:
    """How many jobs other readings of the paper's sentence give."""
    rows = [
        [one["zone"], one["cores"], one["most"], f"{one['ran']:,}", f"{one['all']:,}"]
        for one in known["readings"]["rows"]
    ]
    head = ["midnight in", "cores of a job", "at most", "jobs that ran", "all jobs"]
    return table(head, rows)


def methods_table(known: Known, scenario: str) -> str:
    """All methods under a scenario."""
    best = of(known, scenario, best_of(known, scenario, RULES))
    rows = []
    for name in (*RULES, *SEARCHES):
        one = of(known, scenario, name)
        days = (
            f"{one['improved']} of {one['days']}" if name in ("delay", "relaxation", "ours") else ""
        )
        rows.append(
            [
                LABELS.get(name, f"`{name}`"),
                f"{one['profit_at_23']:,.0f}",
                f"{gain(one, best):+.2f} %",
                f"{100 * one['use']:.2f} %",
                f"{one['makespan']:.1f} d",
                f"{one['wait']:.0f} h",
                days,
                f"{one['seconds']:.0f} s",
            ]
        )
    head = [
        "method",
        f"EUR by day {DAYS}",
        "against the best rule",
        "cores in use until then",
        "makespan",
        "mean wait",
        "days on which it improved MultiSearch",
        "time",
    ]
    return table(head, rows)


def sensitivity(known: Known) -> str:
    rows = []
    for variant in ("nodes", *VARIANTS):
        rule, multi, ours = (of(known, "summer-air", name, variant) for name in VARIED)
        rows.append(
            [
                MACHINES[variant],
                f"{100 * rule['use']:.2f} %",
                f"{rule['makespan']:.1f} d",
                f"{gain(multi, rule):+.2f} %",
                f"{gain(ours, rule):+.2f} %",
                f"{multi['makespan']:.1f} d",
                f"{multi['slowest_day']:.2f} s",
            ]
        )
    head = [
        "machine",
        "cores in use, `rule-est`",
        "its makespan",
        "MultiSearch, profit",
        "ours, profit",
        "MultiSearch, makespan",
        "its slowest day",
    ]
    return table(head, rows)


def plain_table(known: Known) -> str:
    rows = []
    for variant in ("pool", "nodes"):
        for jobs in PLAIN_JOBS:
            one = known[f"cp|{variant}|{jobs}"]
            found = f"{one['cp']:,.2f} EUR, {one['cp jobs']} jobs" if one["cp jobs"] else "nothing"
            rows.append(
                [variant, f"{jobs:,}", found, f"{one['multi']:,.2f} EUR, {one['multi jobs']} jobs"]
            )
    return table(["", "jobs", f"CP-SAT alone, {PLAIN_SECONDS} s", "MultiSearch"], rows)


def instances(known: Known) -> str:
    rows = []
    for log, first, value in profit_instances.cases():
        one = known[profit_instances.key_of(log, first, value)]
        best = min(one["ours 4"], one["ours 15"])
        rows.append(
            [
                f"{log}, jobs from {first:,} on, value {value:g}",
                f"{one['multi 4']:.2f}",
                *(
                    f"{one[f'{name} {s}']:.2f}"
                    for s in profit_instances.SECONDS
                    for name in ("delay", "ours")
                ),
                f"{one['bound']:.2f}",
                f"{100 * (1 - one['bound'] / best):.1f} %",
            ]
        )
    head = [
        "600 jobs",
        "MultiSearch",
        "DelaySearch 4 s",
        "ours 4 s",
        "DelaySearch 15 s",
        "ours 15 s",
        "bound",
        "gap",
    ]
    return table(head, rows)


def won(known: Known, seconds: int) -> int:
    """Instances on which ours is no worse than DelaySearch."""
    return sum(
        known[profit_instances.key_of(*one)][f"ours {seconds}"]
        <= known[profit_instances.key_of(*one)][f"delay {seconds}"]
        for one in profit_instances.cases()
    )


def summary(known: Known, off_line: Known) -> str:
    wall = known["wall"]
    slow = {
        variant: of(known, "summer-air", "multi", variant)["slowest_day"]
        for variant in ("pool", "nodes")
    }
    gains = [gain(of(known, s, "ours"), of(known, s, best_of(known, s, RULES))) for s in SCENARIOS]
    share = of(known, "summer-air", "ours")
    counts = [won(off_line, seconds) for seconds in profit_instances.SECONDS]
    gaps = [
        100 * (1 - one["bound"] / min(one["ours 4"], one["ours 15"]))
        for one in (off_line[profit_instances.key_of(*each)] for each in profit_instances.cases())
    ]
    return "\n".join(
        [
            f"* Ours earns {min(gains):.2f} to {max(gains):.2f} % more than the best rule by day {DAYS}. More "
            "than what the rule leaves idle nobody can gain.",
            f"* Energy is {100 * share['cost'] / (share['cost'] + share['profit']):.1f} % of the revenue under "
            "summer-air, so nearly all of the objective is to keep cores busy.",
            f"* All methods but plain constraint programming, four scenarios: {wall['seconds'] / 60:.1f} "
            f"minutes in {wall['processes']} processes.",
            f"* MultiSearch, all orders, slowest day: {slow['pool']:.2f} s on a pool, {slow['nodes']:.1f} s on "
            "nodes (paper: 3,378 s on average).",
            f"* Off line, 600 jobs at a time: ours is no worse than DelaySearch on {counts[0]} of 10 after 4 s "
            f"and on {counts[1]} of 10 after 15 s. No plan costs less by more than {min(gaps):.1f} to "
            f"{max(gaps):.1f} %.",
        ]
    )


def parts(known: Known, off_line: Known) -> dict[str, str]:
    """What stands between the markers of the page."""
    return {
        "summary": summary(known, off_line),
        "table 1": table_1(known),
        "table 2": table_2(known),
        "table 3": table_3(known),
        "to best": to_best(known),
        "readings": readings(known),
        "methods": methods_table(known, "summer-air"),
        "sensitivity": sensitivity(known),
        "plain": plain_table(known),
        "instances": instances(off_line),
    }


def draw_sums(known: Known, path: Path) -> None:
    """Figures 1 to 4: the sum of the profits over the horizon."""
    with picture(path, (12, 8)) as figure:
        figure.suptitle(
            "Figures 1 to 4: profit so far", x=0.012, ha="left", fontsize=14, weight="bold"
        )
        for axes, scenario in zip(figure.subplots(2, 2).flat, SCENARIOS, strict=True):
            rule = best_of(known, scenario, RULES)
            shown = {
                f"best rule ({rule})": (rule, GREY),
                "MultiSearch": ("multi", COLOURS["multi"]),
            }
            shown["ours"] = ("ours", COLOURS["ours"])
            reference = np.array(of(known, scenario, rule)["curve"], float)
            for label, (name, colour) in shown.items():
                curve = np.array(of(known, scenario, name)["curve"], float)
                axes.plot(np.arange(len(curve)), curve / 1000, color=colour, label=label)
            inset = axes.inset_axes((0.56, 0.1, 0.41, 0.3))
            for name, colour in list(shown.values())[1:]:
                curve = np.array(of(known, scenario, name)["curve"], float)
                length = min(len(curve), len(reference)) - 1  # the last is no whole day
                inset.plot(
                    np.arange(length), (curve[:length] - reference[:length]) / 1000, color=colour
                )
            inset.axvline(DAYS, color=GREY, linewidth=0.8, linestyle=":")
            inset.set_title("ahead of the rule", fontsize=8, weight="normal")
            inset.tick_params(labelsize=7)
            axes.axvline(DAYS, color=GREY, linewidth=0.8, linestyle=":")
            axes.set(title=scenario, xlabel="days", ylabel="1,000 EUR")
            axes.legend(loc="upper left", fontsize=8)


def draw_gains(known: Known, path: Path) -> None:
    """Figures 5 to 8: how far each search is ahead; here of the best rule, as plain CP finds nothing."""
    names = list(COLOURS)
    with picture(path, (12, 3.8)) as figure:
        figure.suptitle(
            f"Figures 5 to 8: profit by day {DAYS}, % above the best rule",
            x=0.012, ha="left", fontsize=14, weight="bold",
        )  # fmt: skip
        for axes, scenario in zip(figure.subplots(1, 4, sharey=True), SCENARIOS, strict=True):
            rule = of(known, scenario, best_of(known, scenario, RULES))
            values = [gain(of(known, scenario, name), rule) for name in names]
            bars = axes.bar(range(len(names)), values, color=[COLOURS[name] for name in names])
            axes.bar_label(bars, [f"{value:.2f}" for value in values], fontsize=8)
            axes.set_xticks(
                range(len(names)), [LABELS[name].removesuffix("Search") for name in names]
            )
            axes.set_title(scenario)
            axes.grid(axis="x", visible=False)


def main() -> None:
    known, off_line = Store(STORE).known, Store(profit_instances.STORE).known
    PAGE.write_text(filled(PAGE.read_text(), parts(known, off_line)))
    draw_sums(known, SUMS)
    draw_gains(known, GAINS)


if __name__ == "__main__":
    main()
