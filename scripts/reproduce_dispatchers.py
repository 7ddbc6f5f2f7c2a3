"""Tables 1 and 2 and figures 5 to 10 of Galleguillos, Kiziltan and Soto, CP 2021, beside what they print.

    python -m scripts.reproduce_dispatchers --traces TRACES [--store FILE] [--docs DOCS]

Draws docs/images/dispatchers-*.png and fills in docs/heterogeneous-cp.md, between its markers, from what
``benchmarks.dispatchers`` has left in FILE, which is in the repository.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.dispatchers import STORE, dispatch_studies
from packwise.experiments.study import Study
from packwise.experiments.tables.claims import judge_claims
from packwise.experiments.tables.claims_text import claims_section
from packwise.files.output import atomic_output
from packwise.model.errors import PackwiseError
from scripts.dispatchers_pictures import plot_means, plot_ratios, plot_scatter
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
from scripts.dispatchers_results import (
    Results,
    Rounds,
    label_of,
    read_results,
    rounds_of,
    study_results,
)
from scripts.dispatchers_rounds_tables import first_limits, growth, large_rounds, plans, ratio_table
from scripts.dispatchers_summary import summary
from scripts.page import filled

ROOT = Path(__file__).resolve().parents[1]
PAGE = "heterogeneous-cp.md"


def not_run(results: Results, studies: Sequence[Study]) -> str:
    """Which scenarios of the studies are not in the tables yet."""
    missing: dict[str, list[str]] = {}
    for study in studies:
        for scenario in study.scenarios:
            labels = scenario.labels
            if label_of(scenario) not in results:
                missing.setdefault(f"{labels.policy}-{labels.estimate}", []).append(labels.workload)
    if not missing:
        return "All scenarios of the two studies are in the tables."
    listed = (f"{who} ({', '.join(dict.fromkeys(at))})" for who, at in missing.items())
    return f"Not run yet, and so not in the tables: {'; '.join(listed)}."


def saved_rounds(results: Results) -> dict[str, Rounds]:
    """Eurora's, by estimates, as far as they have been solved."""
    names = (("R", "exact"), ("D", "data-driven"))
    found = ((estimate, rounds_of(results, f"rounds | {name}")) for estimate, name in names)
    return {estimate: solved for estimate, solved in found if solved}


def page_parts(
    results: Results, rounds: Mapping[str, Rounds], studies: Sequence[Study]
) -> dict[str, str]:
    """What stands between which markers of the page."""
    parts = {
        "summary": summary(results, rounds),
        "not run": not_run(results, studies),
        "like eurora": like_eurora(results),
        "first limits": first_limits(rounds),
        "ratios": ratio_table(rounds),
        "other claims": other_claims(results, rounds),
        "growth": growth(rounds),
        "large rounds": large_rounds(results),
        "plans": plans(rounds),
        "ours": ours(results),
    }
    for log, estimates, study in zip(("Eurora", "KIT"), ("R D", "R L2"), studies, strict=True):
        name = log.lower()
        judged = study_results(study, results)
        parts |= {
            f"times {name}": times(results, log, estimates),
            f"time claims {name}": ratio_verdicts(results, rounds, log),
            f"endings {name}": endings(results, log, estimates),
            f"qualities {name}": qualities(results, log, estimates),
            f"claims {name}": claims_section(judged, judge_claims(judged)).partition("\n\n")[2],
        }
    return parts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    arguments = parser.parse_args()
    studies = dispatch_studies(arguments.traces)
    results = read_results(arguments.store, studies)
    rounds = saved_rounds(results)
    images = arguments.docs / "images"
    plot_means(means(results, "Eurora", "R D"), images / "dispatchers-eurora.png")
    plot_means(means(results, "KIT", "R L2"), images / "dispatchers-kit.png")
    if rounds:
        plot_ratios(rounds, images / "dispatchers-ratios.png")
        plot_scatter(rounds, images / "dispatchers-scatter.png")
    page = arguments.docs / PAGE
    text = filled(page.read_text(encoding="utf-8"), page_parts(results, rounds, studies))
    with atomic_output(page) as file:
        file.write(text.encode())
    print(f"Wrote {page} and its figures.")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except PackwiseError as error:
        raise SystemExit(f"error: {error}") from error
