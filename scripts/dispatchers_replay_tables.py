"""Tables of replays: tables 1 and 2 and figures 5 and 10 of Galleguillos, Kiziltan and Soto, CP 2021."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.dispatchers import FIRST_FIT, RECORDED
from packwise.readable import number
from scripts.dispatchers_pictures import Mean
from scripts.dispatchers_results import SAME, Results, Rounds, rounds_of
from scripts.dispatchers_rounds_tables import verdict
from scripts.page import table

#: Milliseconds in which a decision was made, and seconds of a simulation: tables 1 and 2 of the paper.
PUBLISHED = {
    ("Eurora", "HCP'19", "D"): (392, 208231),
    ("Eurora", "PCP'19", "D"): (511, 271586),
    ("Eurora", "PCP'21", "D"): (209, 111373),
    ("Eurora", "HCP'19", "R"): (357, 189522),
    ("Eurora", "PCP'19", "R"): (469, 249367),
    ("Eurora", "PCP'21", "R"): (256, 136401),
    ("KIT", "HCP'19", "L2"): (278, 56083),
    ("KIT", "PCP'21", "L2"): (493, 99590),
    ("KIT", "PCP'21s", "L2"): (334, 67471),
    ("KIT", "HCP'19", "R"): (269, 54289),
    ("KIT", "PCP'21", "R"): (476, 96030),
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
#: What a decision takes, by which claims are judged.
COSTS = ("seconds", "branches", "fails")
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
    """Table 1 or 2: what decisions took, there and here."""
    body = []
    for policy, estimate, found in rows(results, workload, PAPERS + OTHERS, estimates):
        paper = PUBLISHED.get((workload, policy, estimate))
        body.append(
            [
                f"{policy}-{estimate}",
                f"{paper[0]:,}" if paper else "",
                number(found["dispatch_ms"]),
                f"{paper[1]:,}" if paper else "",
                number(found["seconds"]),
            ]
        )
    head = ("", "paper, ms a decision", "here, ms a decision", "paper, s in all", "here, s in all")
    return table(head, body)


def endings(results: Results, workload: str, estimates: str) -> str:
    """What ended the searches, and how much of their time went into their decisions in Python."""
    body = []
    for policy, estimate, found in rows(results, workload, PAPERS, estimates):
        proven, patience, limit = found["ended"][:3]
        counts = (found["solved"], proven, patience, limit, found["unsolved"])
        notes = found["notes"]
        share = 100 * notes["python_seconds"] / (notes["build_seconds"] + notes["solve_seconds"])
        body.append([f"{policy}-{estimate}", *(f"{n:,}" for n in counts), f"{share:.0f} %"])
    head = ("", "rounds solved", "searched to the end", "a limit with a plan", "longest limit")
    return table((*head, "no plan", "of their time in Python"), body)


def ratio_verdicts(results: Results, rounds: Mapping[str, Rounds], workload: str) -> str:
    """What the paper concludes from Table 1 or 2, as far as both have been measured: in replays, and on rounds
    that are the same for both.
    """
    body = []
    for log, fast, slow in FASTER:
        if log != workload:
            continue
        published = PUBLISHED[log, *fast][0] / PUBLISHED[log, *slow][0]
        replays = [results.get(f"{log} | {one[0]} | {one[1]} | 0") for one in (fast, slow)]
        same = [_round_costs(rounds, *one) for one in (fast, slow)]
        found = _ratios(*map(_replay_costs, replays)) if all(replays) else {}
        on_same = _ratios(*same) if workload == "Eurora" and all(same) else {}
        if not found and not on_same:
            continue
        seconds = found.get("seconds", on_same.get("seconds", math.nan))
        body.append(
            [
                f"{'-'.join(fast)} decides faster than {'-'.join(slow)}",
                f"{published:.2f}",
                *(f"{found[name]:.2f}" if found else "" for name in COSTS),
                *(f"{on_same[name]:.2f}" if on_same else "" for name in COSTS),
                "about the same" if abs(seconds - 1) <= CLOSE else verdict(seconds < 1),
            ]
        )
    head = ("claim", "paper, ratio", *(f"replays, {name}" for name in COSTS))
    return table((*head, *(f"same rounds, {name}" for name in COSTS), "verdict"), body)


def _ratios(fast: Mapping[str, float], slow: Mapping[str, float]) -> dict[str, float]:
    return {name: fast[name] / slow[name] for name in COSTS}


def _replay_costs(found: Results) -> dict[str, float]:
    """What a decision took on average."""
    part = found["solved"] / found["rounds"]
    searched = {name: part * found["notes"][name] for name in COSTS[1:]}
    return {"seconds": found["dispatch_ms"] / 1000, **searched}


def _round_costs(rounds: Mapping[str, Rounds], policy: str, estimate: str) -> dict[str, float]:
    """The same on saved rounds; empty where there are none."""
    method = policy.lower().replace("'", "")
    solved = rounds.get(estimate)
    if solved is None or method not in solved.solved:
        return {}
    return {name: float(np.nanmean(solved.of(method, name))) for name in COSTS}


def qualities(results: Results, workload: str, estimates: str) -> str:
    """Figure 5 or 10 in numbers."""
    body = []
    for policy, estimate, found in rows(results, workload, OTHERS + PAPERS, estimates):
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
    there = list(rows(results, workload, OTHERS + PAPERS, estimates))
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
        for policy in OTHERS + PAPERS:
            found = [results.get(f"like Eurora | {policy} | {estimate} | {k}") for k in (1, 2, 3)]
            there = [one for one in found if one is not None]
            if len(there) < len(found):
                continue
            means = [float(np.mean([one[name] for one in there])) for name in ("slowdown", "wait")]
            ms = 1000 * sum(one["seconds"] for one in there) / sum(one["rounds"] for one in there)
            body.append([f"{policy}-{estimate}", f"{means[0]:.3f}", f"{means[1]:,.0f}", number(ms)])
    return table(("", "mean slowdown", "mean wait, s", "ms a decision"), body)


def other_claims(results: Results, rounds: Mapping[str, Rounds]) -> str:
    """What the paper says beside its tables and figures, as far as it has been measured."""
    body = [*_better_than_the_site(results), *_deviation(results)]
    both = [results.get(f"Eurora | PCP'21 | {estimate} | 0") for estimate in "RD"]
    if both[0] is not None and both[1] is not None:
        r, d = (one["slowdown"] for one in both)
        body.append(
            [
                "PCP'21 finds better solutions with R than with D (section 5.1)",
                f"slowdown {r:.2f} and {d:.2f}",
                verdict(r < d),
            ]
        )
    body += [_same_decisions(estimate, solved) for estimate, solved in rounds.items()]
    body += _on_kit(results)
    return table(("claim", "here", "verdict"), body)


def _better_than_the_site(results: Results) -> list[list[str]]:
    """Section 5.1: all dispatchers return better solutions than PBS did."""
    found = [row.found for row in rows(results, "Eurora", PAPERS[:3], "R D")]
    if not found or RECORDED not in results:
        return []
    then = results[RECORDED]
    said, better = [], []
    for name, digits in (("slowdown", ".2f"), ("wait", ",.0f")):
        values = [one[name] for one in found]
        least, most = min(values), max(values)
        said.append(f"{name} {least:{digits}} to {most:{digits}}, {then[name]:{digits}} under PBS")
        better.append(most < then[name])
    claim = "all dispatchers are better than PBS was (section 5.1)"
    return [[claim, "; ".join(said), verdict(all(better))]]


def _deviation(results: Results) -> list[list[str]]:
    """Section 5.1: with D slowdown deviates least under PCP'21; decided by the first that deviates less."""
    found = {
        row.policy: row.found["slowdown_sd"] for row in rows(results, "Eurora", PAPERS[:3], "D")
    }
    if "PCP'21" not in found or len(found) < 2:
        return []
    least = min(found, key=lambda name: found[name])
    if least == "PCP'21" and len(found) < 3:
        return []
    each = ", ".join(f"{name} {value:.1f}" for name, value in found.items())
    claim = "with D the slowdown deviates least under PCP'21 (section 5.1)"
    return [[claim, each, verdict(least == "PCP'21")]]


def _same_decisions(estimate: str, solved: Rounds) -> list[str]:
    """By the total slowdown of their plans; where one has none, they differ."""
    ratio = solved.of("pcp21", "slowdown") / solved.of("pcp19", "slowdown")
    same = 100 * float(np.mean(np.abs(ratio - 1) < SAME))
    better = ", ".join(
        f"{100 * float(np.mean(solved.quality(name) < 1 - SAME)):.0f} % ({title})"
        for name, title in (("pcp21", "PCP'21"), ("pcp19", "PCP'19"))
    )
    return [
        f"PCP'21 and PCP'19 decide equally well in the vast majority of rounds, -{estimate} (section 5.1)",
        f"in {same:.0f} %; better than the best of three list plans in {better}",
        verdict(same >= 90),
    ]


def _on_kit(results: Results) -> list[list[str]]:
    """Section 5.2, on rounds that are the same for all."""
    kit = rounds_of(results, "KIT rounds")
    if kit is None:
        return []
    hcp19, pcp21s, pcp21 = (
        float(kit.of(method, "seconds").mean()) for method in ("hcp19", "pcp21s", "pcp21")
    )
    return [
        [
            "PCP'21s decides faster than PCP'21 on KIT (section 5.2)",
            f"on the same rounds {1000 * pcp21s:,.0f} and {1000 * pcp21:,.0f} ms on average",
            verdict(pcp21s < pcp21),
        ],
        [
            "PCP'21s takes up to 27 % longer than HCP'19 on KIT (section 5.2)",
            f"on the same rounds {1000 * pcp21s:,.0f} and {1000 * hcp19:,.0f} ms on average",
            verdict(pcp21s <= 1.27 * hcp19),
        ],
    ]


class Compared(NamedTuple):
    """``packwise`` on one log, beside the best of the paper's dispatchers and the one that it is timed against:
    PCP'21, where that was not replayed PCP'21s.
    """

    case: str
    best: str
    slowdown: float
    timed: str
    part: float
    mine: Results

    @property
    def as_good(self) -> str:
        return verdict(self.mine["slowdown"] <= self.slowdown)


def comparisons(results: Results) -> Iterator[Compared]:
    """On each log with each sort of estimates, as far as both have been replayed."""
    for log, estimates in (("Eurora", "R D"), ("KIT", "R L2")):
        for estimate in estimates.split():
            theirs = {row.policy: row.found for row in rows(results, log, PAPERS, estimate)}
            mine = results.get(f"{log} | Packwise | {estimate} | 0")
            if not theirs or mine is None:
                continue
            best = min(theirs, key=lambda name: theirs[name]["slowdown"])
            timed = next(name for name in ("PCP'21", "PCP'21s", *theirs) if name in theirs)
            part = mine["dispatch_ms"] / theirs[timed]["dispatch_ms"]
            slowdown = theirs[best]["slowdown"]
            yield Compared(f"{log}-{estimate}", best, slowdown, timed, part, mine)


def ours(results: Results) -> str:
    """``packwise`` beside the best dispatcher of the paper."""
    body = []
    for one in comparisons(results):
        sjf = results[f"{' | SJF | '.join(one.case.split('-'))} | 0"]
        body.append(
            [
                one.case,
                f"{one.best}, {one.slowdown:.2f}",
                f"{sjf['slowdown']:.2f}",
                f"{one.mine['slowdown']:.2f}",
                f"{one.mine['slowdown'] / one.slowdown:.3f}",
                one.as_good,
                f"{1 / one.part:.2g} times as fast as {one.timed}",
            ]
        )
    head = (
        *("", "best dispatcher, slowdown", "shortest job first", "`packwise`"),
        *("ratio to the best dispatcher", "at least as good"),
    )
    return table((*head, "speed of `packwise`"), body)
