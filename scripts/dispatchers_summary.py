"""What holds of the CP dispatchers and what does not, in a few lines on top of their page."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.dispatchers import FIRST_FIT
from scripts.dispatchers_replay_tables import PAPERS, comparisons, rows
from scripts.dispatchers_results import Results, Rounds, rounds_of
from scripts.dispatchers_rounds_tables import quantile, share, verdict
from scripts.page import table


def summary(results: Results, rounds: Mapping[str, Rounds]) -> str:
    """A line for each question that has been measured."""
    body = [
        *(line for estimate, solved in rounds.items() for line in _rounds(estimate, solved)),
        *_against_lists(results),
        *_ours(results),
        *_large(results),
        *_checked(results),
    ]
    return table(("", "here", "verdict"), body)


def _rounds(estimate: str, solved: Rounds) -> list[list[str]]:
    variables, seconds = solved.ratio("variables"), solved.ratio("seconds")
    few, fast = share(variables, 0, 0.1), share(seconds, 0, 1)
    almost_all = share(seconds, 0.01, 1) >= 90
    same = 100 * float(np.mean(solved.of("sizes", "pcp21") == solved.of("sizes", "pcp21_grown")))
    on = f"{len(solved)} rounds of Eurora-{estimate}"
    return [
        [
            "PCP'21 has less than a tenth of PCP'19's variables (figure 6)",
            f"in {few:.0f} % of {on}; half of the ratios are at most {quantile(variables, 0.5):.3g}",
            verdict(bool((variables < 0.1).all())),
        ],
        [
            "PCP'21's size does not depend on the machine (section 3)",
            f"the same on ten times the nodes in {same:.0f} % of {on}",
            verdict(same == 100),
        ],
        [
            "PCP'21 decides faster than PCP'19 in almost all rounds (figure 7)",
            f"in {fast:.0f} % of {on}; half of the ratios are at most {quantile(seconds, 0.5):.3g}",
            verdict(almost_all),
        ],
    ]


def _against_lists(results: Results) -> list[list[str]]:
    lines = []
    for estimate in ("R", "D"):
        found = {row.policy: row.found for row in rows(results, "Eurora", PAPERS, estimate)}
        easy = results.get(f"Eurora | EASY | {estimate} | 0")
        if not found or easy is None:
            continue
        theirs = {name: one["slowdown"] for name, one in found.items()}
        each = ", ".join(f"{name} {value:.2f}" for name, value in theirs.items())
        lists = (results[FIRST_FIT]["slowdown"], easy["slowdown"])
        lines.append(
            [
                f"Ours: the dispatchers have a better slowdown on Eurora-{estimate} than FCFS on the first "
                "nodes with room, and than EASY",
                f"{each}; FCFS {lists[0]:.2f}, EASY {lists[1]:.2f}",
                verdict(max(theirs.values()) < min(lists)),
            ]
        )
    return lines


def _ours(results: Results) -> list[list[str]]:
    lines = []
    for one in comparisons(results):
        lines.append(
            [
                f"Ours: `packwise` has a slowdown at least as good as the best of them on {one.case}",
                f"{one.mine['slowdown']:.2f} against {one.slowdown:.2f} ({one.best})",
                one.as_good,
            ]
        )
        lines.append(
            [
                f"Ours: `packwise` decides in a tenth of {one.timed}'s time on {one.case}",
                f"in {100 * one.part:.2g} %",
                verdict(one.part <= 0.1),
            ]
        )
    return lines


def _large(results: Results) -> list[list[str]]:
    lines = []
    which = ("HCP'19", "PCP'21s", "Packwise")
    done = {
        f"{row.policy}-{row.estimate}": row.found for row in rows(results, "KIT", which, "R L2")
    }
    if all(f"{name}-R" in done for name in which):
        slowdowns = ", ".join(f"{name} {one['slowdown']:.2f}" for name, one in done.items())
        lines.append(
            [
                "Ours: HCP'19, PCP'21s and `packwise` replay KIT's 25,127 jobs on 1,173 nodes",
                f"slowdown {slowdowns}",
                verdict(all(one["feasible"] for one in done.values())),
            ]
        )
    solved = rounds_of(results, "KIT rounds")
    if solved is not None:
        without = {
            name: sum(bool(one.get("unsolved", 1)) for one in solved.solved[name])
            for name in ("pcp19", "pcp21", "pcp21s", "hcp19")
        }
        lines.append(
            [
                "PCP'19 does not scale to KIT (section 5.2)",
                f"no plan in {without['pcp19']} of {len(solved)} rounds, PCP'21 {without['pcp21']}, PCP'21s "
                f"{without['pcp21s']}, HCP'19 {without['hcp19']}",
                verdict(2 * without["pcp19"] > len(solved)),
            ]
        )
    return lines


def _checked(results: Results) -> list[list[str]]:
    """Each schedule once: replays are there by key and by label."""
    checked = {id(one): one["feasible"] for one in results.values() if "feasible" in one}
    good = sum(checked.values())
    return [
        [
            "Ours: every schedule passes the check of nodes",
            f"{good} of {len(checked)}",
            verdict(good == len(checked)),
        ]
    ]
