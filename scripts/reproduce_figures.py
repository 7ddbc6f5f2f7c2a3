"""Table 2 and figures 2 to 7 of Goponenko et al., DEBS 2024, with the optimising policy where it has CP-X.

    python -m scripts.reproduce_figures --traces TRACES --published PUBLISHED [--store STORE] [--docs DOCS]
                                        [--offline SOLVED.json ...]

Draws docs/images/dispatch-*.png and fills in docs/optimising-dispatch.md, between its markers, from what the
store has of studies/optimising-dispatch.toml; run the study first. SOLVED.json is what `packwise solve --json`
printed for a whole log. What has no result yet is left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from packwise.experiments.scenario import Labels
from packwise.experiments.store import Store
from packwise.experiments.study import Study
from packwise.experiments.study_file import read_study
from packwise.experiments.tables.published import Published, read_published
from packwise.experiments.tables.results import StudyResults
from packwise.files.output import atomic_output
from packwise.metrics.catalogue import metric
from packwise.metrics.series import queue_in_rounds
from packwise.model.errors import InputError, PackwiseError
from packwise.pictures.canvas import GREY
from packwise.pictures.lines import COLOURS
from packwise.pictures.queue import IN_ROUNDS, OVER_TIME, Queue, plot_queues
from scripts.dispatch_bars import Bars, Panel, plot_bars
from scripts.dispatch_cells import (
    ESTIMATES,
    Place,
    Shares,
    best_published,
    cells_table,
    count_text,
    judged,
    lists_text,
    packwise_policy,
    table_2,
    trade_off_table,
)
from scripts.page import filled

ROOT = Path(__file__).resolve().parents[1]
STUDY = ROOT / "studies" / "optimising-dispatch.toml"
TABLE = "cp-vs-backfilling-table2.csv"
PAGE = "optimising-dispatch.md"
OFFLINE = "off-line"
#: The figures with bars: a title, and the policies of each metric. A policy that was not run is left out.
FIGURES: Mapping[str, tuple[str, Mapping[str, Sequence[str]]]] = {
    "awf": ("AWF, exact run times", {"AWF": ("packwise AWF", "CP-AWF", "List-LAF")}),
    "bsld": (
        "BSLD, exact run times",
        {"BSLD": ("packwise BSLD", "CP-BSLD+", "CP-BSLD", "List-SPF", "List-SAF", "List-SJF")},
    ),
    "af": (
        "AF and AWF of the policies for AF, exact run times",
        {
            "AF": ("packwise AF", "CP-AF", "List-SAF", "List-SJF"),
            "AWF": ("packwise AF", "CP-AF", "List-SAF", "List-SJF"),
        },
    ),
    "p2sf": ("P2SF, exact run times", {"P2SF": ("packwise P2SF", "CP-P2SF+", "CP-P2SF")}),
}
#: Queues of figure 5, and how many jobs in a queue are many, as the paper says of figure 7.
LOG_OF_FIGURE_5, POLICIES_OF_FIGURE_5 = "SDSC-SP2", ("List-SAF", "packwise AF, seed 0")
MANY = 30

#: What the off-line optimiser reached, in per cent of List-REG: by log and objective, each metric.
Offline = Mapping[tuple[str, str], Mapping[str, float]]


def read_offline(files: Iterable[Path], results: StudyResults) -> Offline:
    """What `packwise solve --json` printed, for whole logs of the study."""
    found = {}
    for file in files:
        solved = json.loads(file.read_text(encoding="utf-8"))
        spelled = {name.lower(): name for name in results.study.axis("workload")}
        workload = spelled.get(str(solved["workload"]).lower())
        if workload is None:
            raise InputError(f"{file}: the study has no log '{solved['workload']}'.")
        jobs = {
            int(count)
            for scenario, count in zip(
                results.study.scenarios, results.columns["jobs"], strict=True
            )
            if scenario.workload.label == workload and np.isfinite(count)
        }
        if jobs and jobs != {solved["jobs"]}:
            raise InputError(
                f"{file}: expected the whole log {workload} ({jobs.pop():,} jobs), found {solved['jobs']:,}."
            )
        reached, reference = solved["metrics"]["result"], solved["metrics"]["list-reg"]
        shares = {name: 100 * value / reference[name] for name, value in reached.items()}
        found[workload, solved["objective"]] = shares
    return found


def draw_bars(shares: Shares, published: Published, offline: Offline, images: Path) -> None:
    """Figures 2, 3, 4 and 6."""
    for name, (title, metrics) in FIGURES.items():
        panels = []
        for shown, policies in metrics.items():
            objective = policies[0].removeprefix(packwise_policy(""))
            bars = [
                _bars(shares, published, policy, shown, colour)
                for policy, colour in zip(policies, COLOURS, strict=False)
            ]
            solved = {w: [v[shown]] for (w, o), v in offline.items() if o == objective}
            bars.append(Bars(OFFLINE, solved, {}, GREY))
            panels.append(Panel(_title(shown), [one for one in bars if one.values]))
        if any(panel.bars for panel in panels):
            plot_bars(title, shares.workloads, panels, images / f"dispatch-{name}.png")


def _title(name: str) -> str:
    return f"{name}: {metric(name).title}"


def _bars(shares: Shares, published: Published, policy: str, shown: str, colour: str) -> Bars:
    """A policy on all logs. The optimising policy stands where the paper has CP-X."""
    found = {w: shares.of(policy, shown, "exact", w) for w in shares.workloads}
    theirs = f"CP-{shown}" if policy == packwise_policy(shown) else policy
    spelled = {workload.lower(): workload for workload in shares.workloads}
    theirs_on = {
        spelled[cell.trace.lower()]: cell.value
        for cell in published.cells
        if (cell.policy, cell.metric, cell.estimate) == (theirs, shown, "exact")
        and cell.trace.lower() in spelled
        and cell.certain
    }
    return Bars(policy, {w: values for w, values in found.items() if values}, theirs_on, colour)


def queue_of(study: Study, store: Store, labels: Labels, name: str) -> Queue | None:
    """The queue of a stored result, if it is there."""
    for scenario in study.scenarios:
        if scenario.labels == labels and store.has(scenario.key):
            replayed = store.replayed(scenario.key)
            return Queue.of(name, *replayed, queue_in_rounds(*replayed))
    return None


def figure_5(study: Study, store: Store, images: Path) -> str:
    """The queue of SDSC-SP2 over time, and what it comes to."""
    queues = [
        queue_of(study, store, Labels(LOG_OF_FIGURE_5, "", policy, "exact", 0), policy)
        for policy in POLICIES_OF_FIGURE_5
    ]
    there = [queue for queue in queues if queue is not None]
    if not there:
        return "Not run yet."
    title = f"{LOG_OF_FIGURE_5}, exact run times"
    plot_queues(title, there, images / "dispatch-queue.png", panels=[OVER_TIME])
    means = [
        f"{queue.length[-len(queue.length) // 4 :].mean():.0f} under {queue.label}"
        for queue in there
    ]
    return (
        f"Jobs waiting on average in the last quarter of the time: {', '.join(means)}.\n\n"
        f"{_image('queue', 'The queue of SDSC-SP2 over time')}"
    )


def figure_7(study: Study, store: Store, images: Path) -> str:
    """How long queues are in the rounds of the policy for P2SF, per log."""
    policy = f"{packwise_policy('P2SF')}, seed 0"
    queues = [
        queue_of(study, store, Labels(workload, "", policy, "exact", 0), workload)
        for workload in study.axis("workload")
    ]
    there = [queue for queue in queues if queue is not None]
    if not there:
        return "Not run yet."
    plot_queues(
        f"{policy}, exact run times", there, images / "dispatch-rounds.png", panels=[IN_ROUNDS]
    )
    shares = [f"{100 * (queue.sizes <= MANY).mean():.0f} % on {queue.label}" for queue in there]
    return (
        f"Rounds with at most {MANY} jobs waiting: {', '.join(shares)}.\n\n"
        f"{_image('rounds', 'Rounds by the length of the queue, per log')}"
    )


def _image(name: str, words: str) -> str:
    return f"![{words}](images/dispatch-{name}.png)"


def offline_text(offline: Offline) -> str:
    """The diagonal of the off-line results: what each objective reached of its own metric."""
    if not offline:
        return "Off-line: not run yet."
    reached = [f"{o} {values[o]:.1f} % on {w}" for (w, o), values in offline.items()]
    return (
        f"Off-line, with all jobs known beforehand, `packwise solve` reaches: {', '.join(reached)}."
    )


def sections(
    study: Study, store: Store, published: Published, offline: Sequence[Path], images: Path
) -> dict[str, str]:
    """Draw the figures; the texts of the page by name."""
    results = StudyResults.of(study, store.frame())
    shares = Shares(results)
    best: Mapping[Place, float] = best_published(published, shares.workloads)
    cells = judged(shares, best)
    solved = read_offline(offline, results)
    draw_bars(shares, published, solved, images)
    return {
        "count": count_text(cells, len(best)),
        "lists": lists_text(shares, cells),
        "cells": cells_table(cells, shares.workloads),
        **{f"trade-offs {e}": trade_off_table(shares, e) for e in ESTIMATES},
        **{f"table {e}": table_2(shares, published, e) for e in ESTIMATES},
        "off-line": offline_text(solved),
        "figure 5": figure_5(study, store, images),
        "figure 7": figure_7(study, store, images),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--published", type=Path, required=True)
    parser.add_argument("--study", type=Path, default=STUDY)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    parser.add_argument("--offline", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    study = read_study(arguments.study, traces=[arguments.traces], store=arguments.store)
    published = read_published(arguments.published / TABLE)
    page, images = arguments.docs / PAGE, arguments.docs / "images"
    parts = sections(study, Store.open(study.store), published, arguments.offline, images)
    text = filled(page.read_text(encoding="utf-8"), parts)
    with atomic_output(page) as file:
        file.write(text.encode())
    print(f"Wrote {page} and its figures. {parts['count']}")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except PackwiseError as error:
        raise SystemExit(f"error: {error}") from error
